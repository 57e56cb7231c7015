"""Type census: objects by Python type, from the collector and from the heap's sampled blocks.

The two numbers of a type are never mixed. Objects that the garbage collector tracks are counted
exactly, by a walk on request. Blocks in use are estimated from the heap's samples; only they
include strings, numbers and bytes objects, which the collector does not track.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass.errors import WireError
from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.columns.wire_columns import check_equal
from stackglass_viewer.model.heap.buckets import HeapBuckets
from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.native import _loops

_MAX_SITES = 24  # of one type
_UNKNOWN = "<unknown>"


@dataclass(frozen=True, slots=True)
class TypeSite:
    """A line that allocated blocks of a type."""

    name: str  # function
    line: int  # 0 = unknown
    objects: int
    size_bytes: int


@dataclass(frozen=True, slots=True, eq=False)
class TypeTable:
    """One row per name of a type, in no order. Immutable."""

    name: tuple[str, ...]  # (n_types,) module.qualname
    counted: Int64s  # (n_types,) objects that the collector tracks; -1 = none tracked
    counted_bytes: Int64s  # (n_types,) their bytes by sys.getsizeof; -1 = none tracked
    objects: Int64s  # (n_types,) blocks in use, estimated from samples
    size_bytes: Int64s  # (n_types,) estimated bytes of these blocks
    sites: tuple[tuple[TypeSite, ...], ...]  # (n_types,) the largest sites, the largest first
    at_ns: int  # time when the walk began, since the session's start
    duration_ns: int
    longest_hold_ns: int  # the longest time for which the walk held the GIL
    n_objects: int  # number of objects that were counted, of all types
    n_unnamed: int  # sampled blocks of unknown type, which are left out
    is_whole: bool  # False = objects may be missing
    problem: str  # why there is no census; "" = there is one

    def __len__(self) -> int:
        return len(self.name)


def check_census(census: wire_pb2.TypeCensus, n_strings: int, n_buckets: int) -> None:
    """Raise WireError if the columns of a census differ in length, hold more than 63 bits, or refer
    to an undefined string or bucket."""
    tables = (
        (census.type_name, census.type_count, census.type_bytes),
        (census.site_bucket, census.site_type, census.site_count, census.site_bytes),
    )
    for table in tables:
        check_equal(*table)
    for names in (census.type_name, census.site_type):
        if max(names, default=-1) >= n_strings:
            raise WireError("a census refers to an undefined string")
    if max(census.site_bucket, default=-1) >= n_buckets:
        raise WireError("a census refers to an undefined bucket")
    for column in (census.type_count, census.type_bytes, census.site_count, census.site_bytes):
        if max(column, default=0) >= 2**63:
            raise WireError("a census has a count of more than 63 bits")


def build_types(
    census: wire_pb2.TypeCensus,
    buckets: HeapBuckets,
    definitions: DefinitionColumns,
    start_mono_ns: int,  # the session's start
) -> TypeTable:
    """Build the table of a census, which must have passed ``check_census``. Any thread."""
    rows: dict[int, int] = {}
    for name in (*census.type_name, *census.site_type):
        rows.setdefault(name, len(rows))
    counted = np.full((2, len(rows)), -1, dtype=np.int64)
    for name, count, size_bytes in zip(
        census.type_name, census.type_count, census.type_bytes, strict=True
    ):
        row = rows[name]  # several types may have the same name
        counted[:, row] = np.maximum(counted[:, row], 0)
        counted[:, row] += np.array((count, size_bytes))
    row_of_site = np.array([rows[name] for name in census.site_type], dtype=np.int32)
    bucket = np.array(census.site_bucket, dtype=np.int64)
    sampled = _unsample(census, buckets, bucket)
    held = np.zeros((2, len(rows)), dtype=np.int64)
    for total, column in zip(held, sampled, strict=True):
        _loops.sum_own(row_of_site, column, total)
    nodes = buckets.node[bucket]
    location = np.where(nodes > 0, definitions.node_location[nodes], -1).astype(np.int64)
    freeze(counted, held)
    return TypeTable(
        name=tuple(definitions.strings[name] or _UNKNOWN for name in rows),
        counted=counted[0],
        counted_bytes=counted[1],
        objects=held[0],
        size_bytes=held[1],
        sites=_list_sites(row_of_site, location, sampled, len(rows), definitions),
        at_ns=max(census.time_mono_ns - start_mono_ns, 0),
        duration_ns=census.duration_ns,
        longest_hold_ns=census.longest_hold_ns,
        n_objects=census.n_objects,
        n_unnamed=census.n_unnamed,
        is_whole=bool(census.is_whole),
        problem=census.problem,
    )


def _unsample(census: wire_pb2.TypeCensus, buckets: HeapBuckets, bucket: Int64s) -> Int64s:
    """Return objects and bytes, estimated from the sampled blocks: (2, n_sites)."""
    scaled = np.empty((2, len(bucket)), dtype=np.int64)
    _loops.unsample(
        np.array(census.site_count, dtype=np.int64),
        np.array(census.site_bytes, dtype=np.int64),
        np.ascontiguousarray(buckets.rate[bucket]),
        scaled[0],
        scaled[1],
    )
    return scaled


def _list_sites(
    row: Int32s, location: Int64s, values: Int64s, n_rows: int, definitions: DefinitionColumns
) -> tuple[tuple[TypeSite, ...], ...]:
    """Return the largest sites of each row."""
    keys, group = np.unique(np.stack((row, location)), axis=1, return_inverse=True)
    totals = np.zeros((2, keys.shape[1]), dtype=np.int64)
    groups: Int32s = group.reshape(-1).astype(np.int32)
    for total, column in zip(totals, values, strict=True):
        _loops.sum_own(groups, np.ascontiguousarray(column), total)
    sites: list[list[TypeSite]] = [[] for _ in range(n_rows)]
    for index in np.argsort(-totals[1], kind="stable").tolist():
        of_type = sites[int(keys[0][index])]
        if len(of_type) < _MAX_SITES and totals[0][index] > 0:
            name, line = _name_site(int(keys[1][index]), definitions)
            of_type.append(TypeSite(name, line, int(totals[0][index]), int(totals[1][index])))
    return tuple(map(tuple, sites))


def _name_site(location: int, definitions: DefinitionColumns) -> tuple[str, int]:
    if location < 0:
        return _UNKNOWN, 0
    function = int(definitions.location_function[location])
    names: Sequence[str] = definitions.strings
    name = names[int(definitions.function_name[function])]
    return name or _UNKNOWN, int(definitions.location_line[location])
