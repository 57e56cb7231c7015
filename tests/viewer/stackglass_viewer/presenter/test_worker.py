"""The thread that computes."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.worker import Worker


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


def test_nothing_follows_a_stop(worker: Worker, qt: QApplication) -> None:
    done: list[int] = []
    worker.submit("a", lambda: 1, done.append)
    worker.stop()
    worker.submit("b", lambda: 2, done.append)
    qt.processEvents()
    assert done == []


def test_what_is_large_is_given_back_in_the_workers_thread(worker: Worker, wait_until: Any) -> None:
    threads: list[threading.Thread] = []

    class Large:
        def __del__(self) -> None:
            threads.append(threading.current_thread())

    worker.empty([Large()])
    worker.empty([Large(), Large()])
    wait_until(lambda: len(threads) == 3)
    assert threading.current_thread() not in threads
