"""Table of functions for JSON: exact integers in the profile's own units."""

from __future__ import annotations

from typing import Any

from stackglass_viewer.model.columns.index import Int64s, TypeId
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.reports.callers import Callers
from stackglass_viewer.reports.header import describe_header


def describe_top(
    profile: Profile | FunctionTable, name: str, chosen: TypeId, table: TopTable, rows: Int64s
) -> dict[str, Any]:
    """Return the document. ``name``: the file's name. Unknown values are null, unknown lines 0."""
    document = describe_header(profile, name, chosen, table.unit, table.total)
    listed = [_describe_row(table, row) for row in rows.tolist()]
    if isinstance(profile, FunctionTable):
        cost = profile.find_cost(chosen)
        callers = Callers(profile, cost)
        for entry, row in zip(listed, rows.tolist(), strict=True):
            entry["calls"] = _or_none(profile.n_calls[row])
            entry["primitive_calls"] = _or_none(profile.n_primitive_calls[row])
            entry["callers"] = [
                _describe_edge(profile, cost, edge) for edge in callers.list_edges(row).tolist()
            ]
    return {**document, "rows": listed}


def _describe_row(table: TopTable, row: int) -> dict[str, Any]:
    return {
        "name": table.name[row],
        "file": table.file[row],
        "line": 0 if table.line is None else int(table.line[row]),
        "flat": int(table.flat[row]),
        "cum": int(table.cum[row]),
    }


def _describe_edge(table: FunctionTable, cost: int, edge: int) -> dict[str, Any]:
    caller = table.edge_caller[edge]
    unit = "_ns" if table.sample_types[cost].unit == "nanoseconds" else ""
    return {
        "name": table.name[caller],
        "file": table.file[caller],
        "line": int(table.line[caller]),
        "calls": _or_none(table.edge_n_calls[edge]),
        "primitive_calls": _or_none(table.edge_n_primitive_calls[edge]),
        f"flat{unit}": _or_none(table.edge_own[cost, edge]),
        f"cum{unit}": _or_none(table.edge_total[cost, edge]),
    }


def _or_none(value: int) -> int | None:
    """Return a column's value; None for −1, which stands for unknown."""
    return int(value) if value >= 0 else None
