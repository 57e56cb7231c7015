"""Rows that are replaced one by one, at any moment of a session."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.live.row_history import RowHistory

_ROW_BYTES = 4 * 8


def change(**counts: int) -> Int64s:
    """``r1=5``: row 1 has 5."""
    rows = [(int(name[1:]), 0, 0, count) for name, count in counts.items()]
    return np.array(rows, dtype=np.int64).reshape(-1, 4).T


def read(history: RowHistory, until_ns: int) -> dict[int, int]:
    number, _, _, count = history.find(until_ns)
    return dict(zip(number.tolist(), count.tolist(), strict=True))


def test_the_last_of_each_row_up_to_a_moment() -> None:
    history = RowHistory()
    assert read(history, 100) == {}
    history.add(10, change(r0=1, r1=2))
    history.add(20, change(r1=3))
    history.add(30, change(r0=0, r2=7))
    assert [read(history, at) for at in (9, 10, 19, 20, 29, 30, 99)] == [
        {},
        {0: 1, 1: 2},
        {0: 1, 1: 2},
        {0: 1, 1: 3},
        {0: 1, 1: 3},
        {0: 0, 1: 3, 2: 7},
        {0: 0, 1: 3, 2: 7},
    ]


def test_a_session_of_any_length_takes_so_much_memory() -> None:
    """Old time gets coarser; what is known of a moment is what was then."""
    history = RowHistory(most_bytes=10 * _ROW_BYTES)
    for at in range(1, 1001):
        history.add(at, change(r0=at, **{f"r{1 + at % 3}": at}))
        assert sum(each.nbytes for each in history._changes) <= 10 * _ROW_BYTES
        assert read(history, at)[0] == at
    assert 1 < len(history) <= 10
    for until in range(0, 1100, 50):
        known = read(history, until)
        assert known.get(0, 0) <= until
        assert all(count <= known[0] for count in known.values())


def test_rows_that_take_more_than_the_bound_have_a_history_again() -> None:
    history = RowHistory(most_bytes=_ROW_BYTES)
    for row in range(20):
        history.add(row, change(**{f"r{row}": 1}))
    whole = read(history, 20)
    assert whole == dict.fromkeys(range(20), 1)
    history.add(30, change(r0=2))
    history.add(40, change(r0=3))
    assert [read(history, at)[0] for at in (20, 30, 40)] == [1, 2, 3]


def test_time_never_falls() -> None:
    """Also of a damaged file: the search rests on it."""
    history = RowHistory()
    for at, count in ((50, 1), (10, 2), (60, 3)):
        history.add(at, change(r0=count))
    history.add(70, change())
    assert (read(history, 49), read(history, 50), read(history, 60)) == ({}, {0: 2}, {0: 3})
    assert len(history) == 3
