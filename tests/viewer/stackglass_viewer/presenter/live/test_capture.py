"""A capture of a synthetic engine: phases, requests, and every way to end."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtWidgets import QApplication

from harness.synthetic_engine import SyntheticEngine
from stackglass.attach.errors import NotAllowedError
from stackglass.wire.rates import Rates
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.presenter.live import capture as capture_module
from stackglass_viewer.presenter.live.capture import Capture, Link
from stackglass_viewer.presenter.live.target import Target
from stackglass_viewer.presenter.settings.view_state import LiveStatus

WaitUntil = Callable[[Callable[[], bool]], None]
PID = os.getpid()
TARGET = Target(PID, Rates(250, 65536, 10, 20, 30, 1, 40_000_000, 50))


class Silent(SyntheticEngine):
    """Takes a request to detach and never says Bye."""

    def send_bye(self, reason: str = "") -> None:
        """Nothing."""


@pytest.fixture
def engine() -> SyntheticEngine:
    made = SyntheticEngine(PID)
    made.send_hello()
    return made


@pytest.fixture
def attach(qt: QApplication) -> Iterator[Callable[[Link], Capture]]:
    made: list[Capture] = []

    def start(link: Link, target: Target = TARGET) -> Capture:
        capture = Capture(target, LiveProfile(), lambda _pid, _hz: link)
        made.append(capture)
        capture.start()
        return capture

    yield start
    for capture in made:
        capture.leave()
        capture.wait()


def list_requests(engine: SyntheticEngine) -> list[str]:
    kinds = [request.WhichOneof("message") or "" for request in engine.sent]
    return [kind for kind in kinds if kind != "snapshot_threads"]


def test_a_capture_begins_with_requests_for_its_rates(
    qt: QApplication, engine: SyntheticEngine, wait_until: WaitUntil
) -> None:
    asked: list[tuple[int, int]] = []

    def connect(pid: int, hz: int) -> Link:
        asked.append((pid, hz))
        return engine

    capture = Capture(Target(PID, TARGET.rates, has_native=False), LiveProfile(), connect)
    phases: list[str] = []
    capture.status_changed.connect(lambda status: phases.append(status.phase))
    assert capture.status.phase == "connecting"
    capture.start()
    wait_until(lambda: len(list_requests(engine)) == 5)
    engine.send_ready()
    wait_until(lambda: capture.status.phase == "running")
    capture.leave()
    capture.wait()
    assert asked == [(PID, 250)]
    assert list(dict.fromkeys(phases))[-2:] in (["waiting", "running"], ["running"])
    heap, contention = (engine.sent[0].set_heap_rate, engine.sent[1].set_contention_rates)
    assert (heap.rate, heap.without_native) == (65536, 1)
    assert (contention.block_rate_ns, contention.mutex_fraction) == (10, 20)
    assert (contention.gil_hz, contention.has_other, contention.stall_ns) == (30, 1, 40_000_000)
    assert engine.sent[2].set_wall_rate.wall_hz == 50
    assert list_requests(engine)[3:] == ["take_custom_profiles", "take_metrics"]
    assert engine.is_closed


@pytest.mark.parametrize(
    ("rates", "wanted"),
    [
        (Rates(100, 0, 0, 0, 0), []),
        (Rates(100, 0, 0, 7, 0), ["set_contention_rates"]),
    ],
)
def test_a_rate_of_0_requests_no_change(
    qt: QApplication,
    engine: SyntheticEngine,
    wait_until: WaitUntil,
    rates: Rates,
    wanted: list[str],
) -> None:
    capture = Capture(Target(PID, rates), LiveProfile(), lambda _pid, _hz: engine)
    capture.start()
    wanted = [*wanted, "take_custom_profiles", "take_metrics"]
    wait_until(lambda: list_requests(engine) == wanted)
    capture.leave()
    capture.wait()
    request = engine.sent[0].set_contention_rates
    assert request.mutex_fraction == rates.mutex_fraction
    kept = 0b101 if rates.mutex_fraction else 0  # bits 0 and 2: the block rate, the GIL's
    assert (request.kept, request.changed) == (kept, 0)


def test_requests_are_sent_in_order(
    attach: Callable[[Link], Capture], engine: SyntheticEngine, wait_until: WaitUntil
) -> None:
    capture = attach(engine)
    wait_until(lambda: len(list_requests(engine)) == 5)
    del engine.sent[:]
    engine.send_ready()
    capture.set_rate(1000)
    capture.set_wall_rate(20)
    capture.set_heap_rate(4096)
    capture.set_contention(Rates(0, 0, 1, 2, 3))
    capture.take_waits()
    capture.collect()
    capture.take_census()
    wanted = ["set_rates", "set_wall_rate", "set_heap_rate", "set_contention_rates"]
    wanted += ["take_lock_waits", "collect", "take_census"]
    wait_until(lambda: list_requests(engine) == wanted)
    wait_until(lambda: capture.status.n_censuses == 1 and capture.status.n_waits == 1)
    assert capture.status.rates.cpu_hz == 1000
    assert capture.status.rates.heap_rate == 4096
    assert capture.status.rates.wall_hz == 20
    assert capture.status.rates[2:5] == (1, 2, 3)
    wait_until(lambda: not capture.status.is_collecting)
    assert capture.status.collected == "collected"
    assert not capture.status.is_counting


def test_detaching_ends_with_the_engines_bye(
    attach: Callable[[Link], Capture], engine: SyntheticEngine, wait_until: WaitUntil
) -> None:
    capture = attach(engine)
    engine.send_ready()
    wait_until(lambda: capture.status.phase == "running")
    capture.detach()
    wait_until(lambda: capture.status.phase == "detached")
    assert list_requests(engine).count("detach") == 1
    wait_until(lambda: engine.is_closed)


def test_an_engine_that_never_says_bye_is_left(
    attach: Callable[[Link], Capture], monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    monkeypatch.setattr(capture_module, "_DETACH_S", 0.2)
    engine = Silent(PID)
    capture = attach(engine)
    capture.detach()
    capture.detach()  # asks once
    wait_until(lambda: capture.status.phase == "detached")
    assert list_requests(engine).count("detach") == 1


def test_a_refusal_and_a_lost_connection_are_different_ends(
    qt: QApplication, engine: SyntheticEngine, wait_until: WaitUntil
) -> None:
    def refuse(_pid: int, _hz: int) -> Link:
        raise NotAllowedError("process 1 belongs to root", "run with sudo")

    refused = Capture(TARGET, LiveProfile(), refuse)
    refused.start()
    wait_until(lambda: refused.status.phase == "failed")
    assert "belongs to root" in refused.status.message
    lost = Capture(TARGET, LiveProfile(), lambda _pid, _hz: engine)
    lost.start()
    engine.send_end()
    wait_until(lambda: lost.status.phase == "lost")  # "lost": the process, this one, still runs
    for capture in (refused, lost):
        capture.wait()


def test_a_fault_of_the_viewer_ends_the_capture_too(
    attach: Callable[[Link], Capture],
    engine: SyntheticEngine,
    wait_until: WaitUntil,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> Link:
        raise IndexError("42")

    seen: list[object] = []
    monkeypatch.setattr(threading, "excepthook", seen.append)
    monkeypatch.setattr(LiveProfile, "apply", fail)
    capture = attach(engine)
    refused = Capture(TARGET, LiveProfile(), fail)
    refused.start()
    for each, phase in ((capture, "lost"), (refused, "failed")):
        wait_until(lambda each=each, phase=phase: each.status.phase == phase)  # type: ignore[misc]
        assert each.status.message == "Stackglass failed: IndexError: 42"
        each.wait()
    assert len(seen) == 2


def test_the_window_is_notified_of_data_and_not_too_often(
    attach: Callable[[Link], Capture], engine: SyntheticEngine, wait_until: WaitUntil
) -> None:
    capture = attach(engine)
    arrived: list[None] = []
    seen: list[LiveStatus] = []
    capture.data_arrived.connect(lambda: arrived.append(None))
    capture.status_changed.connect(seen.append)
    engine.send_ready()
    for _ in range(50):
        engine.send_samples()
    engine.send_status()
    wait_until(lambda: capture.status.n_samples == 200)
    assert 1 <= len(arrived) < 25
    assert [status.phase for status in seen][-1] == "running"


def test_a_process_that_keeps_the_gil_is_looked_at_from_outside(
    monkeypatch: pytest.MonkeyPatch,
    engine: SyntheticEngine,
    attach: Callable[[Link], Capture],
    wait_until: WaitUntil,
) -> None:
    lines = ("Thread 7 is in", "match  re.py:1")
    monkeypatch.setattr(capture_module, "describe_outside_stack", lambda pid: lines)
    capture = attach(engine)
    engine.send_status(gil_wait_ns=200_000_000)
    wait_until(lambda: capture.status.gil_wait_ns == 200_000_000)
    assert capture.status.outside_stack == ()
    engine.send_status(gil_wait_ns=400_000_000)
    wait_until(lambda: capture.status.outside_stack == lines)
    engine.send_ready()
    wait_until(lambda: capture.status.phase == "running")
    assert capture.status.outside_stack == ()
