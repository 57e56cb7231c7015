"""Heap sites: objects and bytes by allocation site or by function, and their sizes.

A site is the line of a function where a stack ends. Rows come from a capture's buckets or a file's
samples. All blocks of a row count in the size class of the row's mean size.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.heap.buckets import HeapColumn
from stackglass_viewer.model.heap.snapshot import HeapMoment, value_buckets
from stackglass_viewer.model.live.line_names import (
    LineName,
    LineNames,
    names_of_capture,
    names_of_profile,
)
from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.native import _loops

N_CLASSES = 64  # size classes: class n holds 2^n … 2^(n+1) - 1 bytes
_MAX_ROWS = 1000  # of a table


@dataclass(frozen=True, slots=True, eq=False)
class HeapRows:
    """Blocks by site and size. Immutable."""

    line: Int32s  # (n,) line where the stack ends; -1 = the stack is empty
    columns: Int64s  # (4, n) by HeapColumn
    names: LineNames

    def __post_init__(self) -> None:
        freeze(self.line, self.columns)


@dataclass(frozen=True, slots=True, eq=False)
class SizeHistogram:
    """Blocks by size, from the smallest class that has blocks to the largest. Immutable."""

    first_class: int
    objects: Int64s  # (n_classes,)
    size_bytes: Int64s  # (n_classes,)


@dataclass(frozen=True, slots=True, eq=False)
class HeapTable:
    """The largest sites or functions, in no order. Immutable."""

    name: tuple[str, ...]  # (n_rows,) function
    file: tuple[str, ...]  # (n_rows,) "" = unknown
    line: Int64s  # (n_rows,) 0 = unknown, or the row has several
    objects: Int64s  # (n_rows,)
    size_bytes: Int64s  # (n_rows,)
    sizes: tuple[SizeHistogram, ...]  # (n_rows,)
    all_sizes: SizeHistogram
    total_objects: int
    total_bytes: int
    n_left_out: int  # number of smaller rows that are not in the table
    is_by_space: bool  # the rows are the largest by bytes; else by objects
    is_change: bool = False  # values are growth between two moments and may be negative

    def __len__(self) -> int:
        return len(self.name)


def list_capture_rows(
    moment: HeapMoment, tables: DefinitionColumns, columns: Int64s | None = None
) -> HeapRows:
    """Return the rows of a capture. ``tables`` must not be older than ``moment``. ``columns``: (4,
    n_buckets) by HeapColumn, values to use in place of the moment's; None = the moment's."""
    return HeapRows(
        line=_end_stacks(moment.buckets.node, tables),
        columns=value_buckets(moment).columns if columns is None else columns,
        names=names_of_capture(tables),
    )


def _end_stacks(nodes: Int32s, tables: DefinitionColumns) -> Int32s:
    """Return the location where each of the engine's stacks ends: (n,); -1 = the stack is empty."""
    return np.where(nodes > 0, tables.node_location[nodes], -1).astype(np.int32)


def list_profile_rows(profile: Profile, types: Sequence[int]) -> HeapRows:
    """Return the rows of a file; ``types`` are its sample types by HeapColumn."""
    starts = profile.samples.stack_start
    has_stack = starts[1:] > starts[:-1]
    lines = profile.locations.line_start
    first_line = np.where(lines[1:] > lines[:-1], lines[:-1], -1)
    line = np.full(profile.n_samples, -1, dtype=np.int32)
    line[has_stack] = first_line[profile.samples.stack[starts[:-1][has_stack]]]
    return HeapRows(
        line=line,
        columns=np.ascontiguousarray(profile.samples.values[list(types)]),
        names=names_of_profile(profile),
    )


def build_heap_table(
    rows: HeapRows,
    is_in_use: bool,
    is_by_function: bool,
    is_by_space: bool,
    is_change: bool = False,
) -> HeapTable:
    """Build the table of the largest sites or functions, by bytes or by objects. Any thread; passes
    over all rows run without the GIL.

    ``is_change``: the values of ``rows`` are differences. Totals add up positive rows only.
    """
    first = HeapColumn.INUSE_OBJECTS if is_in_use else HeapColumn.ALLOC_OBJECTS
    objects, size_bytes = rows.columns[first], rows.columns[first + 1]
    is_there = (objects != 0) | (size_bytes != 0)
    line = rows.line[is_there]
    objects, size_bytes = objects[is_there], size_bytes[is_there]
    keys = rows.names.key_functions(line) if is_by_function else line.astype(np.int64)
    groups, group = np.unique(keys, return_inverse=True)
    group_of: Int32s = group.astype(np.int32)
    totals = np.zeros((2, len(groups)), dtype=np.int64)
    _loops.sum_own(group_of, objects, totals[0])
    _loops.sum_own(group_of, size_bytes, totals[1])
    ranked = np.argsort(-totals[1 if is_by_space else 0], kind="stable")
    largest = _list_changed(ranked, totals) if is_change else ranked[totals[0][ranked] > 0]
    n_rows, largest = len(largest), largest[:_MAX_ROWS]
    rank = np.full(len(groups), -1, dtype=np.int32)
    rank[largest] = np.arange(len(largest))
    classes = _classify(objects, size_bytes)
    sizes = _count_sizes(rank[group_of], classes, objects, size_bytes, len(largest))
    all_sizes = _count_sizes(np.zeros_like(classes), classes, objects, size_bytes, 1)
    table_objects, table_bytes = totals[0][largest], totals[1][largest]
    named = _name(rows.names, groups[largest], is_by_function)
    number = np.array([each.number for each in named], dtype=np.int64)
    freeze(table_objects, table_bytes, number)
    return HeapTable(
        name=tuple(each.function for each in named),
        file=tuple(each.file for each in named),
        line=number,
        objects=table_objects,
        size_bytes=table_bytes,
        sizes=tuple(_cut(*counts) for counts in sizes),
        all_sizes=_cut(*all_sizes[0]),
        total_objects=int(np.maximum(totals[0], 0).sum()),
        total_bytes=int(np.maximum(totals[1], 0).sum()),
        n_left_out=n_rows - len(largest),
        is_by_space=is_by_space,
        is_change=is_change,
    )


def _list_changed(ranked: Int64s, totals: Int64s) -> Int64s:
    """Return the rows of a difference that are not 0. If there are too many, the first
    ``_MAX_ROWS`` of the result are taken half from each end of ``ranked``."""
    changed = ranked[totals[:, ranked].any(axis=0)]
    if len(changed) <= _MAX_ROWS:
        return changed
    half = _MAX_ROWS // 2
    return np.concatenate(
        (changed[: _MAX_ROWS - half], changed[-half:], changed[_MAX_ROWS - half : -half])
    )


def _classify(objects: Int64s, size_bytes: Int64s) -> Int32s:
    """Return the size class of each row's mean size: (n,)."""
    mean = np.maximum(np.abs(size_bytes) // np.maximum(np.abs(objects), 1), 1)
    classes = np.frexp(mean.astype(np.float64))[1] - 1
    column: Int32s = np.minimum(classes, N_CLASSES - 1).astype(np.int32)
    return column


def _count_sizes(
    row: Int32s, classes: Int32s, objects: Int64s, size_bytes: Int64s, n_rows: int
) -> list[tuple[Int64s, Int64s]]:
    """Return objects and bytes by size class, (N_CLASSES,), for each row; row -1 is left out."""
    is_kept = row >= 0
    cell = row[is_kept] * N_CLASSES + classes[is_kept]
    counts = np.zeros((2, n_rows * N_CLASSES), dtype=np.int64)
    for column, values in zip(counts, (objects, size_bytes), strict=True):
        _loops.sum_own(cell, np.ascontiguousarray(values[is_kept]), column)
    per_row = counts.reshape(2, n_rows, N_CLASSES)
    return list(zip(per_row[0], per_row[1], strict=True))


def _cut(objects: Int64s, size_bytes: Int64s) -> SizeHistogram:
    """Return the histogram without the empty classes at both ends."""
    used = np.flatnonzero(objects)
    begin, end = (int(used[0]), int(used[-1]) + 1) if len(used) else (0, 0)
    columns = objects[begin:end].copy(), size_bytes[begin:end].copy()
    freeze(*columns)
    return SizeHistogram(begin, *columns)


def _name(names: LineNames, keys: Int64s, is_by_function: bool) -> list[LineName]:
    if is_by_function:
        return names.name_functions(keys)
    return [names.name_line(line) for line in keys.tolist()]
