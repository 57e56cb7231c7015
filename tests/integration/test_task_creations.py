"""Creators of asyncio tasks, and since when tasks wait, of real processes."""

from __future__ import annotations

import time
from collections import Counter

import pytest

from harness.matrix import each_python, some_pythons
from harness.proc_state import read_tasks
from harness.pythons import Python
from harness.targets import Target
from harness.thread_dumps import dump_session, make_session
from stackglass.attach.entry import attach
from stackglass.threads.creators import find_creator
from stackglass.threads.report import DumpedProcess, Report, TaskEntry, build_report
from stackglass.threads.session import Dump
from stackglass.wire import requests

pytestmark = pytest.mark.attach

BEFORE, UNKNOWN = "<before attach>", "?"
MAIN = "Task-1"
FIRST_MINOR_OF_EAGER = 12
N_MANY = 300
PATIENCE_S = 20.0


def report(dump: Dump, pid: int) -> Report:
    return build_report(dump, DumpedProcess(pid))


def name_creator(task: TaskEntry) -> str:
    """The function without its module; BEFORE, or UNKNOWN."""
    line = find_creator(task.creation)
    if line is not None:
        assert task.creator
        return line.function.rpartition(".")[2]
    assert not task.creator
    return BEFORE if task.is_older else UNKNOWN


def list_creators(dump: Dump, pid: int) -> dict[str, str]:
    """By name, of the tasks that the program has named."""
    tasks = report(dump, pid).tasks
    return {task.name: name_creator(task) for task in tasks if task.has_own_name}


def count_creators(dump: Dump, pid: int) -> Counter[str]:
    """Of the tasks that the program has not named, without its first one, which may run."""
    tasks = (task for task in report(dump, pid).tasks if task.name != MAIN)
    return Counter(name_creator(task) for task in tasks if not task.has_own_name)


def leave(pid: int, before: dict[int, str]) -> None:
    """Until the engine's threads have gone."""
    until = time.monotonic() + PATIENCE_S
    while read_tasks(pid) != before and time.monotonic() < until:
        time.sleep(0.01)
    assert read_tasks(pid) == before


@each_python
def test_each_task_names_its_creator(python: Python) -> None:
    """Of every class of C tasks; what is older has none, and so has a task in Python."""
    with Target(python, "creating_tasks.py", has_stdin=True) as target:
        older = dict.fromkeys(("older", "older light", "older waiter"), BEFORE)
        with dump_session(target.pid) as session:
            assert list_creators(session.take(), target.pid) == older
            target.ask("kinds")
            dump = session.take()
        wanted = {
            **older,
            "plain": "create_plain",
            "light": "create_light",
            "new light": "create_new_light",
            "own": "__init__",
            "in Python": UNKNOWN,
            "callback": "call_back",
            "in a task": "create_in_task",
        }
        if python.minor >= FIRST_MINOR_OF_EAGER:
            wanted["eager"] = "create_eagerly"
        assert list_creators(dump, target.pid) == wanted
        tasks = {task.name: task for task in report(dump, target.pid).tasks}
        assert tasks["plain"].creator == target.pid
        stack = [line.function.rpartition(".")[2] for line in tasks["plain"].creation]
        assert stack[:3] == ["create_task", "create_plain", "create_kinds"]
        assert stack[-1] == "<module>"
        target.finish()


@each_python
def test_a_task_at_the_address_of_another_has_its_own_creator(python: Python) -> None:
    """Also of one that was created while no engine was there, and of one in between."""
    with Target(python, "creating_tasks.py", has_stdin=True) as target:
        target.ask(f"churn {N_MANY}")  # its executor's thread has begun by now
        before = read_tasks(target.pid)
        with dump_session(target.pid) as session:
            assert not count_creators(session.take(), target.pid)
            target.ask(f"churn {N_MANY * 10}")
            target.ask(f"spawn {N_MANY}")
            assert count_creators(session.take(), target.pid) == {"spawn": N_MANY}
            target.ask("drop")
            target.ask(f"other {N_MANY}")
            assert count_creators(session.take(), target.pid) == {"spawn_others": N_MANY}
            target.ask("drop")
        leave(target.pid, before)
        target.ask(f"spawn {N_MANY}")
        with dump_session(target.pid) as session:
            assert count_creators(session.take(), target.pid) == {BEFORE: N_MANY}
            target.ask(f"other {N_MANY}")
            found = count_creators(session.take(), target.pid)
            assert found == {BEFORE: N_MANY, "spawn_others": N_MANY}
            target.ask("drop")
            target.ask(f"spawn {N_MANY}")
            assert count_creators(session.take(), target.pid) == {"spawn": N_MANY}
        target.finish()


@some_pythons
def test_creators_of_very_many_tasks_are_known(python: Python) -> None:
    """Of all but those few whose place in the table was taken."""
    n_many = 40_000
    with Target(python, "creating_tasks.py", has_stdin=True) as target:
        with dump_session(target.pid) as session:
            session.take()
            target.ask(f"spawn {n_many}")
            found = count_creators(session.take(), target.pid)
        assert set(found) <= {"spawn", UNKNOWN}
        assert found.total() == n_many
        assert found[UNKNOWN] < n_many // 1000
        target.finish()


@some_pythons
def test_how_long_a_task_has_waited(python: Python) -> None:
    """Where waits are recorded, of those that began since; of others nothing is said."""
    with (
        Target(python, "creating_tasks.py", has_stdin=True) as target,
        attach(target.pid, new_hz=0) as connection,
    ):
        session = make_session(connection)
        target.ask("wait")
        assert {task.waited_ns for task in report(session.take(), target.pid).tasks} == {-1}
        connection.send(requests.encode_set_contention_rates(1))
        wanted = Counter(take=1, wait=1, get=1)
        until = time.monotonic() + PATIENCE_S
        found: Counter[str] = Counter()
        while found != wanted and time.monotonic() < until:
            begun_ns = time.monotonic_ns()
            target.ask("wait")
            dump = session.take()
            most_ns = time.monotonic_ns() - begun_ns
            waits = [
                task for task in report(dump, target.pid).tasks if 0 <= task.waited_ns <= most_ns
            ]
            found = Counter(task.stack[-1].function.rpartition(".")[2] for task in waits)
        assert found == wanted
        tasks = {task.name: task for task in report(session.take(), target.pid).tasks}
        assert tasks["older"].waited_ns == tasks["older waiter"].waited_ns == -1
        session.end()
        target.finish()
