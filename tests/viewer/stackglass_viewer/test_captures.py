"""Tabs of processes: what is attached to again, and what is remembered for the next time."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from harness.synthetic_engine import SyntheticEngine
from harness.window_session import WindowSession, make_target
from stackglass_viewer import captures as composition
from stackglass_viewer.app import App
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.texts import ATTACH_AGAIN
from stackglass_viewer.restoring import RECONNECT
from stackglass_viewer.view.timeline.panel import TimelinePanel

WaitUntil = Callable[[Callable[[], bool]], None]
PID = os.getpid()


def test_attaching_again_leaves_out_what_the_first_time_left_out(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    def connect(_pid: int, _hz: int) -> SyntheticEngine:
        engine = SyntheticEngine(PID)
        engine.send_hello()
        engine.send_ready()
        return engine

    monkeypatch.setattr(composition, "connect_engine", connect)
    target = replace(make_target(PID), has_native=False, variables=("shop:request",))
    document = app.attach(target)
    wait_until(lambda: document.status.phase == "running" and app.window.page is not None)
    document.capture.detach()
    wait_until(lambda: document.status.phase == "detached")
    document.take_action(ATTACH_AGAIN)
    (again,) = [each for each in app.tabs.all if each is not document]
    assert isinstance(again, LiveDocument)
    wait_until(lambda: again.status.phase == "running")
    asked = again.capture.target
    assert (asked.pid, asked.has_native, asked.variables) == (PID, False, ("shop:request",))
    wait_until(lambda: list(app.documents.values()) == [again])  # the other had no samples


def test_attaching_again_leaves_cpu_sampling_off(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    asked: list[int] = []

    def connect(_pid: int, hz: int) -> SyntheticEngine:
        asked.append(hz)
        engine = SyntheticEngine(PID)
        engine.cpu_hz = hz
        engine.send_hello()
        engine.send_ready()
        return engine

    monkeypatch.setattr(composition, "connect_engine", connect)
    target = make_target(PID)
    document = app.attach(replace(target, rates=target.rates._replace(cpu_hz=0, wall_hz=20)))
    wait_until(lambda: document.status.phase == "running" and app.window.page is not None)
    document.capture.detach()
    wait_until(lambda: document.status.phase == "detached")
    document.take_action(ATTACH_AGAIN)
    wait_until(lambda: asked == [0, 0])


def test_the_next_run_leaves_out_the_same(
    app: App,
    qt: QApplication,
    settings: QSettings,
    monkeypatch: pytest.MonkeyPatch,
    wait_until: WaitUntil,
) -> None:
    """After ``--no-native-memory`` it had changed import tables all the same."""
    engine = SyntheticEngine(PID)
    monkeypatch.setattr(composition, "connect_engine", lambda _pid, _hz: engine)
    app.restore_tabs()
    document = app.attach(replace(make_target(PID), has_native=False, variables=("shop:request",)))
    engine.send_ready()
    wait_until(lambda: document.status.phase == "running" and app.window.page is not None)
    app.close()
    later = App(qt, settings, is_quiet=True)
    later.window.show()
    later.restore_tabs()
    later.window.message.action_requested.emit(RECONNECT)
    wait_until(lambda: len(later.documents) == 1)
    (again,) = later.documents.values()
    assert isinstance(again, LiveDocument)
    asked = again.capture.target
    assert (asked.pid, asked.has_native, asked.variables) == (PID, False, ("shop:request",))
    (record,) = later.pages.restoring.list_records()
    assert (record.has_native, record.variables) == (False, ("shop:request",)), "nor after that"
    later.close()
    later.window.deleteLater()


def test_a_timeline_of_the_command_line_is_not_remembered(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    app.pages.captures._is_quiet = False
    app.force_view("timeline")
    session = WindowSession(app, SyntheticEngine(PID), monkeypatch, wait_until)
    wait_until(lambda: session.page.live is not None and session.live.timeline.isVisible())
    assert not app.preferences.is_timeline_shown
    session.live.show_timeline(False)
    session.live.show_timeline(True)
    assert app.preferences.is_timeline_shown
    app.pages.captures._is_quiet = True


def test_a_hidden_timeline_is_made_when_it_is_shown(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    """With the replay as it is then."""
    session = WindowSession(app, SyntheticEngine(PID), monkeypatch, wait_until)
    wait_until(lambda: session.page.live is not None and not app.tabs.is_opening)
    assert not session.page.findChildren(TimelinePanel)
    session.document.replay.step_speed()
    assert session.live.timeline.replay._speed.text() == f"{session.document.replay.state.speed}×"
    session.document.replay.step_speed()
    assert session.live.timeline.replay._speed.text() == f"{session.document.replay.state.speed}×"
