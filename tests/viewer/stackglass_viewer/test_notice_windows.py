"""Notices are shown in the window in which the user acted, also if another is active meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from harness.profile_server import PlayedProfiles
from harness.profiles import encode_stacks
from stackglass.http.server import Server
from stackglass_viewer import editing, exports, pictures
from stackglass_viewer.app import App
from stackglass_viewer.view.dialogs import questions as dialogs
from stackglass_viewer.view.widgets.asker import Asker
from stackglass_viewer.view.window.edit_menu import EditMenu
from stackglass_viewer.view.window.main_window import MainWindow

WaitUntil = Callable[[Callable[[], bool]], None]


@pytest.fixture
def opened(app: App, tmp_path: Path, wait_until: WaitUntil) -> App:
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(encode_stacks("main;load 10\nmain;save 30"))
    app.open_files((str(path),))
    wait_until(lambda: app.window.page is not None)
    wait_until(lambda: next(iter(app.documents.values())).scene is not None)
    wait_until(lambda: app.recent.paths[:1] == (str(path),))
    return app


def read(window: MainWindow) -> str:
    notice = window.message.notice
    return notice.text if notice is not None else ""


def go_elsewhere(app: App, wait_until: WaitUntil, first: MainWindow, text: str) -> None:
    """Open another window before the worker is done; expect the text in the first one."""
    app.windows.show_notice(None, first)
    second = app.windows.open()
    assert app.window is second
    wait_until(lambda: read(first) != "" or read(second) != "")
    assert text in read(first)
    assert read(second) == ""


@pytest.mark.parametrize("is_possible", [True, False])
def test_an_export(
    opened: App,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wait_until: WaitUntil,
    is_possible: bool,
) -> None:
    first = opened.window
    path = (tmp_path if is_possible else tmp_path / "nowhere") / "out.svg"
    asked: list[object] = []

    def answer(asker: Asker, _suggestion: str) -> str:
        asked.append(asker.parent)
        return str(path)

    monkeypatch.setattr(exports, "ask_export_path", answer)
    first.export_requested.emit()
    go_elsewhere(opened, wait_until, first, str(path) if is_possible else "No such file")
    assert asked == [first]


@pytest.mark.parametrize("is_possible", [True, False])
def test_a_picture(
    opened: App,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wait_until: WaitUntil,
    is_possible: bool,
) -> None:
    first = opened.window
    path = (tmp_path if is_possible else tmp_path / "nowhere") / "out.png"
    monkeypatch.setattr(pictures, "ask_picture_path", lambda _window, _suggestion: str(path))
    first.picture_requested.emit("save")
    go_elsewhere(opened, wait_until, first, str(path) if is_possible else "No such file")


def test_a_window_that_was_closed_leaves_it_to_the_active_one(
    opened: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    path = tmp_path / "out.svg"
    monkeypatch.setattr(exports, "ask_export_path", lambda _window, _suggestion: str(path))
    first = opened.window
    first.export_requested.emit()
    second = opened.windows.open()
    opened.pages.close_window(first)
    wait_until(lambda: read(second) == f"Saved {path}.")


def test_a_file_of_sources_that_is_not_there(
    opened: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    first, page = opened.window, opened.windows.page
    assert page is not None
    (document,) = opened.documents.values()
    page.top.action_requested.emit("editor", document.top.function_at(0))
    go_elsewhere(opened, wait_until, first, "is not on this machine")


@pytest.mark.parametrize("is_raised", [True, False])
def test_an_editor_that_does_not_start(
    opened: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil, is_raised: bool
) -> None:
    def start(_choice: str, _path: str, _line: int) -> str:
        if is_raised:
            raise OSError("no editor today")
        return "no editor today"

    monkeypatch.setattr(editing, "_start_editor", start)
    first, page = opened.window, opened.windows.page
    assert page is not None
    page.show_view("source")
    view = page.tables.source
    assert view is not None
    view.editor_requested.emit("/tmp/shop.py", 3)
    go_elsewhere(opened, wait_until, first, "no editor today")


@pytest.fixture
def server() -> Iterator[Server]:
    played = PlayedProfiles(heap=encode_stacks("main;keep 10"), block=encode_stacks("main;wait 3"))
    with Server(played) as server:
        yield server


@pytest.mark.parametrize("is_possible", [True, False])
def test_a_snapshot_of_a_server(
    app: App,
    server: Server,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    wait_until: WaitUntil,
    is_possible: bool,
) -> None:
    app.open_places((f"{server.url}heap",))
    wait_until(lambda: app.window.page is not None)
    path = (tmp_path if is_possible else tmp_path / "nowhere") / "heap.pb.gz"
    monkeypatch.setattr(dialogs, "ask_save_path", lambda _window, _suggested: str(path))
    first = app.window
    first.save_requested.emit()
    go_elsewhere(app, wait_until, first, str(path) if is_possible else "No such file")


def test_the_menu_edit_copies_the_picture(opened: App) -> None:
    asked: list[str] = []
    opened.window.picture_requested.connect(asked.append)
    (menu,) = opened.window.findChildren(EditMenu)
    (action,) = (each for each in menu.actions() if "picture" in each.text())
    action.trigger()
    assert asked == ["copy"]
    page = opened.window.page
    assert page is not None
    assert page.message.notice is not None
    assert page.message.notice.text == "Copied the picture of this view."
