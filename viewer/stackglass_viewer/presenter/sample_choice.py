"""The sample types of a tab as its user chooses them: a list, in which the heap's four are one.

::

    cpu · samples · threads · heap            the list
                               └─ in use | allocated  ×  space | objects      two switches
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stackglass_viewer.model.heap_buckets import HEAP_TYPES, HeapColumn
from stackglass_viewer.model.profile import SampleType

HEAP = "heap"


@dataclass(frozen=True, slots=True)
class HeapChoice:
    """Which of the heap's four values."""

    is_in_use: bool = True  # else allocated
    is_space: bool = True  # else objects

    @property
    def column(self) -> HeapColumn:
        if self.is_in_use:
            return HeapColumn.INUSE_SPACE if self.is_space else HeapColumn.INUSE_OBJECTS
        return HeapColumn.ALLOC_SPACE if self.is_space else HeapColumn.ALLOC_OBJECTS

    def describe(self, total: str) -> str:
        """``1.21 GiB in use``, ``7 objects allocated``."""
        objects = "" if self.is_space else " objects"
        return f"{total}{objects} {'in use' if self.is_in_use else 'allocated'}"


@dataclass(frozen=True, slots=True)
class SampleChoice:
    """What a list of sample types offers, and what of it is chosen."""

    entries: tuple[str, ...]
    entry: int
    heap: HeapChoice | None  # None: another entry is chosen


def arrange(sample_types: Sequence[SampleType], type_index: int) -> SampleChoice:
    """How these types are offered. Types of one name are told apart by their units."""
    columns = find_heap(sample_types)
    listed = [i for i in range(len(sample_types)) if columns is None or i not in columns]
    entries = [_name(sample_types[i], sample_types) for i in listed]
    if columns is not None:
        entries.append(HEAP)
    if columns is not None and type_index in columns:
        column = HeapColumn(columns.index(type_index))
        heap = HeapChoice(
            is_in_use=column in (HeapColumn.INUSE_OBJECTS, HeapColumn.INUSE_SPACE),
            is_space=column in (HeapColumn.ALLOC_SPACE, HeapColumn.INUSE_SPACE),
        )
        return SampleChoice(tuple(entries), len(listed), heap)
    return SampleChoice(tuple(entries), listed.index(type_index), None)


def find_entry(sample_types: Sequence[SampleType], entry: int, heap: HeapChoice) -> int:
    """The type behind an entry of the list; ``heap`` says which of the heap's."""
    columns = find_heap(sample_types)
    listed = [i for i in range(len(sample_types)) if columns is None or i not in columns]
    if entry < len(listed):
        return listed[entry]
    return find_column(sample_types, heap)


def find_column(sample_types: Sequence[SampleType], heap: HeapChoice) -> int:
    """The type of one of the heap's values, in a tab that has them."""
    columns = find_heap(sample_types)
    assert columns is not None
    return columns[heap.column]


def find_heap(sample_types: Sequence[SampleType]) -> tuple[int, ...] | None:
    """The types of the heap's four values by HeapColumn; None = it has not all of them."""
    places = [
        next((i for i, each in enumerate(sample_types) if each.name == wanted.name), -1)
        for wanted in HEAP_TYPES
    ]
    return None if -1 in places else tuple(places)


def _name(sample_type: SampleType, sample_types: Sequence[SampleType]) -> str:
    same = [other for other in sample_types if other.name == sample_type.name]
    return sample_type.name if len(same) == 1 else f"{sample_type.name} ({sample_type.unit})"
