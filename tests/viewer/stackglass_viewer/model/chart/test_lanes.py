"""How busy threads were, bin by bin."""

from __future__ import annotations

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.timed_stacks import MS, make_stretches
from stackglass_viewer.model.chart import lanes
from stackglass_viewer.model.chart.lanes import LaneActivity, measure_lanes

TEXT = "a main;f 0 10\na main;g 15 20\na main;f 30 50\nb run 0 5"


def measure(text: str, begin_ms: float, end_ms: float, n_bins: int) -> LaneActivity:
    stretches = make_stretches(text, kinds={"f": 0, "g": 1})
    span = (begin_ms * MS, end_ms * MS)
    return measure_lanes(stretches, range(stretches.n_lanes), 2, span, n_bins)


def test_shares_are_of_the_bin() -> None:
    made = measure(TEXT, 0, 50, 5)
    assert made.share[0, 0].tolist() == pytest.approx([1, 0, 0, 1, 1])  # f
    assert made.share[0, 1].tolist() == pytest.approx([0, 0.5, 0, 0, 0])  # g
    assert made.share[1, 2].tolist() == pytest.approx([0.5, 0, 0, 0, 0])  # of no kind


def test_the_function_in_the_middle_of_a_bin_is_named() -> None:
    stretches = make_stretches(TEXT)
    made = measure_lanes(stretches, range(1), 0, (0, 50 * MS), 10)
    names = [stretches.tree.frame_name[at] if at >= 0 else "" for at in made.frame[0]]
    assert names == ["f", "f", "", "g", "", "", "f", "f", "f", "f"]


def test_some_lanes_alone() -> None:
    stretches = make_stretches(TEXT)
    made = measure_lanes(stretches, range(1, 2), 0, (0, 10 * MS), 2)
    assert made.share[0, 0].tolist() == pytest.approx([1, 0])


def test_beside_all_there_is_nothing() -> None:
    made = measure(TEXT, 60, 70, 3)
    assert not made.share.any()
    assert (made.frame == -1).all()


@given(
    rows=st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), min_size=1, max_size=20),
    n_bins=st.integers(1, 40),
)
@settings(max_examples=100, deadline=None)
def test_bins_add_up_to_what_was_there(rows: list[tuple[int, int]], n_bins: int) -> None:
    now, lines, busy = 0, [], 0
    for pause, length in rows:
        now += pause
        lines.append(f"a f {now} {now + length}")
        now, busy = now + length, busy + length
    made = measure("\n".join(lines), 0, now, n_bins)
    assert float(made.share.sum()) * now / n_bins == pytest.approx(busy, rel=1e-4)
    assert np.all(made.share <= 1)


@pytest.mark.parametrize("n_rows", [1, 2, 3, 5])
def test_pieces_add_up_to_the_whole(n_rows: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = measure(TEXT, 3, 47, 7)
    monkeypatch.setattr(lanes, "_PIECE", n_rows)
    made = measure(TEXT, 3, 47, 7)
    np.testing.assert_allclose(made.share, whole.share, atol=1e-6)
    assert made.frame.tolist() == whole.frame.tolist()


def test_a_long_lane_takes_little_memory() -> None:
    n_rows = 1_000_000
    stretches = replace(
        make_stretches("a main;f 0 10"),
        lane_start=np.array([0, n_rows]),
        node=np.ones(n_rows, dtype=np.int32),
        begin_ns=np.arange(n_rows, dtype=np.int64) * 10,
        length_ns=np.full(n_rows, 5, dtype=np.uint32),
        kind=np.zeros(n_rows, dtype=np.int8),
    )
    tracemalloc.start()
    try:
        made = measure_lanes(stretches, range(1), 1, (0, 10 * n_rows), 100)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert made.share[0, 0].tolist() == pytest.approx([0.5] * 100)
    assert peak < 8 * n_rows  # not even one column of int64
