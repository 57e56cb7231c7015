"""Windows of the timeline: which values they fit, and how a span is written."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.presenter.live.time_range import fits_window, say_span
from stackglass_viewer.presenter.settings.sample_choice import HeapChoice

GROWTH, SPAN = HeapWindow("growth", 100, None), HeapWindow("span", 100, 200)


@pytest.mark.parametrize(
    ("choice", "fitting"),
    [(HeapChoice(True), [GROWTH]), (HeapChoice(False), [SPAN]), (None, [SPAN])],
    ids=["in use", "allocated", "cpu"],
)
def test_growth_is_of_what_is_in_use(choice: HeapChoice | None, fitting: list[HeapWindow]) -> None:
    assert [window for window in (GROWTH, SPAN) if fits_window(choice, window)] == fitting


def test_a_span_is_written_in_minutes_and_seconds() -> None:
    assert say_span(1230, 6500) == "from 0:12.3 to 1:05"
    assert say_span(1880, 1882) == "from 0:18.80 to 0:18.82", "the tenths are the same"
    assert say_span(1880, 1880) == "from 0:18.8 to 0:18.8"
