"""The thread that computes."""

from __future__ import annotations

import gc
import sys
import threading
import time
import weakref
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.worker import Worker


class Large:
    """Notes the thread that frees it."""

    def __init__(self, freed_in: list[threading.Thread]) -> None:
        self._freed_in = freed_in

    def __del__(self) -> None:
        self._freed_in.append(threading.current_thread())


@pytest.fixture
def uncollected() -> Iterator[None]:
    """Nothing is freed but by reference counts."""
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def worker(qt: QApplication) -> Iterator[Worker]:
    made = Worker("test")
    yield made
    made.stop()


def test_results_arrive_on_the_thread_that_asked(worker: Worker, wait_until: Any) -> None:
    threads: list[threading.Thread] = []
    worker.submit(
        "a",
        lambda: threads.append(threading.current_thread()),
        lambda _: threads.append(threading.current_thread()),
    )
    wait_until(lambda: len(threads) == 2)
    assert threads[0] is not threading.current_thread()
    assert threads[1] is threading.current_thread()


def test_of_many_requests_the_newest_is_computed(worker: Worker, wait_until: Any) -> None:
    gate = threading.Event()
    done: list[int] = []
    worker.submit("first", gate.wait, lambda _: None)
    for number in range(100):
        worker.submit("same", partial(int, number), done.append)
    gate.set()
    wait_until(lambda: bool(done))
    assert done == [99]


def test_an_error_goes_to_who_asked(worker: Worker, wait_until: Any) -> None:
    failures: list[Exception] = []
    worker.submit("bad", lambda: 1 // 0, lambda _: None, failures.append)
    wait_until(lambda: bool(failures))
    assert isinstance(failures[0], ZeroDivisionError)


def test_an_error_that_none_asked_for_reaches_the_window(
    worker: Worker, wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It went to the worker's thread alone, so that a view stayed as it was without a word."""
    raised: list[tuple[Exception, threading.Thread]] = []

    def hear(_kind: object, error: Exception, _trace: object) -> None:
        raised.append((error, threading.current_thread()))

    monkeypatch.setattr(sys, "excepthook", hear)
    done: list[float] = []
    worker.submit("bad", lambda: 1 / 0, done.append)
    wait_until(lambda: bool(raised))
    ((error, thread),) = raised
    assert isinstance(error, ZeroDivisionError)
    assert thread is threading.current_thread()
    worker.submit("good", lambda: 1.0, done.append)
    wait_until(lambda: done == [1.0])


def test_nothing_follows_a_stop(worker: Worker, qt: QApplication) -> None:
    done: list[int] = []
    worker.submit("a", lambda: 1, done.append)
    worker.stop()
    worker.submit("b", lambda: 2, done.append)
    qt.processEvents()
    assert done == []


def test_what_is_large_is_given_back_in_the_workers_thread(worker: Worker, wait_until: Any) -> None:
    threads: list[threading.Thread] = []
    worker.empty([Large(threads)])
    worker.empty([Large(threads), Large(threads)])
    wait_until(lambda: len(threads) == 3)
    assert threading.current_thread() not in threads


def test_what_a_job_reads_is_freed_in_the_workers_thread(
    worker: Worker, wait_until: Any, uncollected: None
) -> None:
    """The GUI thread freed it with the result, if the job had the last reference."""
    threads: list[threading.Thread] = []
    given, results = [Large(threads)], list[int]()
    worker.submit("a", partial(len, tuple(given)), results.append)
    given.clear()
    wait_until(lambda: results == [1] and bool(threads))
    assert threads == [worker._thread]


@pytest.mark.parametrize("is_handled", [True, False])
def test_what_a_failed_job_reads_is_freed_in_the_workers_thread(
    is_handled: bool,
    worker: Worker,
    wait_until: Any,
    uncollected: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An error refers to the local values of all functions that it has passed."""
    threads: list[threading.Thread] = []
    failures: list[Exception] = []
    monkeypatch.setattr(sys, "excepthook", lambda _kind, error, _trace: failures.append(error))
    given = [Large(threads)]
    on_failed = failures.append if is_handled else None
    worker.submit("bad", lambda: _fail_with(given.pop()), lambda _: None, on_failed)
    wait_until(lambda: bool(failures))
    assert threads == [worker._thread]


def test_what_a_failed_job_reads_is_freed_after_a_worker_was_left(
    worker: Worker, uncollected: None
) -> None:
    threads: list[threading.Thread] = []
    begun, gate, given = threading.Event(), threading.Event(), [Large(threads)]

    def fail() -> None:
        begun.set()
        gate.wait(30)
        _fail_with(given.pop())

    worker.submit("bad", fail, lambda _: None, lambda _: None)
    assert begun.wait(30)
    worker.leave()
    gate.set()
    worker.wait()
    assert threads == [worker._thread]


def test_a_failed_job_of_a_left_worker_leaves_no_cycle(worker: Worker, uncollected: None) -> None:
    """The error and the frame of the thread kept all that the job had used until a collection,
    which frees it in the GUI thread."""
    begun, gate, kept = threading.Event(), threading.Event(), list[weakref.ref[Exception]]()

    class Odd(Exception):
        pass

    def fail() -> None:
        begun.set()
        gate.wait(30)
        error = Odd()
        kept.append(weakref.ref(error))
        raise error

    worker.submit("bad", fail, lambda _: None, lambda _: None)
    assert begun.wait(30)
    worker.leave()
    gate.set()
    worker.wait()
    assert [each() for each in kept] == [None]


def test_jobs_that_do_not_run_any_more_are_freed_by_the_thread_that_waits(
    worker: Worker, uncollected: None
) -> None:
    gate, threads = threading.Event(), list[threading.Thread]()
    given = [Large(threads)]
    worker.submit("first", lambda: gate.wait(30), lambda _: None)
    worker.submit("second", partial(len, tuple(given)), lambda _: None)
    given.clear()
    worker.leave()
    gate.set()
    waiter = threading.Thread(target=worker.wait)
    waiter.start()
    waiter.join()
    assert threads == [waiter]


def _fail_with(large: Large) -> None:
    raise ZeroDivisionError(repr(type(large)))


def test_waiting_jobs_run_before_a_worker_finishes(worker: Worker) -> None:
    gate, ran = threading.Event(), list[str]()
    worker.submit("first", lambda: gate.wait(30), lambda _: None)
    worker.submit("second", lambda: ran.append("second"), lambda _: None)
    release = threading.Timer(0.1, gate.set)
    release.start()
    worker.finish()
    release.join()
    worker.submit("third", lambda: ran.append("third"), lambda _: None)
    assert ran == ["second"]
    assert not worker._thread.is_alive()


def test_what_fails_as_a_worker_finishes_is_printed(
    worker: Worker, qt: QApplication, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that could not be written at the program's end was reported nowhere."""
    failures: list[Exception] = []

    def fail() -> None:
        raise OSError("the disk\nis full")

    worker.submit("early.svg", fail, lambda _: None, failures.append)
    while worker.is_busy("early.svg"):  # its error is on its way
        time.sleep(0.01)
    worker.submit("late.svg", fail, lambda _: None, failures.append)
    worker.submit("good.svg", lambda: None, lambda _: None, failures.append)
    worker.finish()
    assert capsys.readouterr().err == "stackglass: the disk is full\n" * 2
    qt.processEvents()
    assert not failures


def test_jobs_that_are_not_finished_in_time_are_named(
    worker: Worker, capsys: pytest.CaptureFixture[str]
) -> None:
    begun, gate = threading.Event(), threading.Event()

    def wait() -> None:
        begun.set()
        gate.wait(30)

    worker.submit("slow.svg", wait, lambda _: None)
    worker.submit("next.svg", lambda: None, lambda _: None)
    assert begun.wait(30)
    worker.finish(time.monotonic() + 0.1)
    assert worker.is_busy("slow.svg")  # it was not waited for
    gate.set()
    assert capsys.readouterr().err.splitlines() == [
        "stackglass: not finished before the program ended: slow.svg",
        "stackglass: not finished before the program ended: next.svg",
    ]


def test_an_error_that_was_reported_is_not_kept(
    worker: Worker, wait_until: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With it, Python kept all objects of its frames: a whole profile."""
    raised: list[object] = []
    monkeypatch.setattr(sys, "excepthook", lambda kind, *_: raised.append(kind))
    for name in ("last_exc", "last_value", "last_traceback"):
        monkeypatch.delattr(sys, name, raising=False)
    worker.submit("bad", lambda: 1 / 0, lambda _: None)
    wait_until(lambda: bool(raised))
    assert raised == [ZeroDivisionError]
    assert not hasattr(sys, "last_value")
    assert not hasattr(sys, "last_exc")


def test_an_error_after_a_worker_was_left_is_reported(
    worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, gate = threading.Event(), threading.Event()
    seen: list[type[BaseException]] = []
    monkeypatch.setattr(threading, "excepthook", lambda about: seen.append(about.exc_type))

    def fail() -> None:
        begun.set()
        gate.wait(30)
        raise ZeroDivisionError

    worker.submit("bad", fail, lambda _: None)
    assert begun.wait(30)
    worker.leave()
    gate.set()
    worker.wait()
    assert seen == [ZeroDivisionError]
