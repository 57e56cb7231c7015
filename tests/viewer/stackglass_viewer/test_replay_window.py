"""A saved session opened again: who waited, at its end and at any moment; its replay."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from harness.contention_window import SERVE, TAKE
from harness.fake_clock import FakeClock
from harness.heap_talk import S
from harness.synthetic_engine import MAIN_TID, WORKER_TID, SyntheticEngine, Wait
from harness.window_session import make_target
from stackglass.wire.requests import (
    encode_set_contention_rates,
    encode_take_census,
    encode_take_lock_waits,
)
from stackglass_viewer.app import App
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.model.proto.wire_pb2 import CustomProfiles, FromEngine, ThreadSnapshot
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.replay import Replay
from stackglass_viewer.presenter.live.session import RecordedSession
from stackglass_viewer.presenter.live.texts import SHOW_WAITS
from stackglass_viewer.presenter.settings.contention_choices import WAITING_NOW
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
IN_CYCLE = ((MAIN_TID, "shop.SHELF", TAKE, WORKER_TID), (WORKER_TID, "shop.TILL", SERVE, MAIN_TID))
LOCKS: tuple[Wait, ...] = (
    (0, "shop.SHELF", TAKE, (), MAIN_TID, 4, 40_000_000),
    (0, "shop.TILL", SERVE, (), WORKER_TID, 1, 100_000_000),
)


class Reopened:
    """The tab of a session of a minute: one thread waits at 20 s, two in a cycle at 40 s."""

    def __init__(self, app: App, wait_until: WaitUntil) -> None:
        self.page: ProfilePage = next(iter(app.documents))
        document = app.documents[self.page]
        assert isinstance(document, LiveDocument)
        self.document = document
        wait_until(lambda: document.scene is not None and self.page.live is not None)
        assert self.page.live is not None
        self.live = self.page.live
        self.clock = FakeClock()
        document.replay._clock = self.clock

    @property
    def replay(self) -> Replay:
        return self.document.replay

    @property
    def total(self) -> int:
        scene = self.document.scene
        return scene.total if scene is not None else 0

    @property
    def description(self) -> str:
        return self.document.info.description if self.document.info is not None else ""

    def show_waiting(self) -> None:
        self.page.show_view("contention")
        self.document.contention.choose_grouping(WAITING_NOW)

    @property
    def count(self) -> str:
        made = self.page.tables.contention
        return made._count.whole if made is not None else ""


def make_session(path: str) -> None:
    """Samples and memory each second up to 60; objects by type, a profile that the program fills
    and the threads' stacks at 20 and 40. The engine speaks faster than the clock."""
    engine = SyntheticEngine(os.getpid())
    engine.send_hello()
    engine.send_ready()
    engine.send(encode_set_contention_rates(1, 1, 0, False, 0))
    engine.send_heap((("__main__.main", "shop.remember"), 1, 4096, 0), at_s=1)
    for second in range(2, 61):
        engine.send_samples(unit=second * 100 - 50)
        engine.send_sums((0, second, 4096, 0), at_s=second)
    engine.send_contention(*LOCKS)
    for second, waits in ((20, IN_CYCLE[:1]), (40, IN_CYCLE)):
        engine.make_waits(*waits)
        engine.lock_waits.time_mono_ns = engine.started_ns + second * S
        engine.send(encode_take_lock_waits())
        engine.make_census(("dict", second, 900), sampled="dict", bucket=0)
        engine.census.time_mono_ns = engine.started_ns + second * S
        engine.send(encode_take_census())
    own = [
        CustomProfiles(
            time_mono_ns=engine.started_ns + second * S,
            profile_name=["app.open"] if second == 20 else [],
            row=[0],
            row_profile=[0],
            row_node=[1],
            row_count=[second],
        )
        for second in (20, 40)
    ]
    threads = [
        ThreadSnapshot(
            time_mono_ns=engine.started_ns + second * S,
            tid=[MAIN_TID, WORKER_TID][: second // 20],
            node=[1, 1][: second // 20],
        )
        for second in (20, 40)
    ]
    engine.send_status(time_ns=engine.started_ns + 60 * S)
    session = RecordedSession(make_target(engine.pid))
    for packed in engine.pack_what_is_queued():
        session.live.apply(FromEngine.FromString(packed))
    for at in range(2):
        session.live.apply(FromEngine(custom_profiles=own[at]))
        session.live.apply(FromEngine(threads=threads[at]))
    session.write(path)
    session.close()


@pytest.fixture
def reopened(app: App, wait_until: WaitUntil, tmp_path: Path) -> Reopened:
    path = str(tmp_path / "shop.sgm")
    make_session(path)
    app.open_files((path,))
    wait_until(lambda: len(app.documents) == 1)
    return Reopened(app, wait_until)


def test_who_waited_last_is_shown(reopened: Reopened, wait_until: WaitUntil) -> None:
    """And the deadlock, in every view."""
    notice = reopened.page.message
    wait_until(lambda: notice.notice is not None and notice.notice.action == SHOW_WAITS)
    assert notice.notice is not None
    assert "a saved session of process" in notice.notice.text.lower()
    assert "Deadlock: these threads can never continue" in notice.notice.text
    notice.action_requested.emit(SHOW_WAITS)
    assert reopened.page.view == "contention"
    wait_until(lambda: reopened.count == "2 threads waiting for a lock at 0:40")
    assert reopened.document.waiting.model.rowCount() == 2
    assert reopened.document.waiting.model.moment.startswith("As of 0:40")
    assert not reopened.document.capture._requests.qsize()  # no process is asked


def test_who_waited_at_a_moment(reopened: Reopened, wait_until: WaitUntil) -> None:
    reopened.show_waiting()
    markers, waits = reopened.document.timeline.markers, reopened.document.waiting
    markers.choose_span(1000, 3000)
    wait_until(lambda: reopened.count == "1 thread waiting for a lock at 0:20")
    markers.choose_span(500, 1500)
    wait_until(lambda: not waits.model.has_answer)
    assert waits.no_waiting.title == "No waiting threads known"
    assert reopened.count == ""
    markers.choose_mode("now")
    wait_until(lambda: reopened.count == "2 threads waiting for a lock at 0:40")


def test_replay_moves_every_view(reopened: Reopened, wait_until: WaitUntil) -> None:
    """By the key, which shows the timeline; what is seen is what was seen live."""
    whole = reopened.total
    document, replay, clock = reopened.document, reopened.replay, reopened.clock
    reopened.live.bar.choose_span("10 s")
    QTest.keyClick(reopened.page.window(), Qt.Key.Key_P)
    assert replay.state.is_playing
    assert not reopened.live.timeline.isHidden()
    wait_until(lambda: document.timeline.markers.marks.is_replay)
    clock.advance(25 * S)
    wait_until(lambda: document.brush.chosen == (16 * S, 26 * S))
    wait_until(lambda: reopened.description.endswith("from 0:16 to 0:26"))
    assert 0 < reopened.total < whole
    QTest.keyClick(reopened.page.window(), Qt.Key.Key_P)
    assert not replay.state.is_playing
    QTest.keyClick(reopened.page.window(), Qt.Key.Key_P, Qt.KeyboardModifier.ShiftModifier)
    assert replay.state.speed == 4
    buttons = reopened.live.timeline.replay
    assert buttons._speed.text() == "4×"
    assert buttons._play.accessibleName() == "Play"
    buttons._play.click()
    assert buttons._play.accessibleName() == "Pause replay"
    clock.advance(20 * S)
    wait_until(lambda: not replay.state.is_playing)
    assert document.brush.chosen == (50 * S, 60 * S)


def test_memory_in_use_is_replayed(reopened: Reopened, wait_until: WaitUntil) -> None:
    """The choice of the user does not change, as it does where a span is drawn by hand."""
    document, replay, clock = reopened.document, reopened.replay, reopened.clock
    document.choose_sample_type(SampleType("inuse_space", "bytes"))
    wait_until(lambda: reopened.total == 60 * 4096)
    reopened.live.toggle_replay()
    wait_until(lambda: document.timeline.markers.marks.is_replay)
    clock.advance(29 * S)
    wait_until(lambda: reopened.total == 30 * 4096)
    assert document.shown_type.name == "inuse_space"
    assert reopened.description == "120 KiB in use at 0:30"
    wait_until(lambda: reopened.page.heap_bar._when.currentText() == "At 0:30")
    document.timeline.markers.choose_mode("now")
    wait_until(lambda: reopened.total == 60 * 4096)
    assert reopened.page.heap_bar._when.currentText() == "At the end"
    assert not replay.state.is_playing


def test_what_the_program_holds_is_replayed(reopened: Reopened, wait_until: WaitUntil) -> None:
    """Objects by type, a profile that it fills, and where its threads stood."""
    document, replay, clock = reopened.document, reopened.replay, reopened.clock
    wait_until(lambda: document.types.rowCount() == 1)

    def count() -> str:
        return str(document.types.index(0, 2).data(Qt.ItemDataRole.AccessibleTextRole))

    assert count() == "40"
    document.choose_sample_type(SampleType("app.open", "count"))
    wait_until(lambda: reopened.description == "40 values at the end")
    reopened.live.toggle_replay()
    wait_until(lambda: document.timeline.markers.marks.is_replay)
    wait_until(lambda: document.types.rowCount() == 0)
    clock.advance(29 * S)
    wait_until(lambda: reopened.description == "20 values at 0:30")
    wait_until(lambda: document.types.rowCount() == 1 and count() == "20")
    replay.pause()
    document.choose_sample_type(SampleType("threads", "count"))
    wait_until(lambda: reopened.description == "1 thread, stacks at 0:20")
    document.timeline.markers.choose_mode("now")
    wait_until(lambda: reopened.description == "2 threads, stacks at 0:40")
    wait_until(lambda: count() == "40")


def test_a_tab_that_is_left_pauses(reopened: Reopened, wait_until: WaitUntil) -> None:
    reopened.live.toggle_replay()
    reopened.document.set_front(False)
    assert not reopened.replay.state.is_playing
