"""Several windows: tabs move between them, choices hold in all, the last one ends it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSettings, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from harness.profiles import encode_stacks
from harness.synthetic_engine import SyntheticEngine
from harness.window_session import WindowSession, make_target
from stackglass_viewer.app import App
from stackglass_viewer.presenter.settings.open_tabs import OpenTabs
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.view.window.tab_menu import TabMenu

WaitUntil = Callable[[Callable[[], bool]], None]
OpenFile = Callable[[str], ProfilePage]


@pytest.fixture
def open_file(app: App, tmp_path: Path, wait_until: WaitUntil) -> OpenFile:
    """In the window that is used."""

    def open_one(name: str) -> ProfilePage:
        path = tmp_path / f"{name}.pb.gz"
        path.write_bytes(encode_stacks("main;load 30\nmain 4"))
        before = set(app.documents)
        app.open_files((str(path),))
        wait_until(lambda: app.recent.paths[:1] == (str(path),))
        (page,) = set(app.documents) - before
        wait_until(lambda: str(path) in {tab.path for tab in app.pages.restoring.list_records()})
        wait_until(lambda: app.windows.page is page and app.documents[page].scene is not None)
        return page

    return open_one


@pytest.fixture
def start(qt: QApplication, settings: QSettings) -> Iterator[Callable[[], App]]:
    """Another run, which opens what the last one had."""
    made: list[App] = []

    def make() -> App:
        again = App(qt, settings, is_quiet=True)
        made.append(again)
        again.window.show()
        again.restore_tabs()
        return again

    yield make
    for each in made:
        each.close()
        each.window.deleteLater()


def titles(window: MainWindow) -> list[str]:
    return [window.title_of(page) for page in window.pages]


def test_a_new_window_is_empty_and_takes_what_is_opened_next(app: App, open_file: OpenFile) -> None:
    open_file("a")
    first = app.window
    first.window_requested.emit()
    second = app.window
    assert second is not first
    assert second.isVisible()
    assert second.start.isVisible()
    assert second.windowTitle() == "Stackglass"
    open_file("b")
    assert (titles(first), titles(second)) == (["a.pb.gz"], ["b.pb.gz"])
    assert second.windowTitle() == "b.pb.gz — Stackglass"


def test_no_window_stands_outside_the_screen(app: App) -> None:
    screen = app.window.screen().availableGeometry()
    app.window.resize(screen.size())
    for _ in range(2):
        window = app.windows.open()
        assert screen.contains(window.frameGeometry()), window.frameGeometry()


def test_a_file_comes_into_the_window_that_it_was_asked_for_in(
    app: App, tmp_path: Path, wait_until: WaitUntil
) -> None:
    path = tmp_path / "a.pb.gz"
    path.write_bytes(encode_stacks("main 4"))
    first = app.window
    app.open_files((str(path),))
    second = app.windows.open()
    wait_until(lambda: len(first.pages) == 1)
    assert not second.pages


def test_an_error_is_shown_in_the_window_that_asked_for_the_file(
    app: App, tmp_path: Path, wait_until: WaitUntil
) -> None:
    path = tmp_path / "bad.prof"
    path.write_bytes(b"")
    first = app.windows.active
    app.open_files((str(path),))
    other = app.windows.open()
    assert app.windows.active is other
    wait_until(lambda: not app.loader.is_busy)
    assert first.message.notice is not None
    assert "bad.prof" in first.message.notice.text
    assert other.message.notice is None


def test_a_tab_moves_to_a_new_window_as_it_is(app: App, open_file: OpenFile) -> None:
    first = app.window
    staying, page = open_file("a"), open_file("b")
    document = app.documents[page]
    page.show_view("top")
    first.page_move_requested.emit(page)
    second = app.window
    assert (titles(first), titles(second)) == (["a.pb.gz"], ["b.pb.gz"])
    assert app.documents[page] is document
    assert page.view == "top"
    assert page.window() is second
    assert page.isVisible()
    assert second.tip_of(page).endswith("b.pb.gz")
    assert app.windows.fronts == {staying, page}
    # The old window has no part in it any more: what the tab's user wants is heard once.
    heard: list[tuple[str, str]] = []
    app.windows.setting_chosen.connect(lambda group, key: heard.append((group, key)))
    page.native_chosen.emit("libraries")
    assert heard == [("native", "libraries")]
    page.show_view("flame")
    assert first.page is staying
    assert staying.view != "top"


@pytest.mark.parametrize("view", ["flame", "top", "traces", "tree", "graph", "source"])
def test_keys_switch_tabs_from_every_view(app: App, open_file: OpenFile, view: str) -> None:
    pages = [open_file("a"), open_file("b"), open_file("c")]
    for page in pages:
        page.show_view(view)
    app.window.activateWindow()
    pages[2].focus_view()
    shown: list[int] = []
    for key in (Qt.Key.Key_PageDown, Qt.Key.Key_PageUp, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown):
        focused = QApplication.focusWidget()
        assert focused is not None
        QTest.keyClick(focused, key, Qt.KeyboardModifier.ControlModifier)
        assert app.windows.page is not None
        shown.append(pages.index(app.windows.page))
    assert shown == [0, 2, 1, 2]


def test_a_window_that_gives_its_last_tab_away_is_closed(app: App, open_file: OpenFile) -> None:
    first = app.window
    open_file("a")
    second = app.windows.open()
    page = open_file("b")
    app.windows.move(page, first)
    assert app.windows.all == [first]
    assert not second.isVisible()
    assert titles(first) == ["a.pb.gz", "b.pb.gz"]
    assert app.window is first
    assert first.page is page


def test_the_only_tab_of_a_window_is_not_moved_to_a_new_one(app: App, open_file: OpenFile) -> None:
    page = open_file("a")
    assert not app.window._move_tab.isEnabled()
    assert not app.window.make_tab_menu(page, []).actions()[0].isEnabled()
    other = open_file("b")
    assert app.window._move_tab.isEnabled()
    app.window.page_close_requested.emit(other)
    assert not app.window._move_tab.isEnabled()


def test_a_menu_moves_a_tab_to_a_window_that_is_there(
    app: App, open_file: OpenFile, qt: QApplication
) -> None:
    first = app.window
    open_file("a")
    second = app.windows.open()
    page = open_file("b")
    second.tab_menu_requested.emit(page, QPoint(10, 10))
    menu = second.findChild(TabMenu)
    assert menu is not None
    others = menu.actions()[1].menu()
    assert [action.text() for action in others.actions()] == ["a.pb.gz — Stackglass"]  # type: ignore[attr-defined] # QObject in the stubs
    others.actions()[0].trigger()  # type: ignore[attr-defined] # the same
    menu.close()
    assert titles(first) == ["a.pb.gz", "b.pb.gz"]


@pytest.mark.parametrize("below_px", [300, 2000])  # in its own window, and outside
def test_a_tab_that_is_dropped_far_from_the_others_moves(
    app: App, open_file: OpenFile, wait_until: WaitUntil, below_px: int
) -> None:
    first = app.window
    open_file("a")
    page = open_file("b")
    bar = first.tabs.tabBar()
    tab = bar.tabRect(1).center()
    left = Qt.MouseButton.LeftButton
    near, far = tab + QPoint(0, bar.height()), tab + QPoint(0, below_px)
    for place in (near, far):
        QTest.mousePress(bar, left, pos=tab)
        assert len(app.windows.all) == 1
        QTest.mouseRelease(bar, left, pos=place)
    wait_until(lambda: len(app.windows.all) == 2)
    assert titles(app.windows.all[1]) == ["b.pb.gz"]
    assert app.windows.page is page


def test_choices_hold_in_all_windows(app: App, open_file: OpenFile) -> None:
    first = app.window
    open_file("a")
    second = app.windows.open()
    second.setting_chosen.emit("theme", "dark")
    assert first._theme.is_dark
    assert second._theme.is_dark
    assert first._choices["theme"].actions()[1].isChecked()
    page = open_file("b")
    app.documents[page].transforms.choose(())
    recent = [action.text() for action in first._recent.actions()]
    assert recent[:2] == [action.text() for action in second._recent.actions()][:2]
    assert recent[0].endswith("b.pb.gz")
    assert app.windows.open()._theme.is_dark
    second._choices["order"].choose("name")
    ticked = [action.text() for action in first._choices["order"].actions() if action.isChecked()]
    assert ticked == [
        action.text() for action in second._choices["order"].actions() if action.isChecked()
    ]
    assert app.preferences.choice("order") == "name"


def test_closing_one_of_several_closes_its_tabs_only(app: App, open_file: OpenFile) -> None:
    first = app.window
    kept = open_file("a")
    second = app.windows.open()
    open_file("b")
    second.close()
    assert app.windows.all == [first]
    assert list(app.documents) == [kept]
    assert first.isVisible()


def test_quit_closes_all(app: App, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = app.window, app.windows.open()
    quits: list[int] = []
    monkeypatch.setattr(app._qt, "quit", lambda: quits.append(1))
    second.quit_requested.emit()
    assert not first.isVisible()
    assert not second.isVisible()
    assert quits == [1]


def test_an_attached_process_lives_on_in_the_window_it_is_moved_to(
    app: App, open_file: OpenFile, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    engine = SyntheticEngine(os.getpid())
    engine.send_hello()
    session = WindowSession(app, engine, monkeypatch, wait_until)
    engine.send_ready()
    first, document = app.window, session.document
    wait_until(lambda: document.status.phase == "running")
    open_file("a")
    app.windows.move(session.page, None)
    second = app.window
    engine.send_samples()
    engine.send_status()
    wait_until(lambda: document.status.n_samples > 0 and session.total > 0)
    assert titles(first) == ["a.pb.gz"]
    assert second.windowTitle() == f"shop.py {os.getpid()} — Stackglass"
    # Attached to again, from the other window: it is shown where it is.
    app.windows._activate(first)
    assert app.attach(make_target(os.getpid())) is document
    assert len(app.documents) == 2
    assert app.window is second
    assert app.windows.page is session.page


def test_windows_come_back_with_their_tabs_and_places(
    app: App,
    open_file: OpenFile,
    settings: QSettings,
    start: Callable[[], App],
    wait_until: WaitUntil,
) -> None:
    app.restore_tabs()
    app.window.resize(780, 700)
    open_file("a")
    open_file("b")
    second = app.windows.open()
    second.resize(780, 660)
    open_file("c")
    app.windows._activate(app.windows.all[0])
    app.close()
    kept = OpenTabs(settings).read_windows()
    assert [record.is_active for record in kept] == [True, False]
    again = start()
    wait_until(lambda: len(again.recent.paths) == 3 and len(again.documents) == 3)
    wait_until(lambda: len(again.windows.all) == 2 and len(again.windows.fronts) == 2)
    one, two = again.windows.all
    wait_until(lambda: again.window is one and titles(two) == ["c.pb.gz"])
    assert titles(one) == ["a.pb.gz", "b.pb.gz"]
    assert (one.height(), two.height()) == (700, 660)


@pytest.fixture
def two_windows(app: App, open_file: OpenFile) -> App:
    """One has a, the other one b."""
    app.restore_tabs()
    open_file("a")
    app.windows.open()
    open_file("b")
    return app


def test_a_window_that_was_closed_does_not_come_back(
    two_windows: App, settings: QSettings, start: Callable[[], App], wait_until: WaitUntil
) -> None:
    """As in browsers: to close a window, and then to quit, is to be done with its tabs."""
    two_windows.window.close_requested.emit()
    assert len(two_windows.windows.all) == 1
    two_windows.windows.quit_requested.emit()
    assert len(OpenTabs(settings).read_windows()) == 1
    again = start()
    wait_until(lambda: titles(again.window) == ["a.pb.gz"])
    assert len(again.windows.all) == 1


def test_a_desktop_that_closes_all_windows_leaves_all(
    two_windows: App, settings: QSettings, start: Callable[[], App], wait_until: WaitUntil
) -> None:
    """At a logout, one after the other."""
    two_windows.window.close_requested.emit()
    two_windows.pages.restoring.store()  # as by the timer
    assert len(OpenTabs(settings).read_windows()) == 2
    two_windows.window.close_requested.emit()
    again = start()
    wait_until(lambda: len(again.documents) == 2 and len(again.windows.all) == 2)
    wait_until(lambda: [titles(each) for each in again.windows.all] == [["a.pb.gz"], ["b.pb.gz"]])


def test_windows_that_are_closed_long_after_each_other_leave_the_last(
    two_windows: App, settings: QSettings
) -> None:
    two_windows.window.close_requested.emit()
    two_windows.pages.restoring._held.stop()
    two_windows.pages.restoring._held.timeout.emit()  # some seconds later
    assert [record.title for record in OpenTabs(settings).read()] == ["a.pb.gz"]
    two_windows.window.close_requested.emit()
    assert len(OpenTabs(settings).read_windows()) == 1


class Manager:
    """Stands for the desktop's session manager."""

    def __init__(self) -> None:
        self.said: list[str] = []

    def allowsInteraction(self) -> bool:
        return True

    def release(self) -> None:
        self.said.append("release")

    def cancel(self) -> None:
        self.said.append("cancel")


@pytest.mark.parametrize(("may_end", "said"), [(True, ["release"]), (False, ["release", "cancel"])])
def test_a_desktop_that_announces_its_end(
    two_windows: App,
    settings: QSettings,
    monkeypatch: pytest.MonkeyPatch,
    may_end: bool,
    said: list[str],
) -> None:
    """What is not saved is asked for; the tabs are remembered, whatever is closed then."""
    captures, manager = two_windows.pages.captures, Manager()
    documents = two_windows.documents
    monkeypatch.setattr(captures, "list_unsaved", lambda pages: [documents[page] for page in pages])
    monkeypatch.setattr(captures, "may_discard", lambda _pages, _when_saved: may_end)
    two_windows._end_with_desktop(manager)  # type: ignore[arg-type]
    assert manager.said == said
    monkeypatch.setattr(captures, "may_discard", lambda pages, _when_saved: not pages)
    assert two_windows.pages.may_end(lambda: None) is may_end  # nothing is asked again
    assert two_windows.pages.restoring._held.isActive() is may_end
    monkeypatch.undo()
    two_windows.window.close_requested.emit()
    two_windows.pages.restoring.store()
    assert len(OpenTabs(settings).read_windows()) == 2
