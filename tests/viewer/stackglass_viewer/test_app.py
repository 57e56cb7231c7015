"""The application: files, tabs, closing."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from harness.profiles import encode_stacks
from harness.synthetic_engine import SyntheticEngine
from harness.window_session import make_target
from stackglass.version import VERSION
from stackglass_viewer import captures as composition
from stackglass_viewer.app import App
from stackglass_viewer.view.dialogs import questions as dialogs
from stackglass_viewer.view.dialogs.about import describe_versions
from stackglass_viewer.view.dialogs.attach_dialog import AttachDialog

STACKS = "main;load;parse 30\nmain;save 40\nidle 10"


@pytest.fixture
def profile(tmp_path: Path) -> Path:
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(encode_stacks(STACKS))
    return path


def is_shown(app: App, n_tabs: int = 1) -> bool:
    return (
        len(app.documents) == n_tabs
        and all(document.info is not None for document in app.documents.values())
        and app.window.page is not None
    )


def test_a_file_opens_as_a_tab_and_is_remembered(app: App, profile: Path, wait_until: Any) -> None:
    app.open_files((str(profile),))
    wait_until(lambda: is_shown(app))
    assert app.window.windowTitle().startswith("cpu.pb.gz")
    wait_until(lambda: app.recent.paths == (str(profile),))
    page = app.window.page
    assert page is not None
    assert page.flame.graph.scene is not None
    assert page.flame.graph.scene.total == 80


def test_the_start_page_says_what_is_opened_until_the_tab_is_there(
    app: App, profile: Path, monkeypatch: pytest.MonkeyPatch, wait_until: Any
) -> None:
    """Between the last word of the reader and the tab it stood there as if nothing came."""
    is_said: list[bool] = []
    run_later, window = app.tabs._run_later, app.window

    def watch(work: Callable[[], None]) -> None:
        def run() -> None:
            is_said.append(window.loading.isVisible() or not window.start.isVisible())
            work()

        run_later(run)

    monkeypatch.setattr(app.tabs, "_run_later", watch)
    app.open_files((str(profile),))
    wait_until(lambda: is_shown(app) and not window.loading.isVisible())
    assert len(is_said) > 5
    assert all(is_said)
    assert not window.start.isVisible()


def test_several_files_are_several_tabs(app: App, profile: Path, wait_until: Any) -> None:
    other = profile.with_name("other.pb.gz")
    other.write_bytes(profile.read_bytes())
    app.open_files((str(profile), str(other)))
    wait_until(lambda: is_shown(app, 2))
    page = app.window.page
    app.window.page_close_requested.emit(page)
    assert len(app.documents) == 1


def test_a_closed_tab_leaves_by_itself_and_says_nothing_more(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: Any
) -> None:
    engine = SyntheticEngine(os.getpid())
    monkeypatch.setattr(composition, "connect_engine", lambda _pid, _hz: engine)
    document = app.attach(make_target(os.getpid(), 100))
    engine.send_ready()
    engine.send_samples()
    wait_until(lambda: document.scene is not None and document.scene.total > 0)
    wait_until(lambda: app.window.page is not None)
    reported: list[object] = []
    document.status_changed.connect(reported.append)
    app.window.page_close_requested.emit(app.window.page)
    assert app.tabs.leaving == {document}
    reported.clear()
    wait_until(lambda: not app.tabs.leaving)
    assert engine.is_closed
    assert document.scene is None
    assert not reported
    assert not app.documents


@pytest.mark.parametrize("view", ["contention", "heap"])
def test_a_new_attachment_opens_on_the_cpu(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: Any, view: str
) -> None:
    app.preferences.set_choice("view", view)  # of the last session
    engine = SyntheticEngine(os.getpid())
    monkeypatch.setattr(composition, "connect_engine", lambda _pid, _hz: engine)
    document = app.attach(make_target(os.getpid(), 100))
    engine.send_ready()
    engine.send_samples()
    wait_until(lambda: document.info is not None and app.window.page is not None)
    assert app.window.page is not None
    assert app.window.page.view == "flame"
    assert document.info is not None
    assert document.info.choice.entries[document.info.choice.entry] == "cpu"


def test_another_sample_type_changes_the_numbers(app: App, profile: Path, wait_until: Any) -> None:
    app.open_files((str(profile),))
    wait_until(lambda: is_shown(app))
    page = app.window.page
    assert page is not None
    page.type_chosen.emit(0)
    wait_until(lambda: page.flame.graph.scene.total == 3)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "empty"), (b"hello world, this is no profile", ""), (b"\x1f\x8b\x08\x00junk", "")],
)
def test_a_bad_file_is_one_line(
    app: App, tmp_path: Path, wait_until: Any, content: bytes, words: str
) -> None:
    path = tmp_path / "bad.prof"
    path.write_bytes(content)
    app.open_files((str(path),))
    wait_until(lambda: app.window.message.notice is not None)
    notice = app.window.message.notice
    assert notice is not None
    assert notice.tone == "error"
    assert "bad.prof" in notice.text
    assert words in notice.text
    assert "\n" not in notice.text
    assert not app.documents


def test_every_file_that_cannot_be_opened_is_named(
    app: App, tmp_path: Path, wait_until: Any
) -> None:
    paths = [tmp_path / "one.prof", tmp_path / "two.prof"]
    for path in paths:
        path.write_bytes(b"")
    app.open_files(tuple(map(str, paths)))
    wait_until(lambda: not app.loader.is_busy)
    notice = app.window.message.notice
    assert notice is not None
    first, *lines = notice.text.splitlines()
    assert first == "2 files could not be opened."
    assert [line.split()[2] for line in lines] == ["one.prof:", "two.prof:"]
    app.open_files((str(paths[1]),))
    wait_until(lambda: not app.loader.is_busy)
    assert "one.prof" not in app.window.message.notice.text  # type: ignore[union-attr] # shown


def test_tabs_have_the_order_in_which_files_were_given(
    app: App, tmp_path: Path, wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first one is read last; the last one is in front."""
    names = ("one", "two\u202e", "three")  # the tip of the second shows another character
    paths = [str(tmp_path / f"{name}.collapsed") for name in names]
    for path, name in zip(paths, names, strict=True):
        Path(path).write_text(f"{name};f 3\n")
    app.windows.tab_numbers.ask_for(paths)
    for path in reversed(paths):
        n_tabs = len(app.documents)
        app.loader.load(path)
        wait_until(lambda n=n_tabs: len(app.documents) > n and len(app.window.pages) > n)
        wait_until(lambda: app.window.page is not None)
    titles = [app.window.title_of(page) for page in app.window.pages]
    assert titles == ["one.collapsed", "two\ufffd.collapsed", "three.collapsed"]
    assert app.window.page is not None
    assert app.window.title_of(app.window.page) == "three.collapsed"


def test_of_the_choices_of_a_menu_one_is_always_ticked(app: App) -> None:
    actions = app.window._choices["theme"]._actions
    for _ in range(2):  # a second click would untick a box of its own
        actions["dark"].trigger()
        assert [key for key, action in actions.items() if action.isChecked()] == ["dark"]


def test_about_names_the_version() -> None:
    lines = describe_versions().splitlines()
    assert lines[0] == f"Stackglass {VERSION}"
    assert lines[2].startswith("Qt 6")


def test_a_file_that_is_gone_is_forgotten(app: App, tmp_path: Path, wait_until: Any) -> None:
    path = str(tmp_path / "gone.pb.gz")
    app.recent.remember(path)
    app.open_files((path,))
    wait_until(lambda: app.window.message.notice is not None)
    assert app.recent.paths == ()


def test_dropped_files_are_opened(app: App, profile: Path, wait_until: Any) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(profile))])
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton)
    enter = QDragEnterEvent(QPoint(10, 10), *how, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(app.window, enter)
    assert enter.isAccepted()
    drop = QDropEvent(QPointF(10, 10), *how, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(app.window, drop)
    wait_until(lambda: is_shown(app))


def test_keys_choose_the_view_and_the_search(app: App, profile: Path, wait_until: Any) -> None:
    app.open_files((str(profile),))
    wait_until(lambda: is_shown(app))
    QTest.qWaitForWindowActive(app.window)
    page = app.window.page
    assert page is not None
    for key, view in ((Qt.Key.Key_3, "top"), (Qt.Key.Key_2, "both"), (Qt.Key.Key_1, "flame")):
        QTest.keyClick(app.window, key)
        assert page.view == view
    QTest.keyClick(app.window, Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier)
    field = QApplication.focusWidget()
    assert field is not None
    QTest.keyClicks(field, "sa?ve 1")
    assert page.search.pattern == "sa?ve 1"


def test_escape_undoes_one_thing_after_the_other(app: App, profile: Path, wait_until: Any) -> None:
    app.open_files((str(profile),))
    wait_until(lambda: is_shown(app))
    page = app.window.page
    assert page is not None
    graph = page.flame.graph
    wait_until(lambda: app.window.focusWidget() is graph)
    graph.camera.zoom_to(1)
    page.search.set_pattern("save")
    graph._choose(1)
    QTest.keyClick(graph, Qt.Key.Key_Escape)
    assert graph.selected == -1
    assert page.search.pattern == "save"
    QTest.keyClick(graph, Qt.Key.Key_Escape)
    assert page.search.pattern == ""
    QTest.keyClick(graph, Qt.Key.Key_Escape)
    assert graph.camera.navigation.view.span == 1.0


def test_copying_a_stack(app: App, profile: Path, wait_until: Any) -> None:
    app.open_files((str(profile),))
    wait_until(lambda: is_shown(app))
    page = app.window.page
    assert page is not None
    graph = page.flame.graph
    QTest.keyClick(graph, Qt.Key.Key_Down)
    QTest.keyClick(graph, Qt.Key.Key_Down)
    QTest.keyClick(graph, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    assert QApplication.clipboard().text() == "save (save.py)\nmain (main.py)"


def test_closing_asks_for_what_is_not_saved(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: Any
) -> None:
    engine = SyntheticEngine(os.getpid())
    monkeypatch.setattr(composition, "connect_engine", lambda _pid, _hz: engine)
    document = app.attach(make_target(os.getpid(), 100))
    engine.send_ready()
    engine.send_samples()
    engine.send_status()
    wait_until(lambda: document.is_unsaved)
    asked: list[tuple[str, ...]] = []

    def ask(_parent: object, names: tuple[str, ...]) -> str:
        asked.append(names)
        return "cancel"

    monkeypatch.setattr(dialogs, "ask_discard", ask)
    app.pages.captures._is_quiet = False
    app.window.close()
    assert asked == [(document.title,)]
    assert app.window.isVisible()
    app.pages.captures._is_quiet = True


class Manager:
    """Stands for the desktop's session manager."""

    def allowsInteraction(self) -> bool:
        return True

    def release(self) -> None:
        pass


def test_a_capture_that_came_after_a_cancelled_logout_is_asked_for(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: Any
) -> None:
    """For a minute, all were dropped without a question, whatever the user had agreed to."""
    asked: list[tuple[str, ...]] = []
    answers = ["discard", "cancel", "cancel"]

    def attach(pid: int) -> str:
        engine = SyntheticEngine(pid)
        monkeypatch.setattr(composition, "connect_engine", lambda _pid, _hz: engine)
        document = app.attach(make_target(pid, 100))
        engine.send_ready()
        engine.send_samples()
        engine.send_status()
        wait_until(lambda: document.is_unsaved)
        return document.title

    def ask(_parent: object, names: tuple[str, ...]) -> str:
        asked.append(names)
        return answers.pop(0)

    monkeypatch.setattr(dialogs, "ask_discard", ask)
    app.pages.captures._is_quiet = False
    first = attach(os.getpid())
    app._end_with_desktop(Manager())  # type: ignore[arg-type]
    assert asked == [(first,)]
    assert app.pages.may_end(app.close)  # the user agreed to that
    second = attach(os.getppid())
    assert not app.pages.may_end(app.close)
    assert asked == [(first,), (second,)]
    app.pages._logout.timeout.emit()  # the desktop did not close the window
    assert not app.pages.may_end(app.close)
    assert asked[2] == (first, second)
    app.pages.captures._is_quiet = True


def test_the_attach_dialog_lists_processes_and_chooses(app: App, wait_until: Any) -> None:
    found: list[int] = []
    app.process_choice.processes.refreshed.connect(found.append)
    app.process_choice.show_dialog()
    wait_until(lambda: found)
    app.process_choice.end()


def test_an_attach_dialog_that_is_closed_leaves_that_of_another_window(app: App) -> None:
    app.process_choice.show_dialog()
    first = app.window.findChild(AttachDialog)
    assert isinstance(first, AttachDialog)
    app.windows.open()
    app.process_choice.show_dialog()
    first.reject()
    assert app.process_choice.processes._timer.isActive()
    app.process_choice.end()


def test_errors_of_what_was_opened_before_do_not_come_back(
    app: App, tmp_path: Path, wait_until: Any
) -> None:
    """With the error of a server, which is read without a file."""
    path = tmp_path / "bad.prof"
    path.write_bytes(b"")
    app.open_files((str(path),))
    wait_until(lambda: app.window.message.notice is not None)
    app.open_places(("http://127.0.0.1:1/debug/pprof/heap",))
    assert not app.window.message.notice
    wait_until(lambda: app.window.message.notice is not None)
    notice = app.window.message.notice
    assert notice is not None
    assert "127.0.0.1:1" in notice.text
    assert "bad.prof" not in notice.text


def test_a_link_to_itself_is_one_line(app: App, tmp_path: Path, wait_until: Any) -> None:
    path = tmp_path / "loop.prof"
    path.symlink_to(path)
    app.open_files((str(path),))
    wait_until(lambda: app.window.message.notice is not None)
    assert "loop.prof" in app.window.message.notice.text  # type: ignore[union-attr] # waited for
