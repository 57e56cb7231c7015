"""Tables of rows in two, and in few parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int64s
from stackglass_viewer.model.columns.partition import append_table, split_tables


@dataclass(frozen=True)
class Table:
    time: Int64s

    def __len__(self) -> int:
        return len(self.time)

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


def join(tables: Sequence[Table]) -> Table:
    return Table(np.concatenate([table.time for table in tables]))


def test_a_few_rows_at_a_time_make_few_tables_in_their_order() -> None:
    tables: list[Table] = []
    for time in range(1000):
        append_table(tables, Table(np.array([time])), join)
        assert len(tables) <= 1 + np.log2(time + 1)
    assert join(tables).time.tolist() == list(range(1000))


def test_tables_that_were_handed_out_stay_as_they_are() -> None:
    tables: list[Table] = []
    append_table(tables, Table(np.arange(3)), join)
    handed_out = list(tables)
    append_table(tables, Table(np.arange(3)), join)
    assert [len(table) for table in handed_out] == [3]
    assert [len(table) for table in tables] == [6]


def test_large_tables_are_not_copied_for_each_other() -> None:
    large = Table(np.zeros(60_000, dtype=np.int64))
    tables = [large]
    append_table(tables, Table(np.zeros(40_000, dtype=np.int64)), join)
    assert [len(table) for table in tables] == [60_000, 40_000]
    assert tables[0] is large
