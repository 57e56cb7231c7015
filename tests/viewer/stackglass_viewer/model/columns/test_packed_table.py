"""Packed tables: rows as they were, and tables of another time left alone."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.downsampling import AgedRows, make_rows
from stackglass_viewer.model.columns.packed_table import PackedTable, Tables, pack_table


def make(*times: int) -> AgedRows:
    until = np.array(times, dtype=np.int32)
    return make_rows(until, until + 1, until * 0, np.stack((until, until * 2)).astype(np.int64))


def list_times(tables: Tables[AgedRows], first: int, last: int) -> list[list[int]]:
    return [table.until.tolist() for table in tables.list_near(first, last)]


def test_a_table_comes_back_with_all_its_columns() -> None:
    table = make(3, 1, 300)
    packed = pack_table(table)
    again = packed.unpack()
    assert isinstance(again, AgedRows)
    assert (len(packed), packed.time.tolist()) == (3, [3, 1, 300])
    for name in ("until", "bucket", "tid", "values"):
        assert getattr(again, name).tolist() == getattr(table, name).tolist()
        assert getattr(again, name).dtype == getattr(table, name).dtype


def test_chosen_rows_are_packed_again() -> None:
    chosen = pack_table(make(3, 1, 300)).choose(np.array([True, True, False]))
    assert isinstance(chosen, PackedTable)
    assert chosen.unpack().values.tolist() == [[3, 1], [6, 2]]
    assert not chosen.is_between(4, 400)


def test_tables_come_in_their_order_packed_or_not() -> None:
    tables = Tables([make(5)], [pack_table(make(1, 2)), pack_table(make(8))])
    assert [table.until.tolist() for table in tables] == [[5], [1, 2], [8]]
    assert [table.until.tolist() for table in tables] == [[5], [1, 2], [8]]  # once more
    assert tables.n_rows == 4
    assert list(Tables[AgedRows]()) == []


def test_tables_of_another_time_stay_packed() -> None:
    tables = Tables([pack_table(make(1, 3))], [pack_table(make(4, 9))], [make(100)])
    assert list_times(tables, 3, 3) == [[1, 3], [100]]  # what is not packed is not looked into
    assert list_times(tables, 2, 2) == [[1, 3], [100]]
    assert list_times(tables, 4, 50) == [[4, 9], [100]]
    assert list_times(tables, 3, 4) == [[1, 3], [4, 9], [100]]
    assert list_times(tables, 10, 20) == [[100]]
    assert list_times(tables, 0, 0) == [[100]]
