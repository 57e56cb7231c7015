"""Blocks in words: the facts that are known of a block, from its birth to its end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.memory_trace.events import Domain, EventKind
from stackglass_viewer.model.memory_trace.live_blocks import BlockFacts, BlockFlag, Moment
from stackglass_viewer.model.memory_trace.site_table import list_stack
from stackglass_viewer.model.memory_trace.source import FIRST_GOROUTINE
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.memory_trace.trace_profiles import show_time
from stackglass_viewer.model.units import format_count, format_value, make_printable

_DOMAINS: dict[int, str] = {
    Domain.MEM: "Python, PyMem_Malloc",
    Domain.OBJ: "Python, objects",
    Domain.RAW: "Python, PyMem_RawMalloc",
    Domain.NATIVE: "malloc of a C library",
    Domain.MMAP: "mmap",
    Domain.GO_SPAN: "Go",
}
_ENDS: dict[int, str] = {
    EventKind.OBJECT_FREE: "freed",
    EventKind.FREE_BY_COLLECTOR: "freed by the garbage collector",
    EventKind.REALLOC: "resized or moved",
    EventKind.SPAN_FREE: "freed with its span",
    EventKind.OBJECT: "replaced without a free",
    EventKind.OBJECT_ALLOC: "replaced without a free",
}
_MOST_FRAMES = 64


class Fact(NamedTuple):
    """A fact about a block, and its caption."""

    caption: str
    text: str


def describe_block(trace: MemoryTrace, facts: BlockFacts) -> tuple[Fact, ...]:
    """Return all that is known of a block, except its stack."""
    rows = [
        Fact("Address", f"0x{facts.address:x}"),
        Fact("Size", _describe_size(facts.size)),
        Fact("Type", name_block_type(facts)),
        Fact("Allocator", _name_domain(trace, facts)),
        Fact("Thread", name_thread(trace, facts.tid)),
        Fact("Born", _describe_birth(trace, facts)),
        Fact("Died", _describe_death(trace, facts)),
        Fact("Lifetime", describe_lifetime(trace, facts)),
    ]
    doubts = list(_list_doubts(facts.flags))
    if doubts:
        rows.append(Fact("Note", " ".join(doubts)))
    return tuple(row for row in rows if row.text)


def name_block_type(facts: BlockFacts) -> str:
    """Return the type of a block, or that it is not known."""
    return make_printable(facts.type_name) or "not known"


def name_thread(trace: MemoryTrace, tid: int) -> str:
    """Return ``MainThread (12)``, or ``goroutine 12``; "" = the thread is not known."""
    if not tid:
        return ""
    name = make_printable(trace.names.threads.get(tid, ""))
    if tid >= FIRST_GOROUTINE:
        return name
    return f"{name} ({tid})" if name else str(tid)


def list_frames(trace: MemoryTrace, facts: BlockFacts) -> tuple[LineName, ...]:
    """Return the stack that allocated a block, innermost frame first; empty = not known."""
    lines = list_stack(trace.names, facts.stack)[:_MOST_FRAMES]
    return tuple(
        LineName(make_printable(line.function), make_printable(line.file), line.number)
        for line in lines
    )


def explain_missing_stack(trace: MemoryTrace, facts: BlockFacts) -> str:
    """Return why a block has no stack."""
    if facts.flags & BlockFlag.BORN_BEFORE:
        return "The block is older than the trace: the code that allocated it is not known."
    if not trace.info.has_stacks:
        return "This kind of trace records no stacks."
    return "No stack was recorded for this block."


def describe_lifetime(trace: MemoryTrace, facts: BlockFacts) -> str:
    """Return the lifetime of a block, ``12.3 ms``; ``at least 12.3 ms`` if an end is not known."""
    lifetime_ns = facts.lifetime_ns
    if lifetime_ns is not None:
        return format_value(lifetime_ns, "nanoseconds")
    end_ns = trace.index.end.time_ns if facts.death_ns is None else facts.death_ns
    born_ns = facts.birth_ns
    if facts.flags & BlockFlag.BORN_BEFORE:
        born_ns = max(born_ns, trace.index.begin_ns)
    return f"at least {format_value(max(end_ns - born_ns, 0), 'nanoseconds')}"


def _describe_size(size: int) -> str:
    exact = f"{format_count(size)} bytes"
    return f"{format_value(size, 'bytes')} ({exact})" if size >= 1 << 10 else exact


def _name_domain(trace: MemoryTrace, facts: BlockFacts) -> str:
    if trace.info.runtime.startswith("Go"):
        return ""
    return _DOMAINS.get(facts.domain, "")


def _describe_birth(trace: MemoryTrace, facts: BlockFacts) -> str:
    if facts.flags & BlockFlag.BORN_BEFORE:
        return "before the trace began"
    moment = Moment(facts.birth_event, facts.birth_ns)
    return f"{show_time(trace, moment)}, event {format_count(facts.birth_event)}"


def _describe_death(trace: MemoryTrace, facts: BlockFacts) -> str:
    if facts.death_ns is None:
        return "no: it lives to the end of the trace"
    time = show_time(trace, Moment(0, facts.death_ns))
    how = _ENDS.get(facts.death_kind, "") if facts.death_kind is not None else ""
    return f"{time}, {how}" if how else time


def _list_doubts(flags: BlockFlag) -> Iterator[str]:
    if flags & BlockFlag.RECYCLED:
        yield "The memory went through a free list: the object is younger than the block."
    if flags & BlockFlag.UNCERTAIN:
        yield "Events were lost after its birth: it may have been freed already."
