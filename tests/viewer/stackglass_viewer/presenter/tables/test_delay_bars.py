"""Histogram of delays and waiting per second, as they are painted."""

from __future__ import annotations

import numpy as np
import pytest

from stackglass_viewer.model.contention.table import DelayHistogram
from stackglass_viewer.model.contention.wait_rate import WaitingSeries
from stackglass_viewer.presenter.tables.delay_bars import describe_delays, describe_strip


def test_few_classes_get_neighbours_without_waits() -> None:
    bars = describe_delays("All", DelayHistogram(20, np.array([3, 12])), is_file=False).bars
    assert [bar.count for bar in bars] == [0, 0, 0, 3, 12, 0, 0, 0]
    assert [bar.size for bar in bars] == list(range(17, 25))
    assert (bars[3].label, bars[3].share, bars[3].about) == ("1 ms", 0.25, "1.05 ms … 2.10 ms: 3")


def test_no_class_lies_below_a_nanosecond() -> None:
    bars = describe_delays("All", DelayHistogram(1, np.array([5])), is_file=False).bars
    assert [bar.size for bar in bars] == list(range(8))
    assert [bar.count for bar in bars] == [0, 5, 0, 0, 0, 0, 0, 0]


def test_where_only_totals_are_known_a_sentence_says_so() -> None:
    assert describe_delays("x", None, is_file=True).about.startswith("Files have only totals")
    assert describe_delays("x", None, is_file=False).about.startswith("Single threads")
    assert describe_delays("x", DelayHistogram(0, np.zeros(0, np.int64)), False).bars == ()


def test_a_strip_has_the_last_seconds() -> None:
    strip = describe_strip(WaitingSeries(60, np.array([9.0, 0.0, 1.5])), 2)
    assert [bar.about for bar in strip.bars] == ["1:01: no waits", "1:02: 1.50 s waited"]
    assert (strip.top, strip.top_text, strip.about) == (2.0, "2 s/s", "last 2 s")


@pytest.mark.parametrize(
    ("most", "top"), [(0.0, 1.0), (0.04, 0.05), (1.0, 1.0), (2.1, 5.0), (7.0, 10.0)]
)
def test_the_scale_ends_at_a_round_number(most: float, top: float) -> None:
    strip = describe_strip(WaitingSeries(0, np.array([most])), 300)
    assert strip.top == pytest.approx(top)
    assert strip.about == "last 5 min"
