"""Bar of several processes: what it says of them, and its pause."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtTest import QSignalSpy
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.settings.view_state import GroupStatus
from stackglass_viewer.view.capture.group_bar import GroupBar
from stackglass_viewer.view.widgets.theme import load_theme


@pytest.fixture
def bar(qt: QApplication) -> Iterator[GroupBar]:
    made = GroupBar(load_theme("light"))
    yield made
    made.deleteLater()


@pytest.mark.parametrize(
    ("status", "texts"),
    [
        (GroupStatus(3, 3), ("● Live", "live", "all attached")),
        (GroupStatus(1, 1), ("● Live", "live", "all attached")),
        (GroupStatus(120, 3), ("● Live", "live", "3 of 120 attached")),
        (GroupStatus(3, 3, True), ("Ⅱ Paused", "strong", "all attached")),
        (GroupStatus(3, 0), ("● Not attached", "strong", "")),
        (GroupStatus(1, 0, True), ("● Not attached", "strong", "")),
    ],
)
def test_the_state_is_in_words(
    bar: GroupBar, status: GroupStatus, texts: tuple[str, str, str]
) -> None:
    bar.show_status(status)
    assert (bar._phase.text(), bar._phase.objectName(), bar._about.whole) == texts


def test_the_button_says_what_the_next_press_does(bar: GroupBar) -> None:
    toggled = QSignalSpy(bar.pause_toggled)
    assert bar._pause.toolTip().startswith("Pause the view; the captures")
    bar.toggle_pause()
    assert (bar._pause.text(), bar._pause.toolTip()) == (" Resume", "Resume (Space)")
    bar._pause.click()
    assert bar._pause.text() == " Pause"
    assert [toggled.at(index)[0] for index in range(toggled.count())] == [True, False]
