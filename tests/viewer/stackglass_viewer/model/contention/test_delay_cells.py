"""Waits by size: cells that are counted anew, subtracted, summed."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.downsampling import AgedRows, make_rows
from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.columns.packed_table import Tables
from stackglass_viewer.model.contention.delay_cells import (
    N_DELAYS,
    NO_CELLS,
    DelayCells,
    bound_longest,
    sum_cells,
)


def column(*values: int) -> Int64s:
    return np.array(values, dtype=np.int64)


def cell(bucket: int, size: int) -> int:
    return bucket * N_DELAYS + size


def count(cells: DelayCells) -> dict[tuple[int, int], int]:
    """By bucket and class."""
    pairs = zip(cells.cell.tolist(), cells.count.tolist(), strict=True)
    return {divmod(each, N_DELAYS): n for each, n in pairs}


def make(**counts: int) -> DelayCells:
    """Cells by names such as ``b2_20``."""
    names = [tuple(map(int, name[1:].split("_"))) for name in counts]
    cells = column(*(cell(bucket, size) for bucket, size in names))
    return NO_CELLS.set_counts(cells, column(*counts.values()))[0]


def test_new_cells_stand_in_order_and_known_ones_get_the_new_count() -> None:
    first = make(b2_20=7, b0_23=1)
    second, more = first.set_counts(column(cell(2, 20), cell(0, 20)), column(9, 2))
    assert count(second) == {(0, 20): 2, (0, 23): 1, (2, 20): 9}
    assert list(count(second)) == sorted(count(second))
    assert more.tolist() == [2, 2]
    assert count(first) == {(0, 23): 1, (2, 20): 7}  # what was handed out stays


def test_of_a_cell_that_is_given_twice_the_last_count_holds() -> None:
    made, more = make(b1_10=3).set_counts(column(cell(1, 10), cell(1, 10)), column(4, 6))
    assert count(made) == {(1, 10): 6}
    assert more.sum() == 3


def test_cells_that_came_since() -> None:
    earlier = make(b0_20=2, b3_30=1)
    now, _ = earlier.set_counts(column(cell(0, 20), cell(1, 5)), column(5, 1))
    assert count(now.subtract(earlier)) == {(0, 20): 3, (1, 5): 1, (3, 30): 0}


def test_the_largest_class_with_any_waits() -> None:
    earlier = make(b0_20=2, b0_23=1, b2_63=4, b3_0=1)
    cells, _ = earlier.set_counts(column(cell(0, 23)), column(0))
    top, n_top = cells.find_top(column(3, 0, 1, 2, 9))
    assert top.tolist() == [0, 20, -1, 63, -1]
    assert n_top.tolist() == [1, 2, 0, 4, 0]
    assert NO_CELLS.find_top(column(0, 1))[0].tolist() == [-1, -1]
    assert bound_longest(top).tolist() == [2, 1 << 21, 0, 1 << 62, 0]


def test_groups_of_buckets_have_the_waits_of_all_of_theirs() -> None:
    cells = make(b0_20=2, b1_20=3, b1_21=1, b2_20=100, b4_20=1000)
    sums = cells.sum_groups(column(1, 0, 2, 7), column(0, 0, -1, 1), 2)
    assert sums.shape == (2, N_DELAYS)
    assert sums[0, 20:22].tolist() == [5, 1]
    assert sums.sum() == 6  # bucket 7 has none, bucket 2 is in no group, bucket 4 in no question
    assert NO_CELLS.sum_groups(column(), column(), 0).shape == (0, N_DELAYS)


def test_cells_of_a_span() -> None:
    def rows(until: int, bucket: int, n: int) -> AgedRows:
        made = np.array([until], np.int32), np.array([bucket], np.int32), np.zeros(1, np.int32)
        return make_rows(*made, column(n)[None, :])

    tables = [rows(10, 5, 1), rows(20, 5, 2), rows(20, 3, 4), rows(30, 5, 8)]
    found = sum_cells(Tables(tables), 10, 20)
    assert found.cell.tolist() == [3, 5]
    assert found.count.tolist() == [4, 2]
    assert sum_cells(Tables(tables), 10, None).count.tolist() == [4, 10]
    assert sum_cells(Tables(), 0, None).cell.tolist() == []
