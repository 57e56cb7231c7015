"""Function tables as dictionaries that a test can compare."""

from __future__ import annotations

from stackglass_viewer.model.profile.pstats_table import FunctionTable


def list_functions(
    table: FunctionTable,
) -> dict[tuple[str, str, int], tuple[int, list[int], list[int]]]:
    """Map (name, file, line) to (calls, own costs, total costs)."""
    places = zip(table.name, table.file, table.line.tolist(), strict=True)
    values = zip(table.n_calls.tolist(), table.own.T.tolist(), table.total.T.tolist(), strict=True)
    return dict(zip(places, values, strict=True))


def list_edges(table: FunctionTable) -> dict[tuple[str, str], tuple[int, list[int]]]:
    """Map (caller, callee) to (calls, costs of these calls)."""
    names = table.name
    pairs = [
        (names[caller], names[callee])
        for caller, callee in zip(table.edge_caller, table.edge_callee, strict=True)
    ]
    values = zip(table.edge_n_calls.tolist(), table.edge_total.T.tolist(), strict=True)
    return dict(zip(pairs, values, strict=True))
