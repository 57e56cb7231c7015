"""Table of functions as lines of text."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from stackglass_viewer.model.columns.index import Int64s, TypeId
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.reports.amounts import format_share
from stackglass_viewer.reports.callers import Callers


def write_top(
    table: TopTable,
    rows: Int64s,
    show: Callable[[int, str], str],
    counted: FunctionTable | None,
    callers_of: TypeId | None,
) -> Iterator[str]:
    """Return the lines of a table.

    ``show`` formats a value of a unit. ``counted``: the same table, if it is of a file with calls
    and no stacks. ``callers_of``: the sample type of the callers below each row; None = no callers.
    """
    calls = f"{'calls':>12} " if counted is not None and counted.has_calls else ""
    yield f"{'flat':>10} {'flat%':>7} {'sum%':>7} {'cum':>10} {'cum%':>7} {calls} name"
    if not len(rows):
        yield "no rows are left" if table.total else "no samples of this type"
    cost, callers = 0, None
    if counted is not None and callers_of is not None:
        cost = counted.find_cost(callers_of)
        callers = Callers(counted, cost)
    passed = 0
    for row in rows.tolist():
        flat, cum = int(table.flat[row]), int(table.cum[row])
        passed += flat
        number = f"{_describe_calls(counted, row):>12} " if calls and counted is not None else ""
        yield (
            f"{show(flat, table.unit):>10} {format_share(flat, table.total):>7} "
            f"{format_share(passed, table.total):>7} "
            f"{show(cum, table.unit):>10} {format_share(cum, table.total):>7} {number} "
            f"{_place(table, row, counted is not None)}"
        )
        if callers is not None and counted is not None:
            for edge in callers.list_edges(row).tolist():
                yield _write_caller(counted, cost, edge, show, has_calls=bool(calls))


def _describe_calls(table: FunctionTable, row: int) -> str:
    """Return the number of calls as pstats does: all, and after a slash those that are not
    recursive."""
    calls, primitive = int(table.n_calls[row]), int(table.n_primitive_calls[row])
    return _count(calls) if calls == primitive else f"{_count(calls)}/{_count(primitive)}"


def _count(calls: int) -> str:
    return str(calls) if calls >= 0 else "?"


def _place(table: TopTable, row: int, has_place: bool) -> str:
    """Return the name; with file and line if several functions may have this name."""
    if not has_place:
        return make_printable(table.name[row])
    line = 0 if table.line is None else int(table.line[row])
    return _locate(table.name[row], table.file[row], line)


def _locate(name: str, file: str, line: int) -> str:
    """Return name, file and line. They come from files, so control characters are replaced."""
    place = f"  {file}:{line}" if file and line else f"  {file}" if file else ""
    return make_printable(name + place)


def _write_caller(
    table: FunctionTable, cost: int, edge: int, show: Callable[[int, str], str], *, has_calls: bool
) -> str:
    caller = table.edge_caller[edge]
    value = int(table.edge_total[cost, edge])
    spent = show(value, table.sample_types[cost].unit) if value >= 0 else "?"
    number = f"{_count(int(table.edge_n_calls[edge])):>12} " if has_calls else ""
    name = _locate(table.name[caller], table.file[caller], int(table.line[caller]))
    return f"{spent:>37} {'':>7} {number}   from {name}"
