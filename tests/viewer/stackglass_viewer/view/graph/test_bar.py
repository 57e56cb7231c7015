"""Bar below a call graph: its lists are made step by step, and shown together."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from pytestqt.qtbot import QtBot

from stackglass_viewer.model.graph.graph_trim import GraphLimits
from stackglass_viewer.view.graph.bar import GraphBar
from stackglass_viewer.view.widgets.choice_box import ChoiceBox

pytestmark = pytest.mark.gui


def test_each_list_is_made_in_a_step_of_its_own(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of them take longer than the view, which is shown before. They are shown together."""
    steps: list[Callable[[], None]] = []
    monkeypatch.setattr(
        "stackglass_viewer.view.graph.bar.QTimer.singleShot", lambda *step: steps.append(step[-1])
    )
    bar = GraphBar()
    qtbot.addWidget(bar)
    bar.resize(1000, 40)
    bar.show()
    bar.say("nothing yet")
    counts = []
    while steps:
        boxes = bar.findChildren(ChoiceBox)
        assert not any(box.isVisible() for box in boxes)
        counts.append(len(boxes))
        bar.hide()  # Qt would show what is made now with the bar
        steps.pop()()
        bar.show()
    assert counts == [0, 1, 2, 3]
    assert all(part.isVisible() for pair in bar._parts for part in pair)
    assert all(box.accessibleName() for box in bar.findChildren(ChoiceBox))
    assert bar.limits == GraphLimits()


def test_captions_are_left_out_where_there_is_no_room(qtbot: QtBot) -> None:
    bar = GraphBar()
    qtbot.addWidget(bar)
    bar.resize(200, 40)
    bar.show()
    qtbot.waitUntil(lambda: len(bar._parts) == 3 and bar._parts[0][1].isVisible())
    assert [label.isHidden() for label, _ in bar._parts] == [True] * 3
    bar.resize(1000, 40)
    assert [label.isHidden() for label, _ in bar._parts] == [False] * 3
