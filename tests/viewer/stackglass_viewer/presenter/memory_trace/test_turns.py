"""Turns at a trace."""

from __future__ import annotations

from stackglass_viewer.presenter.memory_trace.turns import Turns


def test_a_drawing_gives_way_while_anything_is_asked() -> None:
    turns = Turns()
    assert not turns.is_wanted
    with turns.ask():
        with turns.ask():
            pass
        assert turns.is_wanted
    assert not turns.is_wanted
