"""Table of sites: blocks by the line of code that allocated them, with types and stacks."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.memory_trace.profiles import BEFORE_ATTACH, UNKNOWN
from stackglass_viewer.model.memory_trace.site_rows import SiteRows
from stackglass_viewer.model.memory_trace.source import TraceNames
from stackglass_viewer.model.memory_trace.trace_index import SITE_LIFETIMES_NS, SiteSums


class Site(NamedTuple):
    """The blocks of one line of code, or of one type if they have no stack."""

    line: LineName
    n: int  # blocks
    size: int  # bytes
    type_name: str  # type with most of the bytes; "" = not known
    stack: int  # stack node with most of the bytes; 0 = none


class TypeRow(NamedTuple):
    """The blocks of one type."""

    name: str  # "<unknown>" = not known
    n: int
    size: int


class GarbageSite(NamedTuple):
    """The allocations of one line, and how many of them were short-lived."""

    line: LineName
    n: int  # number of allocations
    size: int  # their bytes
    n_short: int  # number of allocations that were freed sooner than the limit, at most ``n``
    bytes_short: int  # their bytes, at most ``size``


def list_sites(names: TraceNames, rows: SiteRows) -> list[Site]:
    """Return the sites, most bytes first."""
    sites: dict[LineName, list[int]] = {}
    best: dict[LineName, tuple[int, int]] = {}  # row and bytes of each line's largest row
    columns = zip(
        rows.stack.tolist(),
        rows.type.tolist(),
        rows.is_before.tolist(),
        rows.n.tolist(),
        rows.size.tolist(),
        strict=True,
    )
    for row, (stack, type_id, is_before, n, size) in enumerate(columns):
        line = name_site(names, stack, type_id, is_before)
        sums = sites.setdefault(line, [0, 0])
        sums[0] += n
        sums[1] += size
        if line not in best or size > best[line][1]:
            best[line] = (row, size)
    table = []
    for line, (n, size) in sites.items():
        row = best[line][0]
        type_name = names.name_type(int(rows.type[row]))
        table.append(Site(line, n, size, type_name, int(rows.stack[row])))
    return sorted(table, key=lambda site: (-site.size, -site.n, site.line))


def list_types(names: TraceNames, rows: SiteRows) -> list[TypeRow]:
    """Return the types, most bytes first."""
    types, inverse = np.unique(rows.type, return_inverse=True)
    n, size = (np.zeros(len(types), dtype=np.int64) for _ in range(2))
    np.add.at(n, inverse, rows.n)
    np.add.at(size, inverse, rows.size)
    table = [
        TypeRow(names.name_type(type_id) or UNKNOWN, count, total)
        for type_id, count, total in zip(types.tolist(), n.tolist(), size.tolist(), strict=True)
    ]
    return sorted(table, key=lambda row: (-row.size, row.name))


def list_garbage(names: TraceNames, sites: SiteSums, limit_ns: int) -> list[GarbageSite]:
    """Return the sites with allocations that lived shorter than ``limit_ns``, one of
    ``SITE_LIFETIMES_NS``; the site with most such allocations first."""
    classes = SITE_LIFETIMES_NS.index(limit_ns) + 1
    table: dict[LineName, list[int]] = {}
    short = sites.n_dead[:, :classes].sum(axis=1), sites.bytes_dead[:, :classes].sum(axis=1)
    columns = (sites.stack, sites.type, sites.n, sites.size, *short)
    for stack, type_id, *sums in zip(*(column.tolist() for column in columns), strict=True):
        row = table.setdefault(name_site(names, stack, type_id, False), [0, 0, 0, 0])
        for at, value in enumerate(sums):
            row[at] += value
    rows = [
        # If the type of a block changed, its birth counts for the first type, its end for the last.
        GarbageSite(line, n, size, min(n_short, n), min(bytes_short, size))
        for line, (n, size, n_short, bytes_short) in table.items()
        if n_short and n
    ]
    return sorted(rows, key=lambda row: (-row.n_short, row.line))


def name_site(names: TraceNames, stack: int, type_id: int, is_before: bool) -> LineName:
    """Return the line where a stack ends; for stack 0, ``BEFORE_ATTACH`` or the type's name."""
    if 0 < stack < len(names.definitions.node_location):
        return name_location(names, int(names.definitions.node_location[stack]))
    if is_before:
        return LineName(BEFORE_ATTACH, "", 0)
    return LineName(names.name_type(type_id) or UNKNOWN, "", 0)


def name_location(names: TraceNames, location: int) -> LineName:
    """Return the name of a location of the trace."""
    known = names.definitions
    function = int(known.location_function[location])
    name = known.strings[int(known.function_name[function])]
    file = known.strings[int(known.function_filename[function])]
    return LineName(name or UNKNOWN, file, int(known.location_line[location]))


def list_stack(names: TraceNames, stack: int) -> list[LineName]:
    """Return the lines of a stack, leaf first."""
    lines, known, at = [], names.definitions, stack
    while 0 < at < len(known.node_parent):
        lines.append(name_location(names, int(known.node_location[at])))
        at = int(known.node_parent[at])
    return lines
