"""Controls of a capture: the timeline comes late, and in its place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.view.timeline.panel import TimelinePanel
from stackglass_viewer.view.widgets.theme import Theme, load_theme
from stackglass_viewer.view.window.live_controls import LiveControls


@pytest.fixture
def page(qt: QApplication) -> Iterator[QWidget]:
    made = QWidget()
    yield made
    made.deleteLater()


@pytest.fixture
def live(page: QWidget) -> LiveControls:
    column = QVBoxLayout(page)
    column.addWidget(QWidget(page))
    return LiveControls(ThreadModel(page), load_theme("light"), page, column)


def list_kinds(page: QWidget) -> list[str]:
    layout = page.layout()
    assert layout is not None
    items = (layout.itemAt(place) for place in range(layout.count()))
    return [type(item.widget()).__name__ for item in items if item is not None]


def test_the_timeline_is_made_once_when_it_is_asked_for(page: QWidget, live: LiveControls) -> None:
    assert not page.findChildren(TimelinePanel)
    assert list_kinds(page) == ["LiveBar", "QWidget", "LoadingBar", "StatusLine"]
    made = live.timeline
    assert made is live.timeline
    assert list_kinds(page) == ["LiveBar", "TimelinePanel", "QWidget", "LoadingBar", "StatusLine"]
    assert made.isHidden()


def test_a_timeline_that_stays_hidden_is_not_made(page: QWidget, live: LiveControls) -> None:
    """It would take as long as the rest of the controls, at the opening of every tab."""
    toggled: list[bool] = []
    live.timeline_toggled.connect(toggled.append)
    live.show_timeline(False)
    assert toggled == [False]
    assert not page.findChildren(TimelinePanel)


def test_a_timeline_that_comes_late_is_connected(live: LiveControls) -> None:
    talk: list[bool] = []
    live.timeline_toggled.connect(talk.append)
    live.put_marker("a")
    assert talk == [True]
    assert not live.timeline.isHidden()
    played: list[bool] = []
    live.replay_toggled.connect(lambda: played.append(True))
    live.timeline.replay.toggled.emit()
    assert played == [True]


def test_the_theme_may_change_before_there_is_a_timeline(
    live: LiveControls, monkeypatch: pytest.MonkeyPatch
) -> None:
    dark = load_theme("dark")
    live.set_theme(dark)
    themes: list[object] = []
    real = TimelinePanel.__init__

    def note(panel: TimelinePanel, theme: Theme, parent: QWidget) -> None:
        themes.append(theme)
        real(panel, theme, parent)

    monkeypatch.setattr(TimelinePanel, "__init__", note)
    assert live.timeline.isHidden()
    assert themes == [dark]
