"""A span under the user's hand: drawn at once, chosen when the hand rests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.lanes.brush_hand import BrushHand

WaitUntil = Callable[[Callable[[], bool]], None]


@pytest.fixture
def hand(qt: QApplication, heard: Any) -> BrushHand:
    made = BrushHand()
    made.chosen.connect(heard.hear)
    return made


def test_a_drag_is_chosen_when_it_ends(hand: BrushHand, heard: Any) -> None:
    hand.hold(50)
    hand.drag(80)
    assert (hand.span, hand.is_held, heard.values) == ((50, 80), True, [])
    hand.drag(20)
    assert hand.span == (20, 50)
    hand.release()
    assert (hand.is_held, heard.values) == (False, [(20, 50)])


def test_a_drag_over_stretches_has_all_of_them(hand: BrushHand, heard: Any) -> None:
    hand.hold(40)
    hand.drag(60, 80)
    hand.release()
    assert heard.values == [(40, 80)]


def test_without_a_drag_nothing_is_chosen(hand: BrushHand, heard: Any) -> None:
    hand.drag(10)
    hand.release()
    hand.hold(10)
    hand.drag(10)
    hand.release()
    assert heard.values == []


def test_a_refresh_does_not_take_the_span_out_of_the_hand(hand: BrushHand) -> None:
    hand.show((1, 2))
    hand.hold(5)
    hand.drag(9)
    hand.show((3, 4))
    assert hand.span == (5, 9)
    assert hand.cancel()
    assert (hand.span, hand.is_held) == ((3, 4), False)
    assert not hand.cancel()


def test_keys_choose_when_they_rest(hand: BrushHand, heard: Any, wait_until: WaitUntil) -> None:
    hand.draw((1, 2))
    hand.draw((2, 3))
    assert (hand.span, heard.values) == ((2, 3), [])
    hand.show(None)
    assert hand.span == (2, 3), "keys are not done"
    wait_until(lambda: bool(heard.values))
    assert heard.values == [(2, 3)]
    hand.show(None)
    assert hand.span is None
