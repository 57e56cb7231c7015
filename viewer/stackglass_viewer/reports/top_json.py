"""Table of functions for JSON: exact integers in the profile's own units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stackglass_viewer.model.columns.index import Int64s, TypeId
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.reports.callers import Callers
from stackglass_viewer.reports.header import describe_header

Scale = Callable[[int], int]


def describe_top(
    profile: Profile | FunctionTable,
    name: str,
    chosen: TypeId,
    table: TopTable,
    rows: Int64s,
    scale: Scale = int,
) -> dict[str, Any]:
    """Return the document. ``name``: the file's name; ``scale`` divides a value, for
    ``--divide-by``. Unknown values are null, unknown lines 0."""
    document = describe_header(profile, name, chosen, table.unit, scale(table.total))
    listed = [_describe_row(table, row, scale) for row in rows.tolist()]
    if isinstance(profile, FunctionTable):
        cost = profile.find_cost(chosen)
        callers = Callers(profile, cost)
        for entry, row in zip(listed, rows.tolist(), strict=True):
            entry["calls"] = _or_none(profile.n_calls[row])
            entry["primitive_calls"] = _or_none(profile.n_primitive_calls[row])
            entry["callers"] = [
                _describe_edge(profile, cost, edge, scale)
                for edge in callers.list_edges(row).tolist()
            ]
    return {**document, "rows": listed}


def _describe_row(table: TopTable, row: int, scale: Scale) -> dict[str, Any]:
    return {
        "name": table.name[row],
        "file": table.file[row],
        "line": 0 if table.line is None else int(table.line[row]),
        "flat": scale(int(table.flat[row])),
        "cum": scale(int(table.cum[row])),
    }


def _describe_edge(table: FunctionTable, cost: int, edge: int, scale: Scale) -> dict[str, Any]:
    caller = table.edge_caller[edge]
    own, total = (_or_none(each[cost, edge]) for each in (table.edge_own, table.edge_total))
    unit = "_ns" if table.sample_types[cost].unit == "nanoseconds" else ""
    return {
        "name": table.name[caller],
        "file": table.file[caller],
        "line": int(table.line[caller]),
        "calls": _or_none(table.edge_n_calls[edge]),
        "primitive_calls": _or_none(table.edge_n_primitive_calls[edge]),
        f"flat{unit}": None if own is None else scale(own),
        f"cum{unit}": None if total is None else scale(total),
    }


def _or_none(value: int) -> int | None:
    """Return a column's value; None for −1, which stands for unknown."""
    return int(value) if value >= 0 else None
