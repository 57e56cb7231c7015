"""The profile of threads and tasks that nothing can ever wake, by the numbers of the checklist."""

from __future__ import annotations

import itertools
import json
import threading

import pytest

from harness.matrix import NEWEST, each_python, some_pythons
from harness.pythons import Python
from harness.recorder import run_command
from harness.targets import Target
from harness.thread_dumps import dump_session, list_functions
from stackglass.threads.session import Dump, DumpSession

pytestmark = pytest.mark.attach

LEAKED = {
    "leaked argument": "get",
    "leaked closure": "get_own",
    "leaked event": "wait",
    "leaked event task": "wait_for_event",
    "leaked future task": "wait_for_future",
    "leaked lock": "enter",
    "leaked queue task": "get_item",
    "leaked rlock": "enter",
    "leaked simple queue": "get",
    "leaked subclass": "run",
    "leaked with a known Thread": "get",
    "leaked with another": "get",
}
"""Each with a function of its stack."""
KEPT = {
    "kept by a call",
    "kept by a callback",
    "kept by a callback of garbage",
    "kept by a callback task",
    "kept by a finalizer",
    "kept by a global",
    "kept by a join",
    "kept by a partial",
    "kept by a stack",
    "kept by a timeout",
    "kept by a timeout task",
    "kept by a timer",
    "kept by a weak reference",
    "kept by a with",
    "kept by its Thread",
    "kept queue task",
    "kept task",
    "MainThread",
    "Task-1",
}
N_LEAKED = len(LEAKED) + 1  # two threads have a queue in common


def list_leaked(dump: Dump) -> list[tuple[str, tuple[str, ...]]]:
    """Name and stack of each, sorted."""
    rows = dump.rows
    assert not rows.leak_problem
    threads = zip(rows.thread_name, rows.thread_node, rows.thread_leaked, strict=True)
    tasks = zip(rows.task_name, rows.task_node, rows.task_leaked, strict=True)
    return sorted(
        (name, tuple(list_functions(dump, node)))
        for name, node, is_leaked in itertools.chain(threads, tasks)
        if is_leaked
    )


def take_all(session: DumpSession) -> Dump:
    """A dump of the moment when all that leak wait: some may be on their way at first."""
    for _ in range(200):
        dump = session.take(wants_leaks=True)
        leaked = list_leaked(dump)
        assert {name for name, _ in leaked} <= set(LEAKED)
        if len(leaked) == N_LEAKED:
            break
    return dump


@pytest.mark.checklist(121)
@each_python
def test_121_unreachable_waiters_with_count_and_stack(python: Python) -> None:
    """Checklist 121: each is reported once with its stack; a repetition reports the same; a dump
    of all threads and tasks is not affected."""
    with Target(python, "leaking.py", has_stdin=True) as target:
        with dump_session(target.pid) as session:
            first = list_leaked(take_all(session))
            before = session.take().rows  # the target has all its threads now
            assert list_leaked(session.take(wants_leaks=True)) == first
            after = session.take().rows
        assert [name for name, _ in first] == sorted([*LEAKED, "leaked with another"])
        assert all(LEAKED[name] in stack for name, stack in first)
        assert set(before.thread_tid) == set(after.thread_tid)
        assert set(before.task_id) == set(after.task_id)
        assert not any((*after.thread_leaked, *after.task_leaked))
        target.finish()


@pytest.mark.checklist(122)
@each_python
def test_122_what_something_can_wake_is_not_reported(python: Python) -> None:
    """Checklist 122: primitives that a global, a running thread, C code, a weak reference, a
    finalizer or a timer can reach."""
    with Target(python, "leaking.py", has_stdin=True) as target:
        with dump_session(target.pid) as session:
            dump = take_all(session)
        rows = dump.rows
        not_leaked = {
            name
            for names, leaked in (
                (rows.thread_name, rows.thread_leaked),
                (rows.task_name, rows.task_leaked),
            )
            for name, is_leaked in zip(names, leaked, strict=True)
            if not is_leaked
        }
        assert not_leaked >= KEPT
        assert not not_leaked & set(LEAKED)
        target.finish()


@pytest.mark.checklist(121, 122)
@each_python
def test_122_a_variable_of_a_running_frame_is_enough(python: Python) -> None:
    """Checklist 121, 122: whatever the stack of a waiting thread has had, or has for a moment, it
    does not stand for the one reference that another thread has. Without that most are leaked."""
    with Target(python, "held_once.py", has_stdin=True) as target:
        with dump_session(target.pid) as session:
            assert list_leaked(session.take(wants_leaks=True)) == []
            target.ask("let go")
            for _ in range(200):
                n_leaked = len(list_leaked(session.take(wants_leaks=True)))
                if n_leaked >= target.ready["n_threads"] / 2:
                    break
        assert n_leaked >= target.ready["n_threads"] / 2
        target.finish()


@pytest.mark.checklist(121)
def test_121_requests_at_a_time_all_get_an_answer() -> None:
    """Checklist 121: clients that ask over and over, one without a search, get all of it."""
    with Target(NEWEST, "leaking.py", has_stdin=True) as target:
        with dump_session(target.pid) as session:
            expected = list_leaked(take_all(session))
        wrong: list[object] = []

        def ask(wants_leaks: bool) -> None:
            with dump_session(target.pid) as session:
                for _ in range(5):
                    dump = session.take(wants_leaks)
                    if wants_leaks and list_leaked(dump) != expected:
                        wrong.append(list_leaked(dump))

        clients = [threading.Thread(target=ask, args=(n != 1,)) for n in range(3)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        assert not wrong
        target.finish()


@pytest.mark.checklist(121, 122)
@some_pythons
def test_121_the_command_lists_leaks_only(python: Python) -> None:
    """Checklist 121, 122: as text and as JSON."""
    with Target(python, "leaking.py", has_stdin=True) as target:
        with dump_session(target.pid) as session:
            take_all(session)
        status, out, err = run_command("threads", target.pid, "--leaks")
        assert (status, err) == (0, "")
        assert ": 10 threads, 3 tasks that nothing can ever wake\n" in out
        assert "kept" not in out
        status, out, err = run_command("threads", target.pid, "--leaks", "--json")
        assert (status, err) == (0, "")
        found = json.loads(out)
        entries = [*found["threads"], *found["tasks"]]
        assert all(entry["is_leaked"] for entry in entries)
        assert {entry["name"] for entry in entries} == set(LEAKED)
        assert found["leak_search"]["n_objects"] > 1000
        target.finish()
