"""How busy threads were, bin by bin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.timed_stacks import MS, make_stretches
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
