"""Sample choice of a tab: the list of sample types, in which a group of types is one entry.

::

    cpu · samples · threads · wall · heap · contention          the list
                                      │         └─ block | mutex | GIL …  ×  delay | count
                                      └─ in use | allocated  ×  space | objects
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.contention.buckets import (
    CONTENTION_TYPES,
    LISTED_KINDS,
    ContentionColumn,
)
from stackglass_viewer.model.heap.buckets import HEAP_TYPES, HeapColumn
from stackglass_viewer.model.profile.profile import SampleType

HEAP = "heap"
CONTENTION = "contention"
WALL = SampleType("wall", "nanoseconds")
"""Time of all threads, whatever they do; each sample has a state."""

_WAITED = {
    ContentionKind.BLOCK: ("waited for locks", "waits for locks"),
    ContentionKind.MUTEX: ("of waits caused by lock holders", "contended releases"),
    ContentionKind.GIL: ("waited for the GIL", "waits for the GIL"),
    ContentionKind.OTHER: ("of other waits", "other waits"),
    ContentionKind.TASK: ("waited by asyncio tasks", "waits of asyncio tasks"),
    ContentionKind.STALL: ("of event loop stalls", "event loop stalls"),
    ContentionKind.IDLE: ("of idle event loops", "idle periods of event loops"),
    None: ("of delay", "contentions"),
}


@dataclass(frozen=True, slots=True)
class HeapChoice:
    """Which of the heap's four values is shown."""

    is_in_use: bool = True  # False: allocated
    is_space: bool = True  # False: objects

    @property
    def column(self) -> HeapColumn:
        if self.is_in_use:
            return HeapColumn.INUSE_SPACE if self.is_space else HeapColumn.INUSE_OBJECTS
        return HeapColumn.ALLOC_SPACE if self.is_space else HeapColumn.ALLOC_OBJECTS

    def describe(self, total: str) -> str:
        """Return ``1.21 GiB in use`` or ``7 objects allocated``."""
        objects = "" if self.is_space else " objects"
        return f"{total}{objects} {'in use' if self.is_in_use else 'allocated'}"


@dataclass(frozen=True, slots=True)
class ContentionChoice:
    """Which kind of contention is shown, and which of its two values."""

    kind: ContentionKind | None = ContentionKind.BLOCK  # None: not known, as in a file
    is_delay: bool = True  # False: the number of waits

    @property
    def column(self) -> ContentionColumn:
        return ContentionColumn.DELAY if self.is_delay else ContentionColumn.COUNT

    def describe(self, total: str) -> str:
        """Return ``3.02 s waited for locks`` or ``7 waits for the GIL``."""
        return f"{total} {_WAITED[self.kind][0 if self.is_delay else 1]}"

    def describe_none(self, is_filtered: bool) -> str:
        """Return ``no waits for locks recorded``, or that none of them passes the filters."""
        return f"no {_WAITED[self.kind][1]} {'pass the filters' if is_filtered else 'recorded'}"


_BLOCK_DELAY = ContentionChoice()


@dataclass(frozen=True, slots=True)
class SampleChoice:
    """The entries of the list of sample types, and the chosen one."""

    entries: tuple[str, ...]
    entry: int
    heap: HeapChoice | None = None  # None: the heap is not chosen
    contention: ContentionChoice | None = None  # None: contention is not chosen
    is_wall: bool = False  # whether wall time is chosen
    custom: str = ""  # name of the chosen profile that the program fills; "" = none is chosen


def arrange(sample_types: Sequence[SampleType], type_index: int) -> SampleChoice:
    """Return the list for these types. Types of the same name are shown with their units."""
    heap, contention = find_heap(sample_types), find_contention_types(sample_types)
    listed = _list_single(sample_types)
    entries = [_name(sample_types[i], sample_types) for i in listed]
    entries += [HEAP] if heap is not None else []
    entries += [CONTENTION] if contention else []
    if heap is not None and type_index in heap:
        column = HeapColumn(heap.index(type_index))
        chosen = HeapChoice(
            is_in_use=column in (HeapColumn.INUSE_OBJECTS, HeapColumn.INUSE_SPACE),
            is_space=column in (HeapColumn.ALLOC_SPACE, HeapColumn.INUSE_SPACE),
        )
        return SampleChoice(tuple(entries), entries.index(HEAP), chosen)
    for kind, columns in contention.items():
        if type_index in columns:
            is_delay = columns.index(type_index) == ContentionColumn.DELAY
            waited = ContentionChoice(kind, is_delay)
            return SampleChoice(tuple(entries), len(entries) - 1, None, waited)
    is_wall = sample_types[type_index] == WALL
    return SampleChoice(tuple(entries), listed.index(type_index), is_wall=is_wall)


def find_entry(
    sample_types: Sequence[SampleType],
    entry: int,
    heap: HeapChoice,
    contention: ContentionChoice = _BLOCK_DELAY,
) -> int:
    """Return the type of an entry. If the entry is a group, ``heap`` or ``contention`` chooses the
    type."""
    listed = _list_single(sample_types)
    if entry < len(listed):
        return listed[entry]
    if entry == len(listed) and find_heap(sample_types) is not None:
        return find_heap_type(sample_types, heap)
    return find_contention_type(sample_types, contention)


def find_heap_type(sample_types: Sequence[SampleType], heap: HeapChoice) -> int:
    """Return the type of one of the heap's values, in a tab that has them."""
    columns = find_heap(sample_types)
    assert columns is not None
    return columns[heap.column]


def find_contention_type(sample_types: Sequence[SampleType], choice: ContentionChoice) -> int:
    """Return the type of one of contention's values, in a tab that has them."""
    kinds = find_contention_types(sample_types)
    only = next(iter(kinds.values()))  # a file has one kind, whichever was chosen elsewhere
    columns = kinds.get(choice.kind, only)
    return columns[choice.column]


def find_heap(sample_types: Sequence[SampleType]) -> tuple[int, ...] | None:
    """Return the types of the heap's four values by HeapColumn; None = some are missing."""
    places = [
        next((i for i, each in enumerate(sample_types) if each.name == wanted.name), -1)
        for wanted in HEAP_TYPES
    ]
    return None if -1 in places else tuple(places)


def find_contention_types(
    sample_types: Sequence[SampleType],
) -> dict[ContentionKind | None, tuple[int, int]]:
    """Return the types of contention's two values, by kind.

    All kinds have the same pair of types, so a kind is known by its place: a capture has the pair
    once for each of ``LISTED_KINDS``, in that order. With any other number of pairs the types are
    a file's: only the first pair is returned, with kind None, since the types do not name it.
    """
    names = [each.name for each in sample_types]
    wanted = [each.name for each in CONTENTION_TYPES]
    firsts = [i for i in range(len(names) - 1) if names[i : i + 2] == wanted]
    if len(firsts) == len(LISTED_KINDS):
        pairs = zip(LISTED_KINDS, firsts, strict=True)
        return {kind: (first, first + 1) for kind, first in pairs}
    return {None: (firsts[0], firsts[0] + 1)} if firsts else {}


def _list_single(sample_types: Sequence[SampleType]) -> list[int]:
    """Return the types that are entries by themselves."""
    grouped = set(find_heap(sample_types) or ())
    for columns in find_contention_types(sample_types).values():
        grouped.update(columns)
    return [i for i in range(len(sample_types)) if i not in grouped]


def _name(sample_type: SampleType, sample_types: Sequence[SampleType]) -> str:
    same = [other for other in sample_types if other.name == sample_type.name]
    return sample_type.name if len(same) == 1 else f"{sample_type.name} ({sample_type.unit})"
