"""Order of the rows of a table of functions."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.graph.top import TopTable


def order_rows(table: TopTable, rows: Int64s, *, is_by_cum: bool) -> Int64s:
    """Return the rows, the largest first, then by the other column, then by name."""
    first, second = (table.cum, table.flat) if is_by_cum else (table.flat, table.cum)
    by_name = sorted(rows.tolist(), key=lambda row: table.name[row])
    named = np.array(by_name, dtype=np.int64)
    return named[np.lexsort((-np.abs(second[named]), -np.abs(first[named])))]
