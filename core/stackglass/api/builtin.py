"""The profiles that the engine records, as members of the registry: heap, allocs, block, mutex,
gil, threads.

Each is a snapshot of the engine in this process, everything since the profile's rate was first set;
threads is the present moment and needs no rate.
"""

from __future__ import annotations

from typing import Callable

from stackglass.api.profile import Profile
from stackglass.errors import ProfileError
from stackglass.wire import contention_text, count_text, heap_text, pprof
from stackglass.wire.contention_recording import ContentionKind
from stackglass.wire.heap_profile import HeapKind
from stackglass.wire.heap_recording import HeapView
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.recording import Recording

THREADS = "threads"
DESCRIPTIONS = {
    "allocs": "A sampling of all past memory allocations",
    "block": "Stacks that waited for a lock",
    "gil": "Stacks that held the GIL while other threads waited for it",
    "heap": "A sampling of the memory in use. gc=1 as a query parameter runs a full collection "
    "before the sample is taken.",
    "mutex": "Stacks that released a lock which other threads waited for",
    THREADS: "Stacks of all threads. debug=2 as a query parameter prints each stack by itself.",
}
_HEAP_KINDS = {"heap": HeapKind.HEAP, "allocs": HeapKind.ALLOCS}
_CONTENTION_KINDS = {
    "block": ContentionKind.BLOCK,
    "mutex": ContentionKind.MUTEX,
    "gil": ContentionKind.GIL,
}
Take = Callable[[bool], Recording]
"""Takes a snapshot; True = with all threads."""


class BuiltinProfile(Profile):
    """One of these. What it holds comes from the engine, not from ``add``."""

    __slots__ = ("_take",)

    def __init__(self, name: str, take: Take) -> None:
        super().__init__(name)
        self._take = take

    @property
    def description(self) -> str:
        return DESCRIPTIONS[self.name]

    def add(self, value: object, skip: int = 0, *, weak: bool = False) -> None:
        """Raises ProfileError: the engine fills this profile."""
        raise ProfileError(f"nothing can be added to the built-in profile {self.name}")

    def remove(self, value: object) -> None:
        """Nothing happens: no value is in it."""

    def count(self) -> int:
        """How many stacks are in the profile. Takes a snapshot."""
        return len(self.build().sample_node.tobytes()) // 4

    def encode(self, debug: int) -> bytes:
        """What ``write_to`` writes."""
        return encode(self.name, self._take(self.name == THREADS), debug)

    def build(self) -> ProfileTables:
        """The profile as tables."""
        return build(self.name, self._take(self.name == THREADS))


def build(name: str, recording: Recording) -> ProfileTables:
    """A built-in profile out of a snapshot."""
    if name in _HEAP_KINDS:
        return recording.build_heap(_HEAP_KINDS[name], HeapView.LIVE)
    if name in _CONTENTION_KINDS:
        return recording.build_contention(_CONTENTION_KINDS[name])
    return recording.build_threads(name)


def encode(name: str, recording: Recording, debug: int) -> bytes:
    """A built-in profile as a file: ``debug`` as ``Profile.write_to`` has it."""
    tables = build(name, recording)
    if not debug:
        return pprof.pack(pprof.encode(tables))
    if name in _HEAP_KINDS:
        return heap_text.encode(tables, recording.heap, HeapView.LIVE)
    if name in _CONTENTION_KINDS:
        return contention_text.encode(tables, recording.contention, _CONTENTION_KINDS[name])
    return count_text.encode(tables) if debug == 1 else count_text.encode_dump(tables)
