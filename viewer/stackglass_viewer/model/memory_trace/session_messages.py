"""Facts about a memory trace that the messages of its session contain."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stackglass_viewer.model.memory_trace.source import TraceInfo
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.model.units import format_count

_MINOR = re.compile(r"3\.(\d+)")
_ALIGNMENT = 16
_SMALL_POOLS_UNTIL = 9
"""The last minor version of CPython with pools of 4 KiB in arenas of 256."""


@dataclass
class SessionHead:
    """The facts, collected from messages. 0 and "" = not known."""

    python_version: str = ""
    program: str = ""
    begin_unix_ns: int = 0
    pool_bytes: int = 0
    arena_bytes: int = 0
    alignment: int = 0
    minimum_address: int = 0
    hidden_blocks: int = 0  # blocks from before the trace that the interpreter does not list
    n_stacks_lost: int = 0  # events with a stack that could not be stored
    problems: tuple[str, ...] = ()


def note_message(message: wire_pb2.FromEngine, head: SessionHead) -> None:
    """Add the facts of a message."""
    kind = message.WhichOneof("message")
    if kind == "ready":
        ready = message.ready
        head.python_version = ready.python_version
        head.program = " ".join(ready.argv) or ready.executable
        head.begin_unix_ns = ready.time_unix_ns
    elif kind == "memory_info":
        _note_memory(message.memory_info, head)


def _note_memory(info: wire_pb2.MemoryInfo, head: SessionHead) -> None:
    """Store the facts of a MemoryInfo; the last one of a session counts."""
    head.pool_bytes, head.arena_bytes = info.pool_bytes, info.arena_bytes
    head.alignment, head.minimum_address = info.alignment, info.minimum_address
    head.hidden_blocks, head.n_stacks_lost = info.hidden_blocks, info.n_stacks_lost
    problems = (info.problem, info.pools_problem, info.native_problem)
    head.problems = tuple(text for text in problems if text)


def make_info(head: SessionHead, is_whole: bool) -> TraceInfo:
    """Return the facts as TraceInfo. If the engine did not send the sizes of pools and arenas, use
    those of the CPython version."""
    found = _MINOR.match(head.python_version)
    has_small_pools = found is not None and int(found[1]) <= _SMALL_POOLS_UNTIL
    return TraceInfo(
        program=head.program,
        runtime=f"CPython {head.python_version}".strip(),
        pool_bytes=head.pool_bytes or (4 << 10 if has_small_pools else 16 << 10),
        arena_bytes=head.arena_bytes or (256 << 10 if has_small_pools else 1 << 20),
        alignment=head.alignment or _ALIGNMENT,
        minimum_address=head.minimum_address,
        begin_unix_ns=max(head.begin_unix_ns, 0),
        has_stacks=True,
        is_whole=is_whole,
        hidden_blocks=head.hidden_blocks,
    )


def list_warnings(head: SessionHead) -> list[str]:
    """Return what the recorder reports as missing from the trace, one sentence each."""
    lines = list(head.problems)
    if head.n_stacks_lost:
        n = format_count(head.n_stacks_lost)
        lines.append(f"{n} events have no stack: there was no room for it")
    return lines
