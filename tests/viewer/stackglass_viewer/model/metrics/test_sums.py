"""Sums at moments, and the averages between them."""

from __future__ import annotations

import numpy as np
import pytest

from stackglass_viewer.model.metrics.sums import GrowingSums, average

S = 1_000_000_000


def add_seconds(sums: GrowingSums, n: int) -> None:
    """One thread always, and two more from second 10 on."""
    for second in range(n):
        sums.add(second * S, (second * S, max(second - 10, 0) * 2 * S))


def test_averages_are_what_was_added_divided_by_the_time() -> None:
    sums = GrowingSums(2)
    add_seconds(sums, 21)
    middles, (one, more) = average(sums.view(), 0, 20 * S, 100)
    assert middles.tolist() == [(second + 0.5) * S for second in range(20)]
    assert one.tolist() == [1.0] * 20
    assert more.tolist() == [0.0] * 10 + [2.0] * 10


def test_few_pixels_make_few_averages_of_the_same_sum() -> None:
    sums = GrowingSums(2)
    add_seconds(sums, 1001)
    middles, (one, more) = average(sums.view(), 0, 1000 * S, 10)
    assert len(middles) <= 12
    assert one == pytest.approx(1.0)
    assert more[1:] == pytest.approx(2.0)


def test_lines_reach_the_edges_of_a_span() -> None:
    sums = GrowingSums(2)
    add_seconds(sums, 21)
    middles, _ = average(sums.view(), 5.2 * S, 6.8 * S, 100)
    assert (middles[0], middles[-1]) == (5.5 * S, 6.5 * S)


@pytest.mark.parametrize("n", [0, 1])
def test_one_moment_has_no_average(n: int) -> None:
    sums = GrowingSums(2)
    add_seconds(sums, n)
    middles, averages = average(sums.view(), 0, 10 * S, 100)
    assert (len(middles), averages.shape) == (0, (2, 0))


def test_a_moment_that_came_before_counts_nothing() -> None:
    sums = GrowingSums(1)
    sums.add(2 * S, (5,))
    sums.add(2 * S, (9,))
    sums.add(1 * S, (9,))
    assert sums.view().time_ns.tolist() == [2 * S]


def test_sums_that_fall_begin_anew() -> None:
    """An engine forgets them when the last client that wanted them has left."""
    sums = GrowingSums(2)
    add_seconds(sums, 5)
    sums.add(9 * S, (S, 0))
    sums.add(10 * S, (2 * S, 0))
    assert sums.view().time_ns.tolist() == [9 * S, 10 * S]


def test_a_long_session_keeps_every_other_moment_of_its_older_half() -> None:
    sums = GrowingSums(2, max_moments=100)
    add_seconds(sums, 1000)
    seen = sums.view()
    assert len(seen.time_ns) <= 101
    assert (np.diff(seen.time_ns) > 0).all()
    assert seen.time_ns[0] == 0
    _, (one, more) = average(seen, 0, 1000 * S, 1000)
    assert one == pytest.approx(1.0)
    assert more[-1] == 2.0


def test_what_was_handed_out_does_not_change() -> None:
    sums = GrowingSums(1)
    sums.add(S, (1,))
    before = sums.view()
    sums.add(2 * S, (2,))
    assert before.values[0].tolist() == [1]
