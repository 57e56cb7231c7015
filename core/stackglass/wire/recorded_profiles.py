"""The profiles of a snapshot by name, as tables or as a file.

A name that is not in ``DESCRIPTIONS`` is that of a profile which the program fills.
"""

from __future__ import annotations

from stackglass.wire import contention_text, count_text, heap_text
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.heap_profile import HeapKind
from stackglass.wire.heap_recording import HeapView
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.pprof_file import encode_file
from stackglass.wire.recording import Recording

THREADS = "threads"
THREADCREATE = "threadcreate"
THREADLEAK = "threadleak"
ALIASES = {"goroutine": THREADS, "goroutineleak": THREADLEAK}
"""Go's names of profiles that have another name here."""
DESCRIPTIONS = {
    "allocs": "A sampling of all past memory allocations",
    "block": "Stacks that waited for a lock",
    "gil": "Stacks that held the GIL while other threads waited for it",
    "heap": "A sampling of the memory in use. gc=1 as a query parameter runs a full collection "
    "before the sample is taken.",
    "mutex": "Stacks that released a lock which other threads waited for",
    THREADCREATE: "Stacks that started threads",
    THREADLEAK: "Stacks of threads and asyncio tasks that nothing can ever wake. The program stops "
    "for the search, so they are counted only when the profile is requested.",
    THREADS: "Stacks of all threads and asyncio tasks. debug=2 as a query parameter prints each by "
    "itself, with its state and its creator.",
}
_MOMENTARY = (THREADS, THREADLEAK)
"""Profiles of the present moment, with nothing that was recorded before."""
_HEAP_KINDS = {"heap": HeapKind.HEAP, "allocs": HeapKind.ALLOCS}
_CONTENTION_KINDS = {
    "block": ContentionKind.BLOCK,
    "mutex": ContentionKind.MUTEX,
    "gil": ContentionKind.GIL,
}


def build(name: str, recording: Recording) -> ProfileTables:
    """Return the profile ``name`` of a snapshot as tables."""
    if name not in DESCRIPTIONS:
        return recording.build_custom(name)
    if name in _HEAP_KINDS:
        return recording.build_heap(_HEAP_KINDS[name], HeapView.LIVE)
    if name in _CONTENTION_KINDS:
        return recording.build_contention(_CONTENTION_KINDS[name])
    if name == THREADCREATE:
        return recording.build_creations(name)
    return recording.build_threads(name, name == THREADLEAK)


def find_beginning(name: str, recording: Recording) -> int:
    """Return when the engine began whose data the profile has (CLOCK_MONOTONIC, ns); 0 = it has
    none that another engine could lack."""
    if name in _MOMENTARY or recording.ready is None:
        return 0
    return recording.ready.time_mono_ns


def count(name: str, tables: ProfileTables) -> int:
    """Return the count in a list of profiles: of threads, tasks and greenlets, or of stacks."""
    if name in _MOMENTARY:
        return sum(memoryview(tables.sample_values[0].tobytes()).cast("Q"))
    return len(tables.sample_node.tobytes()) // 4


def encode(name: str, recording: Recording, debug: int) -> bytes:
    """Return the profile ``name`` of a snapshot as a file. ``debug`` 0: gzipped protobuf; 1: text
    that pprof reads; 2: text for people, if the program fills the profile, else as 1. The text of
    ``threads`` and ``threadleak`` has more than their tables: see ``threads.profile_text``."""
    tables = build(name, recording)
    if not debug:
        return encode_file(tables)
    if name in _HEAP_KINDS:
        return heap_text.encode(tables, recording.heap, HeapView.LIVE)
    if name in _CONTENTION_KINDS:
        return contention_text.encode(tables, recording.contention, _CONTENTION_KINDS[name])
    has_dump = name not in DESCRIPTIONS
    return count_text.encode_dump(tables) if has_dump and debug > 1 else count_text.encode(tables)
