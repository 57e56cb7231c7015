"""A profile that is fetched again and again: pauses, errors, changes, the end of its thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from harness.profile_server import PlayedProfiles
from harness.profiles import encode_stacks
from stackglass.http.server import Server
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_content
from stackglass_viewer.model.remote.address import parse_address
from stackglass_viewer.model.remote.reading import Fetched, fetch_profile
from stackglass_viewer.model.remote.snapshots import SnapshotKind, SnapshotPart, Snapshots
from stackglass_viewer.presenter.remote import poller
from stackglass_viewer.presenter.remote.poller import Poller, PollStatus

WaitUntil = Callable[[Callable[[], bool]], None]
FIRST, SECOND = encode_stacks("main;work 10"), encode_stacks("main;work 25")


class Polled:
    """A poller, what it watches, and what it said."""

    def __init__(self, name: str, kind: SnapshotKind, interval_s: int) -> None:
        self.profiles = PlayedProfiles(heap=FIRST)
        self.profiles.cpu = FIRST
        self.server = Server(self.profiles)
        first = open_content(FIRST, "test")
        assert isinstance(first, Profile)
        self.snapshots = Snapshots(kind, first)
        address = parse_address(f"{self.server.url}{name}")
        self.poller = Poller(address, self.snapshots, interval_s)
        self.said: list[PollStatus] = []
        self.arrived: list[bytes] = []
        self.poller.status_changed.connect(self.said.append)
        self.poller.arrived.connect(self.arrived.append)

    @property
    def phase(self) -> str:
        return self.said[-1].phase if self.said else ""

    @property
    def total(self) -> int:
        return int(self.snapshots.choose(SnapshotPart.ALL).samples.values[1].sum())

    def close(self) -> None:
        self.poller.leave()
        self.poller.wait()
        self.server.close()


@pytest.fixture
def heap(qt: QApplication) -> Iterator[Polled]:
    polled = Polled("heap", SnapshotKind.CUMULATIVE, 1)
    yield polled
    polled.close()


def test_snapshots_arrive_and_pauses_hold_them_back(heap: Polled, wait_until: WaitUntil) -> None:
    heap.profiles.contents["heap"] = SECOND
    heap.poller.start(len(FIRST))
    wait_until(lambda: len(heap.arrived) == 1)
    assert heap.arrived == [SECOND]
    assert heap.total == 15
    assert heap.said[-1].n_fetched == 2
    heap.poller.pause(True)
    wait_until(lambda: heap.phase == "paused")
    n_asked = len(heap.profiles.asked)
    heap.poller.set_interval(60)  # wakes the thread, which stays where it is
    assert len(heap.profiles.asked) == n_asked
    heap.poller.pause(False)
    wait_until(lambda: len(heap.profiles.asked) > n_asked)  # at once, and not in a minute


def test_an_error_is_said_and_overcome(heap: Polled, wait_until: WaitUntil) -> None:
    heap.profiles.contents["heap"] = b"no profile"
    heap.poller.start(len(FIRST))
    wait_until(lambda: heap.phase == "retrying")
    assert "text file" in heap.said[-1].error
    assert "\n" not in heap.said[-1].error
    assert not heap.arrived
    heap.profiles.contents["heap"] = SECOND
    wait_until(lambda: bool(heap.arrived))
    wait_until(lambda: heap.phase == "waiting")
    assert heap.said[-1].error == ""


def test_an_unexpected_error_is_overcome_too(
    heap: Polled, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The thread ended, and the tab showed for ever that a snapshot was being fetched."""
    errors = [MemoryError("too\nlarge")]

    def fail_once(*arguments: Any) -> Fetched:
        if errors:
            raise errors.pop()
        return fetch_profile(*arguments)

    monkeypatch.setattr(poller, "fetch_profile", fail_once)
    heap.poller.start(len(FIRST))
    wait_until(lambda: heap.phase == "retrying")
    assert heap.said[-1].error == "Stackglass failed: MemoryError: too large"
    wait_until(lambda: bool(heap.arrived))


def test_a_server_that_has_gone_is_one_sentence(heap: Polled, wait_until: WaitUntil) -> None:
    heap.server.close()
    heap.poller.start(len(FIRST))
    wait_until(lambda: heap.phase == "retrying")
    assert "connection refused" in heap.said[-1].error
    assert heap.total == 0  # what was there is kept


def test_a_server_that_is_away_for_long_is_still_asked(
    heap: Polled, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After some 1000 failures, the wait was too large for a float, and the thread ended."""
    n_tries = 0

    def fail(*_: object) -> Fetched:
        nonlocal n_tries
        n_tries += 1
        raise ConnectionError("refused")

    monkeypatch.setattr(poller, "_LONGEST_WAIT_S", 0.0)
    monkeypatch.setattr(poller, "fetch_profile", fail)
    monkeypatch.setattr(poller, "describe_failure", str)
    heap.poller.set_interval(0)
    heap.poller.start(len(FIRST))
    wait_until(lambda: n_tries > 1100)
    assert heap.phase in ("fetching", "retrying")


def test_a_recorded_profile_is_asked_for_by_the_interval(
    qt: QApplication, wait_until: WaitUntil
) -> None:
    polled = Polled("profile", SnapshotKind.RECORDED, 2)
    polled.profiles.holds = True
    try:
        polled.poller.start(len(FIRST))
        wait_until(lambda: polled.profiles.asked == ["profile 2"])
        polled.poller.set_interval(60)  # what is under way is given up
        wait_until(lambda: polled.profiles.asked[-1] == "profile 60")
        assert polled.profiles.was_left.wait(10)
    finally:
        polled.close()
    assert not any(thread.name.startswith("poll ") for thread in threading.enumerate())
