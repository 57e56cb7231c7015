"""Children are followed: processes cannot be listed, or the last process of a family ends."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable

import pytest

from harness.synthetic_engine import SyntheticEngine
from harness.window_session import make_target
from stackglass_viewer import captures, families
from stackglass_viewer.app import App
from stackglass_viewer.families import Followed
from stackglass_viewer.presenter.settings.view_state import ProcessRow
from stackglass_viewer.view.widgets.message_bar import MessageBar

WaitUntil = Callable[[Callable[[], bool]], None]
TEXT = (
    "New child processes cannot be found: No /proc. Stackglass keeps trying. Children that are "
    "attached already stay attached."
)


class Listing:
    """A list of processes that can fail."""

    def __init__(self) -> None:
        self.problem = ""
        self.n_calls = 0

    def find(self) -> list[ProcessRow]:
        self.n_calls += 1
        if self.problem:
            raise OSError(self.problem)
        return []


@pytest.fixture
def listing(monkeypatch: pytest.MonkeyPatch) -> Listing:
    listing = Listing()
    monkeypatch.setattr(families, "find_python_processes", listing.find)
    engine = SyntheticEngine(os.getpid())
    monkeypatch.setattr(captures, "connect_engine", lambda _pid, _hz: engine)
    return listing


def follow(app: App, wait_until: WaitUntil) -> tuple[Followed, MessageBar]:
    document = app.attach(make_target(os.getpid(), 100), has_children=True)
    wait_until(lambda: document in app.documents.values() and app.windows.page is not None)
    page = app.windows.page
    assert page is not None
    (followed,) = app.pages.families._followed
    followed.family._timer.setInterval(1)
    return followed, page.message


def wait_for_looks(listing: Listing, wait_until: WaitUntil) -> None:
    n_calls = listing.n_calls
    wait_until(lambda: listing.n_calls > n_calls + 2)


def test_a_failure_is_said_once_and_until_it_is_over(
    app: App, listing: Listing, wait_until: WaitUntil
) -> None:
    _, message = follow(app, wait_until)
    listing.problem = "no /proc"
    wait_until(lambda: message.notice is not None)
    assert message.notice is not None
    assert (message.notice.tone, message.notice.text) == ("warning", TEXT)
    message.dismiss()
    wait_for_looks(listing, wait_until)
    assert message.notice is None  # the user has closed it
    listing.problem = "no memory"
    wait_until(lambda: message.notice is not None)
    listing.problem = ""
    wait_until(lambda: message.notice is None)
    listing.problem = "no memory"  # again
    wait_until(lambda: message.notice is not None)


def test_a_family_without_its_first_process_says_it_in_another_tab(
    app: App, listing: Listing, wait_until: WaitUntil
) -> None:
    target = make_target(os.getpid(), 100)
    followed = app.pages.families.follow_survivors(target, "server.py 1")
    group = app.pages.families.reopen_group(followed)
    app.pages.families.rejoin(followed, os.getpid())
    wait_until(lambda: group in app.documents.values())
    (page,) = (page for page, each in app.documents.items() if each is group)
    followed.family._timer.setInterval(1)
    listing.problem = "no /proc"
    wait_until(lambda: page.message.notice is not None)
    assert page.message.notice is not None
    assert page.message.notice.text == TEXT


def test_the_last_survivor_of_a_family_ends_with_its_tab(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    """The first process had ended before, and the tab of all was closed."""
    monkeypatch.setattr(families, "find_python_processes", lambda: [])
    with subprocess.Popen(["sleep", "600"]) as survivor:
        engine = SyntheticEngine(survivor.pid)
        monkeypatch.setattr(captures, "connect_engine", lambda _pid, _hz: engine)
        followers = app.pages.families
        followed = followers.follow_survivors(make_target(survivor.pid, 100), "server.py 1")
        child = followers.rejoin(followed, survivor.pid)
        wait_until(lambda: child in followers._seen)
        followers._seen.discard(child)  # as if another tab had been in front all the time
        survivor.kill()
    engine.send_bye("killed")
    wait_until(lambda: not child.status.is_attached)
    wait_until(lambda: followed not in followers._followed)
    wait_until(lambda: child not in app.documents.values())
