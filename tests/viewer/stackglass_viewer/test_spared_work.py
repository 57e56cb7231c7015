"""Work that a window is spared: of what is hidden or minimized, and of pages that become tabs."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from harness.profiles import encode_stacks
from harness.synthetic_engine import SyntheticEngine
from harness.window_session import WindowSession
from stackglass_viewer.app import App
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]


@pytest.fixture
def session(app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil) -> WindowSession:
    engine = SyntheticEngine(os.getpid())
    engine.send_hello()
    made = WindowSession(app, engine, monkeypatch, wait_until)
    engine.send_ready()
    engine.send_samples()
    wait_until(lambda: made.total > 0 and made.page.live is not None)
    return made


class Restyled(QObject):
    """Counts how often a widget is given another style."""

    n = 0

    def eventFilter(self, _watched: QObject, event: QEvent) -> bool:
        self.n += event.type() in (QEvent.Type.StyleChange, QEvent.Type.PaletteChange)
        return False


def test_what_is_in_a_page_is_not_styled_again_as_it_becomes_a_tab(
    app: App,
    qt: QApplication,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    wait_until: WaitUntil,
) -> None:
    """Some two hundred widgets were, which took as long as a window may stand still."""
    added: list[tuple[int, int]] = []
    add = MainWindow.add_page

    def add_page(
        window: MainWindow, page: ProfilePage, title: str, tip: str, number: int = 0
    ) -> None:
        restyled = Restyled()
        qt.installEventFilter(restyled)
        add(window, page, title, tip)
        qt.removeEventFilter(restyled)
        added.append((restyled.n, len(page.findChildren(QWidget))))

    monkeypatch.setattr(MainWindow, "add_page", add_page)
    path = tmp_path / "a.pb.gz"
    path.write_bytes(encode_stacks("main 4"))
    app.open_files((str(path),))
    wait_until(lambda: bool(added))
    ((n_styled, n_widgets),) = added
    assert n_styled < n_widgets // 2


def test_a_page_that_is_being_made_outlives_its_window(
    app: App, tmp_path: Path, wait_until: WaitUntil
) -> None:
    path = tmp_path / "a.pb.gz"
    path.write_bytes(encode_stacks("main 4"))
    first, second = app.window, app.windows.open()
    app.open_files((str(path),))
    wait_until(lambda: bool(second.findChildren(ProfilePage)))
    assert not second.pages
    app.windows.close(second)
    wait_until(lambda: len(first.pages) == 1)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    wait_until(lambda: first.page is not None and first.page.isVisible())


def test_a_minimized_window_builds_and_draws_nothing(
    app: App, session: WindowSession, wait_until: WaitUntil
) -> None:
    session.live.show_timeline(True)
    document = session.document
    assert document.timeline._timer.isActive()
    app.window.showMinimized()
    wait_until(lambda: document.builds.is_settled)  # one may have been under way
    total = session.total
    assert app.windows.fronts == {session.page}
    assert not app.windows.in_sight
    assert not document.timeline._timer.isActive()
    session.engine.send_samples()
    wait_until(lambda: document._is_stale)
    document._on_refresh()
    assert document._is_stale
    assert session.total == total
    app.window.showNormal()
    assert document.timeline._timer.isActive()
    wait_until(lambda: session.total > total)


def test_details_of_the_graph_are_found_while_they_are_shown(
    session: WindowSession, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    found: list[None] = []
    find = session.page.graphs.find_details

    def count() -> Any:
        found.append(None)
        return find()

    monkeypatch.setattr(session.page.graphs, "find_details", count)
    session.page.show_view("top")
    found.clear()
    scene = session.document.scene
    session.document.build()
    wait_until(lambda: session.document.scene is not scene)
    assert not found
    session.page.show_view("both")
    assert found
