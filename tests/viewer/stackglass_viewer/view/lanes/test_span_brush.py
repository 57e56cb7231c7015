"""A span under the user's hand: drawn at once, chosen when the hand rests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.lanes.span_brush import SpanBrush

WaitUntil = Callable[[Callable[[], bool]], None]


@pytest.fixture
def brush(qt: QApplication, heard: Any) -> SpanBrush:
    made = SpanBrush()
    made.chosen.connect(heard.hear)
    return made


def test_a_drag_is_chosen_when_it_ends(brush: SpanBrush, heard: Any) -> None:
    brush.hold(50)
    brush.drag(80)
    assert (brush.span, brush.is_held, heard.values) == ((50, 80), True, [])
    brush.drag(20)
    assert brush.span == (20, 50)
    brush.release()
    assert (brush.is_held, heard.values) == (False, [(20, 50)])


def test_a_drag_over_stretches_has_all_of_them(brush: SpanBrush, heard: Any) -> None:
    brush.hold(40)
    brush.drag(60, 80)
    brush.release()
    assert heard.values == [(40, 80)]


def test_without_a_drag_nothing_is_chosen(brush: SpanBrush, heard: Any) -> None:
    brush.drag(10)
    brush.release()
    brush.hold(10)
    brush.drag(10)
    brush.release()
    assert heard.values == []


def test_a_refresh_does_not_take_the_span_out_of_the_hand(brush: SpanBrush) -> None:
    brush.show((1, 2))
    brush.hold(5)
    brush.drag(9)
    brush.show((3, 4))
    assert brush.span == (5, 9)
    assert brush.cancel()
    assert (brush.span, brush.is_held) == ((3, 4), False)
    assert not brush.cancel()


def test_keys_before_a_drag_do_not_end_the_drag(
    brush: SpanBrush, heard: Any, wait_until: WaitUntil
) -> None:
    later = SpanBrush()
    later.chosen.connect(heard.hear)
    brush.draw((1, 2))
    brush.hold(5)
    brush.drag(9)
    later.draw((3, 4))
    wait_until(lambda: bool(heard.values))
    assert heard.values == [(3, 4)], "the later keys rested, so the earlier ones had"
    assert (brush.span, brush.is_held) == ((5, 9), True)


def test_keys_choose_when_they_rest(brush: SpanBrush, heard: Any, wait_until: WaitUntil) -> None:
    brush.draw((1, 2))
    brush.draw((2, 3))
    assert (brush.span, heard.values) == ((2, 3), [])
    brush.show(None)
    assert brush.span == (2, 3), "keys are not done"
    wait_until(lambda: bool(heard.values))
    assert heard.values == [(2, 3)]
    brush.show(None)
    assert brush.span is None
