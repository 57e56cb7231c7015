"""A process and its children, attached to again as the group that they were."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from harness.forking_server import Server, run_server
from harness.window_session import make_target
from stackglass_viewer.app import App
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.group_document import GroupDocument
from stackglass_viewer.presenter.settings.view_state import LiveStatus
from stackglass_viewer.view.window.profile_page import ProfilePage

pytestmark = [pytest.mark.gui, pytest.mark.attach]

WaitUntil = Callable[[Callable[[], bool]], None]
Start = Callable[..., App]
STEPS = (Transform(TransformKind.FOCUS, "__main__.spin_in_child"),)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with run_server(tmp_path) as server:
        yield server


@pytest.fixture
def first(app: App, server: Server, wait_until: WaitUntil) -> App:
    """A window that remembers its tabs, with the server and its two children."""
    app.restore_tabs()
    app.attach(make_target(server.process.pid, 250), has_children=True)
    wait_until(lambda: len(list_tabs(app)) == 4 and not app.tabs.is_opening)
    return app


@pytest.fixture
def start(qt: QApplication, settings: QSettings, first: App) -> Iterator[Start]:
    """Close the window and start another."""
    made: list[App] = []

    def make(between: Callable[[], None] = lambda: None) -> App:
        """``between`` is called while there is no window."""
        (made or [first])[-1].close()
        between()
        again = App(qt, settings, is_quiet=True)
        made.append(again)
        again.window.show()
        again.restore_tabs()
        return again

    yield make
    if made:
        made[-1].close()
    for each in made:
        each.window.deleteLater()


def list_tabs(app: App) -> list[str]:
    tabs = app.window.tabs
    return [tabs.tabText(index) for index in range(tabs.count())]


def find_group(app: App) -> tuple[ProfilePage, GroupDocument]:
    ((page, group),) = [
        (page, each) for page, each in app.documents.items() if isinstance(each, GroupDocument)
    ]
    return page, group


def find_capture(app: App, pid: int) -> LiveDocument:
    (found,) = [
        each
        for each in app.documents.values()
        if isinstance(each, LiveDocument) and each.status.pid == pid and each.status.is_attached
    ]
    return found


def attach_again(app: App, wait_until: WaitUntil) -> None:
    notice = app.window.message.notice
    assert notice is not None
    app.window.message.action_requested.emit(notice.action)
    wait_until(lambda: bool(app.documents) and not app.tabs.is_opening)


def test_a_group_comes_back_as_a_group(
    first: App, start: Start, server: Server, wait_until: WaitUntil
) -> None:
    """With its tabs in their order, its view and filters, and the tab that was in front; and it
    goes on to follow new children."""
    before, pid = list_tabs(first), server.process.pid
    page, group = find_group(first)
    first.window.show_page(page)
    wait_until(lambda: group.info is not None and group.scene is not None)
    page.show_view("top")
    group.transforms.choose(STEPS)
    again = start()
    notice = again.window.message.notice
    assert notice is not None
    title = f"server.py {pid} and 2 children"
    assert notice.text == f"Still running since the last session: {title}."

    attach_again(again, wait_until)
    assert list_tabs(again) == before
    page, group = find_group(again)
    assert again.window.page is page
    assert group.title == title
    wait_until(lambda: page.view == "top" and group.transforms.chosen == STEPS)
    wait_until(lambda: group.scene is not None and group.scene.total > 0)  # data of a child

    third = server.ask("fork")
    wait_until(lambda: f"└ fork {third}" in list_tabs(again))
    assert group.title == f"server.py {pid} and 3 children"


def test_the_tab_of_all_stays_closed(
    first: App, start: Start, server: Server, wait_until: WaitUntil
) -> None:
    first.window.page_close_requested.emit(find_group(first)[0])
    again = start()
    attach_again(again, wait_until)
    assert f"└ fork {server.children[0]}" in list_tabs(again)
    assert len(list_tabs(again)) == 3
    third = server.ask("fork")
    wait_until(lambda: f"└ fork {third}" in list_tabs(again))
    assert len(list_tabs(again)) == 4


def test_a_worker_that_came_meanwhile_joins_and_one_that_went_is_none(
    first: App, start: Start, server: Server, wait_until: WaitUntil
) -> None:
    """As a server replaces its workers while no window watches it."""
    gone, stays = server.children
    again = start()
    server.ask("end")
    fresh = server.ask("fork")
    attach_again(again, wait_until)
    wait_until(lambda: f"└ fork {fresh}" in list_tabs(again))
    assert f"└ fork {stays}" in list_tabs(again)
    assert f"└ fork {gone}" not in list_tabs(again)
    _, group = find_group(again)
    assert group.title == f"server.py {server.process.pid} and 2 children"


def test_children_of_a_process_that_has_ended_come_back_as_a_group(
    first: App, start: Start, server: Server, wait_until: WaitUntil
) -> None:
    """Also if it ended while the window watched it."""
    pid = server.process.pid
    last = find_capture(first, pid)
    page, group = find_group(first)
    first.window.show_page(page)
    wait_until(lambda: group.info is not None and group.scene is not None)
    page.show_view("top")
    server.abandon()
    wait_until(lambda: not last.status.is_attached)
    check_survivors(start(), server, wait_until)


def test_children_of_a_process_that_ended_between_two_runs_come_back_as_a_group(
    first: App, start: Start, server: Server, wait_until: WaitUntil
) -> None:
    page, group = find_group(first)
    first.window.show_page(page)
    wait_until(lambda: group.info is not None and group.scene is not None)
    page.show_view("top")
    check_survivors(start(server.abandon), server, wait_until)
    check_survivors(start(), server, wait_until)  # it is remembered once more


def check_survivors(app: App, server: Server, wait_until: WaitUntil) -> None:
    """Attach again: the two children come back with the tab of both, which is in front."""
    title = f"2 children of server.py {server.process.pid}"
    notice = app.window.message.notice
    assert notice is not None
    assert notice.text == f"Still running since the last session: {title}."
    attach_again(app, wait_until)
    assert list_tabs(app) == [title, *(f"└ {child}" for child in server.children)]
    page, group = find_group(app)
    assert (group.title, app.window.page) == (title, page)
    wait_until(lambda: page.view == "top")
    wait_until(lambda: group.scene is not None and group.scene.total > 0)


def test_survivors_of_a_family_are_left_with_the_last_of_their_tabs(
    first: App, start: Start, server: Server, wait_until: WaitUntil
) -> None:
    server.abandon()
    wait_until(lambda: not any(each.is_attached for each in list_statuses(first, server)))
    again = start()
    attach_again(again, wait_until)
    (followed,) = again.pages.families._followed
    for page in list(again.documents):
        assert again.pages.families._followed == [followed]
        again.pages.drop_page(page)
    assert again.pages.families._followed == []


def list_statuses(app: App, server: Server) -> list[LiveStatus]:
    """Of the captures of the first process."""
    captures = (each for each in app.documents.values() if isinstance(each, LiveDocument))
    return [each.status for each in captures if each.status.pid == server.process.pid]


def test_a_process_that_is_detached_and_attached_again_stays_in_its_group(
    first: App, server: Server, wait_until: WaitUntil
) -> None:
    """The first one, whose children are followed further, and a child."""
    pid, child = server.process.pid, server.children[0]
    _, group = find_group(first)
    for each in (pid, child):
        last = find_capture(first, each)
        wait_until(lambda last=last: last.status.n_samples > 0 or last.status.phase == "running")  # type: ignore[misc] # bound now
        last.capture.detach()
        wait_until(lambda last=last: not last.status.is_attached)  # type: ignore[misc] # bound now
        last.attach_again_requested.emit()
        wait_until(lambda each=each: not first.tabs.is_opening)  # type: ignore[misc] # bound now
        assert find_capture(first, each) in group._members
        assert last not in group._members
    assert group.title == f"server.py {pid} and 2 children"
    followed = first.pages.families.find(find_capture(first, child))
    assert followed is not None
    assert followed.document is find_capture(first, pid)
    third = server.ask("fork")
    wait_until(lambda: f"└ fork {third}" in list_tabs(first))
    assert group.title == f"server.py {pid} and 3 children"
