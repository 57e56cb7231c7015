"""Rows that get coarser with age: nothing is lost, and what is known of when is said."""

from __future__ import annotations

import random

import numpy as np

from stackglass_viewer.model.columns.downsampling import (
    AgedRows,
    AgingRows,
    fold,
    make_rows,
    sum_between,
)
from stackglass_viewer.model.columns.packed_table import Tables

S = 100  # units


def rows(*table: tuple[int, int, int, int]) -> AgedRows:
    """(until, bucket, thread, value); a second value is ten times the first."""
    until, bucket, tid, value = zip(*table, strict=True)
    first = np.array(value, dtype=np.int64)
    return make_rows(
        np.array(until, dtype=np.int32),
        np.array(bucket, dtype=np.int32),
        np.array(tid, dtype=np.int32),
        np.stack((first, first * 10)),
    )


def total(log: AgingRows, n_buckets: int = 4) -> list[list[int]]:
    sums: list[list[int]] = sum_between(log.list_tables(), n_buckets, 2, None, None).tolist()
    return sums


def test_folding_adds_up_what_has_bucket_thread_and_span_in_common() -> None:
    folded = fold(
        rows((150, 1, 7, 1), (101, 1, 7, 2), (200, 1, 7, 4), (201, 1, 7, 8), (150, 1, 9, 16)), S
    )
    assert folded.until.tolist() == [200, 200, 300]
    assert folded.tid.tolist() == [7, 9, 7]
    assert folded.values.tolist() == [[7, 16, 8], [70, 160, 80]]


def test_a_span_begins_behind_a_moment_and_ends_with_one() -> None:
    table = rows((10, 0, 7, 1), (20, 1, 7, 2), (30, 0, 9, 4))
    assert sum_between(Tables([table]), 2, 2, 10, 30).tolist() == [[4, 2], [40, 20]]
    assert sum_between(Tables([table]), 2, 2, None, 20).tolist() == [[1, 2], [10, 20]]
    assert sum_between(Tables([table]), 2, 2, None, None, frozenset([9])).tolist() == [
        [4, 0],
        [40, 0],
    ]


def test_a_day_is_kept_and_nothing_is_lost() -> None:
    log, sums = AgingRows(), np.zeros(4, dtype=np.int64)
    for second in range(0, 100_000, 200):
        bucket = second // 25_000
        sums[bucket] += second
        log.add(rows((second * S + 50, bucket, 7, second)), second * S + 60)
    assert total(log) == [sums.tolist(), (sums * 10).tolist()]
    assert log.n_rows < 470
    assert log.span_at(100_000 * S) == 1
    assert log.span_at(99_700 * S) == S
    assert log.span_at(97_000 * S) == 10 * S
    assert log.span_at(90_000 * S) == 60 * S
    assert log.span_at(1000 * S) == 600 * S


def test_moments_that_are_known_stay_exact() -> None:
    log = AgingRows()
    for second in range(2000):
        log.add(rows((second * S + 37, 0, 7, 1)), second * S + 40)
    for moment in (600 * S, 1500 * S, 1950 * S):
        assert moment % log.span_at(moment) == 0
        until = sum_between(log.list_tables(), 1, 2, None, moment)
        assert until[0].tolist() == [moment // S]


def test_there_are_never_more_rows_than_allowed() -> None:
    log, chance = AgingRows(max_rows=50), random.Random(1)
    n_added = 0
    for second in range(3000):
        log.add(
            rows(*((second * S + 10 * k, chance.randrange(4), 7, 1) for k in range(4))),
            second * S + 40,
        )
        n_added += 4
        assert log.n_rows <= 5 * 50 + 4
    assert sum(total(log)[0]) == n_added
    assert sum(sum_between(log.list_tables(), 4, 2, None, 2999 * S + 40)[0]) == n_added


def test_late_reports_count() -> None:
    log = AgingRows()
    log.add(rows((1000 * S, 0, 7, 1)), 1000 * S)
    log.add(rows((10 * S, 0, 7, 2)), 1000 * S)
    log.add(rows((1200 * S, 0, 7, 4)), 1200 * S)
    assert sum_between(log.list_tables(), 1, 2, None, 100 * S)[0].tolist() == [2]
    assert total(log, 1)[0] == [7]


def test_what_is_old_takes_less_room_and_is_the_same() -> None:
    """All but the first age are packed: spans that end in old time, and threads, count as ever."""
    log, chance = AgingRows(), random.Random(2)
    known: list[tuple[int, int, int, int]] = []
    for second in range(0, 3000, 5):
        added = [(second * S + 1, chance.randrange(4), 7 + chance.randrange(2), 2**33)]
        known += added
        log.add(rows(*added), second * S + 60)
    for tids in (None, frozenset([8])):
        for after, until in ((None, None), (None, 1500 * S), (500 * S, None), (500 * S, 1500 * S)):
            expected = [0] * 4
            for time, bucket, tid, value in known:
                is_in = (after is None or time > after) and (until is None or time <= until)
                expected[bucket] += value * (is_in and (tids is None or tid in tids))
            found = sum_between(log.list_tables(), 4, 2, after, until, tids)
            assert found.tolist() == [expected, [10 * each for each in expected]]
