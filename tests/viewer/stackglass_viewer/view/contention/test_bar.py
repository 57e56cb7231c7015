"""Contention bar: its controls are made step by step, and shown together."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication, QToolButton, QWidget

from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.presenter.settings.contention_texts import ContentionBarState
from stackglass_viewer.view.contention.bar import ContentionBar
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.theme import load_theme

BLOCK = ContentionBarState(
    ContentionKind.BLOCK,
    is_delay=True,
    kinds=(ContentionKind.BLOCK, ContentionKind.GIL),
    locks=((3, "app.lock"),),
)
GIL = ContentionBarState(ContentionKind.GIL, is_delay=False, kinds=BLOCK.kinds)


@pytest.fixture
def steps(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """The steps that wait for the event loop."""
    waiting: list[Callable[[], None]] = []
    monkeypatch.setattr(
        "stackglass_viewer.view.contention.bar.QTimer.singleShot",
        lambda *step: waiting.append(step[-1]),
    )
    return waiting


@pytest.fixture
def bar(qt: QApplication, steps: list[Callable[[], None]]) -> Iterator[ContentionBar]:
    made = ContentionBar(load_theme("light"))
    made.resize(600, 40)
    made.show()
    yield made
    made.deleteLater()


def list_controls(bar: ContentionBar) -> list[QWidget]:
    return [*bar.findChildren(ChoiceBox), *bar.findChildren(QToolButton)]


def test_controls_are_made_in_steps_and_shown_together(
    bar: ContentionBar, steps: list[Callable[[], None]]
) -> None:
    """Also if the bar is hidden while they are made: Qt shows such parts with the bar."""
    assert not steps
    bar.show_state(BLOCK)
    counts = []
    while steps:
        assert not any(control.isVisible() for control in list_controls(bar))
        counts.append(len(list_controls(bar)))
        bar.hide()
        steps.pop()()
        bar.show()
    assert counts == [0, 2, 4, 5]
    shown = [control.accessibleName() for control in list_controls(bar) if control.isVisible()]
    assert shown == ["Kind of contention", "Measure", "Lock"]


def test_the_state_that_comes_between_two_steps_is_shown(
    bar: ContentionBar, steps: list[Callable[[], None]]
) -> None:
    bar.show_state(BLOCK)
    steps.pop()()
    bar.show_state(GIL)
    while steps:
        steps.pop()()
    texts = [box.currentText() for box in bar.findChildren(ChoiceBox) if box.isVisible()]
    assert texts == ["GIL", "Count"]
