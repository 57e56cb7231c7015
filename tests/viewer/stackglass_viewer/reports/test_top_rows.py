"""Order of rows; whole reports are compared with pprof's in tests/contract."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.reports.top_rows import order_rows

ROWS = {"a": (0, 9), "b": (-5, 5), "c": (5, -7), "d": (5, 7), "e": (1, 9)}


def list_names(wanted: str, *, is_by_cum: bool) -> str:
    names = tuple(ROWS)
    flat, cum = (np.array([values[i] for values in ROWS.values()]) for i in (0, 1))
    table = TopTable(names, names, flat, cum, None, 20, "ns")
    rows = np.array([names.index(name) for name in wanted])
    return "".join(names[row] for row in order_rows(table, rows, is_by_cum=is_by_cum).tolist())


def test_by_flat_then_by_cum_then_by_name() -> None:
    assert list_names("edcba", is_by_cum=False) == "cdbea"


def test_by_cum_then_by_flat_then_by_name() -> None:
    assert list_names("edcba", is_by_cum=True) == "eacdb"


def test_only_the_rows_that_were_chosen() -> None:
    assert list_names("be", is_by_cum=True) == "eb"
    assert list_names("", is_by_cum=True) == ""
