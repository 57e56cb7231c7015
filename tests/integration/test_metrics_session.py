"""Metrics of a process that is watched: averages of threads and tasks by state."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from harness.matrix import each_python, some_pythons
from harness.proc_state import read_tasks
from harness.pythons import Python
from harness.targets import Target
from stackglass.attach.client import Connection
from stackglass.attach.entry import attach
from stackglass.wire import messages, reader, requests

pytestmark = pytest.mark.attach

UNKNOWN, RUNNING, GIL, LOCK, CALL = range(5)
PATIENCE_S = 60.0
Kind = TypeVar("Kind")


@contextlib.contextmanager
def watch(pid: int) -> Iterator[Connection]:
    with attach(pid, new_hz=0) as connection:
        yield connection
        connection.send(requests.encode_detach())


def receive(connection: Connection, wanted: type[Kind]) -> Kind:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        content = connection.receive(0.2)
        message = reader.decode(content) if content is not None else None
        if isinstance(message, wanted):
            return message
    raise AssertionError(f"no {wanted.__name__} came")


def take(connection: Connection) -> messages.Metrics:
    return receive(connection, messages.Metrics)


def average(first: messages.Metrics, last: messages.Metrics) -> tuple[list[float], list[float]]:
    """How many threads, and tasks, there were in each state between two messages."""
    lasted_ns = last.time_mono_ns - first.time_mono_ns
    tasks_lasted_ns = last.task_time_mono_ns - first.task_time_mono_ns
    threads = zip(first.thread_ns, last.thread_ns, strict=True)
    tasks = zip(first.task_ns, last.task_ns, strict=True)
    return (
        [(after - before) / lasted_ns for before, after in threads],
        [(after - before) / tasks_lasted_ns for before, after in tasks],
    )


@pytest.mark.checklist(78)
@each_python
def test_averages_are_the_number_of_threads_and_tasks(python: Python) -> None:
    """Counts that do not change have their own average; one that computes is all the rest."""
    with Target(python, "metered.py", has_stdin=True) as target:
        with watch(target.pid) as connection:
            connection.send(requests.encode_take_metrics())
            first = take(connection)
            while not first.task_time_mono_ns:
                first = take(connection)
            last = take(connection)
            while last.task_time_mono_ns == first.task_time_mono_ns or last.n_looks < 20:
                last = take(connection)
        threads, tasks = average(first, last)
        assert threads[LOCK] == pytest.approx(2)
        assert threads[CALL] == pytest.approx(4)  # the main thread reads, too
        assert threads[RUNNING] + threads[GIL] == pytest.approx(1)
        assert threads[UNKNOWN] == 0
        running, ready, suspended = tasks
        assert (running, ready, suspended) == (1, 5, 30)
        assert last.are_tasks_whole
        assert last.n_arenas > 1
        assert target.finish()["wrong"] == 0


@some_pythons
def test_who_requests_nothing_gets_nothing(python: Python) -> None:
    """Nor does the engine look, once those that requested metrics have left."""
    with Target(python, "metered.py", has_stdin=True) as target:
        with watch(target.pid) as other:
            with watch(target.pid) as connection:
                connection.send(requests.encode_take_metrics())
                seen = take(connection)
                while seen.n_looks < 15:
                    seen = take(connection)
            until = time.monotonic() + 2.5
            while time.monotonic() < until:
                content = other.receive(0.1)
                found = reader.decode(content) if content is not None else None
                assert not isinstance(found, messages.Metrics)
            other.send(requests.encode_take_metrics())
            again = take(other)
            assert again.n_looks < seen.n_looks, "sums begin anew"
            assert sum(again.thread_ns) < sum(seen.thread_ns)
            assert sum(again.task_ns) < sum(seen.task_ns)
        target.finish()


def read_turns(pid: int) -> tuple[int, int]:
    """How long all threads waited for a processor, and their turns on one, as the kernel says."""
    lines = [path.read_text() for path in Path(f"/proc/{pid}/task").glob("*/schedstat")]
    numbers = [[int(word) for word in line.split()] for line in lines]
    return sum(each[1] for each in numbers), sum(each[2] for each in numbers)


@some_pythons
def test_turns_count_once_and_from_the_first_look_on(python: Python) -> None:
    """The kernel's own sums have the engine's threads, too, so they are the larger ones."""
    with Target(python, "metered.py", has_stdin=True) as target:
        with watch(target.pid) as connection:
            waited_ns, n_turns = read_turns(target.pid)
            connection.send(requests.encode_take_metrics())
            last = take(connection)
            while last.n_looks < 20:
                last = take(connection)
            end_waited_ns, end_n_turns = read_turns(target.pid)
        assert 0 < last.n_turns <= end_n_turns - n_turns
        assert last.run_queue_ns <= end_waited_ns - waited_ns
        target.finish()


@each_python
def test_collections_and_their_pauses_are_counted(python: Python) -> None:
    """Without a heap rate. The program's own callbacks are called, in a forked child, too."""
    with Target(python, "collecting.py", has_stdin=True) as target:
        with watch(target.pid) as connection:
            connection.send(requests.encode_take_metrics())
            first = take(connection)
            while not first.n_collections:
                first = take(connection)
            assert (list(first.n_collections), list(first.paused_ns)) == ([0, 0, 0], [0, 0, 0])
            begun_ns = time.monotonic_ns()
            assert target.ask("3") == {"seen": 6, "callbacks": 1}
            assert target.ask("fork") == {"seen": 2, "callbacks": 1}
            lasted_ns = time.monotonic_ns() - begun_ns
            last = take(connection)
            while not last.n_collections[2]:
                last = take(connection)
        assert list(last.n_collections) == [0, 0, 3]
        assert last.paused_ns[:2] == first.paused_ns[:2]
        assert 0 < last.paused_ns[2] < lasted_ns
        target.finish()


@some_pythons
def test_collections_are_not_hooked_once_no_client_wants_them(python: Python) -> None:
    """While another client keeps the engine."""
    with Target(python, "collecting.py", has_stdin=True) as target:
        with watch(target.pid) as other:
            with watch(target.pid) as connection:
                connection.send(requests.encode_take_metrics())
                while not take(connection).n_collections:
                    continue
            until = time.monotonic() + 2.5
            while time.monotonic() < until:
                other.receive(0.1)
            target.ask("2")
            other.send(requests.encode_take_metrics())
            again = take(other)
            while not again.n_collections:
                again = take(other)
            assert list(again.n_collections) == [0, 0, 0]
        target.finish()


@some_pythons
def test_collections_are_not_hooked_after_a_detach(python: Python) -> None:
    with Target(python, "collecting.py", has_stdin=True) as target:
        tasks = read_tasks(target.pid)
        for _ in range(2):
            with watch(target.pid) as connection:
                connection.send(requests.encode_take_metrics())
                seen = take(connection)
                while not seen.n_collections:
                    seen = take(connection)
                assert list(seen.n_collections) == [0, 0, 0]
                target.ask("1")
            deadline = time.monotonic() + PATIENCE_S
            while read_tasks(target.pid) != tasks:
                assert time.monotonic() < deadline, "the engine did not leave"
                time.sleep(0.01)
            assert target.ask("2")["callbacks"] == 1
        target.finish()


@some_pythons
def test_arenas_are_counted_while_the_heap_is_profiled(python: Python) -> None:
    """The interpreter keeps no account of an allocator that is hooked."""
    with Target(python, "metered.py", has_stdin=True) as target:
        with watch(target.pid) as connection:
            connection.send(requests.encode_set_heap_rate(1024))
            while not receive(connection, messages.HeapStatus).start_mono_ns:
                continue
            connection.send(requests.encode_take_metrics())
            first = take(connection)
            while not first.task_time_mono_ns:
                first = take(connection)
            assert first.n_arenas > 1
        target.finish()
