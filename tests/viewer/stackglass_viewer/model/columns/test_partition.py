"""Tables of rows in two."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int64s
from stackglass_viewer.model.columns.partition import split_tables


@dataclass(frozen=True)
class Table:
    time: Int64s

    def choose(self, which: Bools) -> Table:
        return Table(self.time[which])


def test_only_what_is_both_is_cut() -> None:
    old, both, young = (Table(np.array(time)) for time in ([1, 2], [4, 1, 3], [5]))
    tables = [old, both, young]
    chosen, others = split_tables(tables, [table.time < 4 for table in tables])
    assert chosen[0] is old
    assert others[-1] is young
    assert [table.time.tolist() for table in chosen] == [[1, 2], [1, 3]]
    assert [table.time.tolist() for table in others] == [[4], [5]]


def test_nothing() -> None:
    assert split_tables(list[Table](), []) == ([], [])
