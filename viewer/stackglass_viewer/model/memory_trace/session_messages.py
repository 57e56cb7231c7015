"""What messages of a session say of its memory trace."""

from __future__ import annotations

import re
from dataclasses import dataclass

from stackglass_viewer.model.memory_trace.source import TraceInfo
from stackglass_viewer.model.proto import wire_pb2

_MINOR = re.compile(r"3\.(\d+)")
_ALIGNMENT = 16
_SMALL_POOLS_UNTIL = 9
"""The last minor version of CPython with pools of 4 KiB in arenas of 256."""


@dataclass
class SessionHead:
    """Gathered from messages."""

    python_version: str = ""
    program: str = ""
    begin_unix_ns: int = 0


def note_message(message: wire_pb2.FromEngine, head: SessionHead) -> None:
    """Take what a message says."""
    if message.WhichOneof("message") == "ready":
        ready = message.ready
        head.python_version = ready.python_version
        head.program = " ".join(ready.argv) or ready.executable
        head.begin_unix_ns = ready.time_unix_ns


def make_info(head: SessionHead, is_whole: bool) -> TraceInfo:
    """What a trace says of itself."""
    found = _MINOR.match(head.python_version)
    has_small_pools = found is not None and int(found[1]) <= _SMALL_POOLS_UNTIL
    return TraceInfo(
        program=head.program,
        runtime=f"CPython {head.python_version}".strip(),
        pool_bytes=4 << 10 if has_small_pools else 16 << 10,
        arena_bytes=256 << 10 if has_small_pools else 1 << 20,
        alignment=_ALIGNMENT,
        minimum_address=0,
        begin_unix_ns=max(head.begin_unix_ns, 0),
        has_stacks=True,
        is_whole=is_whole,
    )
