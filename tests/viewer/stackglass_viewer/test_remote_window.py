"""Profiles of servers in the window: from the dialog to the tab, and back out of it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from harness.pprof_server import serve_go
from harness.profile_server import PlayedProfiles
from harness.profiles import encode_stacks
from stackglass.http.server import Server
from stackglass_viewer.app import App
from stackglass_viewer.model.remote import request
from stackglass_viewer.model.remote.address import Address
from stackglass_viewer.model.remote.snapshots import SnapshotPart
from stackglass_viewer.presenter.remote.document import FetchedDocument, RemoteDocument
from stackglass_viewer.view.dialogs import questions as dialogs
from stackglass_viewer.view.dialogs.url_dialog import UrlDialog
from stackglass_viewer.view.window.profile_page import ProfilePage

pytestmark = pytest.mark.gui

WaitUntil = Callable[[Callable[[], bool]], None]


@pytest.fixture
def profiles() -> PlayedProfiles:
    played = PlayedProfiles(heap=encode_stacks("main;keep 10"), block=encode_stacks("main;wait 3"))
    played.cpu = encode_stacks("main;work 30\nidle 10")
    return played


@pytest.fixture
def server(profiles: PlayedProfiles) -> Iterator[Server]:
    with Server(profiles) as server:
        yield server


def find_dialog(app: App) -> UrlDialog:
    dialog = app.window.findChild(UrlDialog)
    assert isinstance(dialog, UrlDialog)
    return dialog


def list_in(app: App, url: str, wait_until: WaitUntil) -> UrlDialog:
    """The dialog, with the server's profiles."""
    app.open_places((url,))
    dialog = find_dialog(app)
    wait_until(lambda: dialog._profiles.topLevelItemCount() > 0)
    return dialog


def wait_for_tab(app: App, wait_until: WaitUntil) -> tuple[Any, ProfilePage]:
    wait_until(
        lambda: (
            bool(app.documents)
            and all(document.info is not None for document in app.documents.values())
            and app.window.page is not None
        )
    )
    page = app.window.page
    assert page is not None
    return app.documents[page], page


def test_a_server_is_listed_and_its_cpu_profile_watched(
    app: App, server: Server, profiles: PlayedProfiles, wait_until: WaitUntil
) -> None:
    dialog = list_in(app, server.url, wait_until)
    names = [dialog._profiles.topLevelItem(row).text(0) for row in range(3)]  # type: ignore[union-attr] # it has three
    assert names == ["block", "heap", "profile"]
    QTest.keyClick(dialog._profiles, Qt.Key.Key_Return)  # the CPU profile is chosen
    document, page = wait_for_tab(app, wait_until)
    assert isinstance(document, RemoteDocument)
    wait_until(lambda: document.scene is not None and document.scene.total > 40)  # of several
    assert page.remote is not None
    page.remote.part_chosen.emit(SnapshotPart.LAST)
    wait_until(lambda: document.scene is not None and document.scene.total == 40)
    page.remote.toggle_pause()
    wait_until(lambda: page.remote is not None and "Paused" in page.remote._phase.text())
    app.window.page_close_requested.emit(page)
    wait_until(lambda: not app.tabs.leaving)
    assert not any(thread.name.startswith("poll ") for thread in threading.enumerate())
    assert app.window.start.isVisible()


def test_profiles_of_a_list_behind_a_redirect_come_from_where_the_list_is(
    app: App, server: Server, wait_until: WaitUntil
) -> None:
    """They were asked of the server that sent the redirect, which has none."""

    class Redirect(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(302 if self.path == "/debug/pprof/" else 404)
            self.send_header("Location", server.url)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Print nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Redirect) as first:
        threading.Thread(target=first.serve_forever).start()
        url = f"http://127.0.0.1:{first.server_port}/debug/pprof/"
        dialog = list_in(app, url, wait_until)
        dialog._open.click()
        wait_until(lambda: bool(app.documents) or app.window.message.notice is not None)
        first.shutdown()
    assert app.window.message.notice is None
    document, _ = wait_for_tab(app, wait_until)
    assert isinstance(document, FetchedDocument)
    assert document.address.url.startswith(server.url)


def test_the_newest_snapshot_is_saved_as_it_came(
    app: App,
    server: Server,
    profiles: PlayedProfiles,
    wait_until: WaitUntil,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    app.open_places((f"{server.url}heap",))  # of a URL that names a profile there is no list
    document, page = wait_for_tab(app, wait_until)
    assert isinstance(document, FetchedDocument)
    assert page.remote is None
    path = tmp_path / "heap.pb.gz"
    monkeypatch.setattr(dialogs, "ask_save_path", lambda _window, _suggested: str(path))
    app.window.save_requested.emit()
    wait_until(lambda: app.window.message.notice is not None)
    assert path.read_bytes() == profiles.contents["heap"]
    assert app.recent.paths == ()


def test_what_cannot_be_fetched_is_said_and_opens_nothing(
    app: App, server: Server, wait_until: WaitUntil
) -> None:
    app.open_places((f"{server.url}nothing",))
    wait_until(lambda: app.window.message.notice is not None)
    notice = app.window.message.notice
    assert notice is not None
    assert "answers 404: Unknown profile" in notice.text
    app.open_places(("ftp://host/x",))
    assert "only http and https" in app.window.message.notice.text  # type: ignore[union-attr] # shown
    assert not app.documents


def test_the_dialog_says_why_there_is_no_list(app: App, wait_until: WaitUntil) -> None:
    app.open_places(("http://127.0.0.1:1/",))
    dialog = find_dialog(app)
    wait_until(lambda: "onnection refused" in dialog._state.text())
    assert not dialog._watch.isEnabled()
    dialog.reject()


def test_a_late_list_of_another_server_is_not_shown(
    app: App, server: Server, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its profiles would have been fetched from the server that is named by now."""
    answers, fetch = threading.Event(), request.fetch_from

    def fetch_late(address: Address, _is_cancelled: object, report: Any) -> tuple[Address, bytes]:
        content = fetch(address, lambda: False, report)
        answers.wait(30)
        return content

    monkeypatch.setattr(request, "fetch_from", fetch_late)
    app.open_places((server.url,))
    dialog = find_dialog(app)
    QTest.keyClick(dialog._url, Qt.Key.Key_Backspace)
    answers.set()
    wait_until(lambda: not any(each.name == "list profiles" for each in threading.enumerate()))
    QApplication.processEvents()
    assert dialog._profiles.topLevelItemCount() == 0
    assert "Asking" not in dialog._state.text()
    dialog.reject()


def test_fetching_can_be_cancelled(
    app: App, server: Server, profiles: PlayedProfiles, wait_until: WaitUntil
) -> None:
    profiles.holds = True
    app.open_places((f"{server.url}profile?seconds=600",))
    wait_until(lambda: "profile 600" in profiles.asked)
    wait_until(lambda: app.window.loading._progress.maximum() > 0)  # the time is its progress
    app.window.loading.cancel_requested.emit()
    wait_until(lambda: not app.loader.is_busy)
    assert profiles.was_left.wait(10)
    assert not app.window.loading.isVisible()
    assert not app.documents


def test_a_go_program_opens(app: App, wait_until: WaitUntil) -> None:
    with serve_go() as go:
        dialog = list_in(app, go.url(""), wait_until)
        rows = dialog._profiles.topLevelItemCount()
        names = [dialog._profiles.topLevelItem(row).text(0) for row in range(rows)]  # type: ignore[union-attr] # it is there
        assert {"allocs", "app.leases", "block", "goroutine", "heap", "profile"} <= set(names)
        assert not {"cmdline", "symbol", "trace"} & set(names)
        dialog.watch_requested.emit(go.url(""), "goroutine", 1)
        dialog.reject()
        document, _ = wait_for_tab(app, wait_until)
        wait_until(lambda: document.scene is not None and document.scene.total > 0)
        assert any("net/http" in name for name in document.scene.tree.frame_name)
        packed = document.packed
        wait_until(lambda: document.packed is not packed)  # the next snapshot


def test_each_window_has_a_dialog_of_its_own(
    app: App, server: Server, wait_until: WaitUntil
) -> None:
    app.pages.remotes.show_dialog()
    other = find_dialog(app)
    app.windows.open()
    app.open_places((server.url,))
    dialog = find_dialog(app)
    assert dialog is not other
    app.pages.remotes.show_dialog()
    third = app.window.findChildren(UrlDialog)[-1]
    third.reject()
    wait_until(lambda: dialog._profiles.topLevelItemCount() > 0)
    assert other._profiles.topLevelItemCount() == 0
    other.reject()
    dialog.reject()


def test_a_profile_that_is_watched_and_one_that_was_fetched_have_other_titles(
    app: App, server: Server, wait_until: WaitUntil
) -> None:
    url = f"{server.url}heap"
    app.open_places((url,))
    fetched, _ = wait_for_tab(app, wait_until)
    dialog = list_in(app, server.url, wait_until)
    second = dialog._profiles.topLevelItem(1)
    assert second is not None
    dialog._profiles.setCurrentItem(second)
    dialog._watch.click()
    wait_until(lambda: len(app.documents) == 2)
    watched = next(each for each in app.documents.values() if each is not fetched)
    assert isinstance(watched, RemoteDocument)
    assert fetched.title != watched.title
    assert fetched.title.startswith(f"{watched.title} at ")


def test_the_selection_follows_a_function_whose_number_changes(
    app: App, server: Server, profiles: PlayedProfiles, wait_until: WaitUntil
) -> None:
    """Each profile of a server lists its functions in an order of its own."""
    dialog = list_in(app, server.url, wait_until)
    QTest.keyClick(dialog._profiles, Qt.Key.Key_Return)  # the CPU profile is chosen
    document, page = wait_for_tab(app, wait_until)
    page.show_view("both")
    assert page.remote is not None
    page.remote.part_chosen.emit(SnapshotPart.LAST)
    wait_until(lambda: document.scene is not None and document.scene.total == 40)
    names = [document.top.name_of(at) for at in range(document.top.n_functions)]
    page.top.function_selected.emit(names.index("work"))
    page.top.select_function(names.index("work"))
    profiles.cpu = encode_stacks("other 5\nidle 10\nmain;work 30")
    wait_until(lambda: document.scene is not None and document.scene.total == 45)
    wait_until(lambda: document.top.name_of(document.selection.function) == "work")
    assert document.selection.function != names.index("work")
    details = page.top.find_details()
    assert details is not None
    assert (details.name, page.top.shows_selection) == ("work", True)
