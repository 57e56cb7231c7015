"""Threads and tasks of real processes, of one moment, on each Python."""

from __future__ import annotations

import time

import pytest

from harness.matrix import each_python, some_pythons
from harness.pythons import Python
from harness.targets import Target
from harness.thread_dumps import (
    dump_session,
    list_edges,
    list_tasks,
    list_threads,
    make_session,
)
from stackglass.attach.entry import attach
from stackglass.threads.session import Dump, DumpSession
from stackglass.wire import requests

pytestmark = pytest.mark.attach

RUNNING, WAITS_GIL, WAITS_FUTEX, IN_CALL = 1, 2, 3, 4
SUSPENDED = 3
N_TASKS = 10  # with that of main()
N_MANY = 40_000


@some_pythons
def test_more_than_a_slice_can_hold_is_read_in_several(python: Python) -> None:
    """A slice ends by the CPU time that it took: 4.5 ms, here with room for a crowded cache."""
    with Target(python, "awaiting.py", has_stdin=True) as target:
        target.ask(f"many {N_MANY}")
        with dump_session(target.pid) as session:
            rows = session.take().rows
        assert len(set(rows.task_id)) == len(rows.task_id) == N_TASKS + N_MANY
        assert rows.is_whole == 1
        assert rows.n_slices > 1
        assert 0 < rows.longest_cpu_ns < 10_000_000
        target.ask("drop")
        target.finish()


@each_python
def test_every_thread_and_task_once(python: Python) -> None:
    with Target(python, "awaiting.py", has_stdin=True) as target:
        with dump_session(target.pid) as session:
            dump = session.take()
        rows = dump.rows
        assert (rows.n_slices, rows.is_whole) == (1, 1)
        assert len(set(rows.thread_tid)) == len(rows.thread_tid)
        assert len(set(rows.task_id)) == len(rows.task_id) == N_TASKS

        threads = list_threads(dump)
        assert set(threads) >= {"MainThread", "sleep_in_call", "wait_for_lock", "spin"}
        assert threads["MainThread"].tid == target.pid
        assert threads["sleep_in_call"].state == IN_CALL
        assert threads["wait_for_lock"].state == WAITS_FUTEX
        assert threads["spin"].state in (RUNNING, WAITS_GIL)
        for name in ("sleep_in_call", "wait_for_lock", "spin"):
            assert threads[name].stack[0] == name
            assert threads[name].stack[-1] == "_bootstrap"
        assert threads["MainThread"].stack[-1] == "<module>"

        tasks = list_tasks(dump)
        plain = target.ready["plain"]
        assert {name: task.stack for name, task in tasks.items() if name != "Task-1"} == {
            "go between": ["get", "get_item", "go_between"],
            "iterate": ["get", "generate", "iterate"],
            "holder": ["sleep", "hold"],
            "wanté": ["acquire", "__aenter__", "want"],
            "join": ["join"],
            "gather": ["gather"],
            "in Python": ["sleep", "doze"],
            "watchful": ["sleep", "doze"],
            plain: ["sleep", "doze"],
        }
        assert {task.state for task in tasks.values()} == {SUSPENDED}
        assert {task.tid for task in tasks.values()} == {target.pid}
        assert tasks["join"].awaited == "Task"
        assert tasks["gather"].awaited == "_GatheringFuture"
        assert tasks["holder"].awaited == "Future"
        assert list_edges(dump) == {
            ("join", "go between"),
            ("gather", "iterate"),
            ("gather", "holder"),
        }
        assert len(rows.edge_task) == 3  # although two lists have the task "join"
        assert target.ask("asked")["calls"] == []
        target.finish()


@each_python
def test_the_main_thread_of_a_forked_child_has_its_name(python: Python) -> None:
    """Up to 3.13 the child's Thread keeps the number of the parent's."""
    with Target(python, "prefork.py") as target:
        worker = target.ready["workers"][0]
        with dump_session(worker) as session:
            assert list_threads(session.take())["MainThread"].tid == worker
        target.finish()
    with Target(python, "patched_worker.py") as target:
        worker = target.ready["worker"]
        with dump_session(worker) as session:
            assert list_threads(session.take())["MainThread"].tid == worker
        target.finish()


@some_pythons
def test_a_task_that_runs_has_the_stack_of_its_thread(python: Python) -> None:
    """And the thread says which task it runs: both together are one entry."""
    with Target(python, "awaiting_busy.py") as target:
        with dump_session(target.pid) as session:
            dump = session.take()
        main = list_threads(dump)["MainThread"]
        busy = list_tasks(dump)["busy"]
        assert main.task == "busy"
        assert {"work", "main"} - set(main.stack) == {"main"}  # which awaits it
        assert (busy.state, busy.tid, busy.stack) == (RUNNING, target.pid, [])
        target.finish()


@some_pythons
def test_more_tasks_than_fit_into_a_slice(python: Python) -> None:
    """None is missing, none comes twice, and the dump says that it is of several moments."""
    with Target(python, "awaiting.py", has_stdin=True) as target:
        target.ask("many 50000")
        with dump_session(target.pid) as session:
            rows = session.take().rows
        assert len(set(rows.task_id)) == len(rows.task_id) == N_TASKS + 50_000
        assert rows.n_slices > 1
        assert rows.is_whole == 1
        assert target.ask("drop")["calls"] == []
        target.finish()


@some_pythons
def test_a_long_await_chain_keeps_its_leaf_side(python: Python) -> None:
    """512 frames, the outermost of which says that others are missing."""
    with Target(python, "awaiting.py", has_stdin=True) as target:
        with dump_session(target.pid) as session:
            for n, expected in (
                (509, ["sleep", "doze"] + ["go_deep"] * 510),
                (510, ["sleep", "doze"] + ["go_deep"] * 509 + ["<truncated>"]),
                (700, ["sleep", "doze"] + ["go_deep"] * 509 + ["<truncated>"]),
            ):
                target.ask(f"deep {n}")
                assert list_tasks(session.take())["deep"].stack == expected
                target.ask("drop")
        target.finish()


@some_pythons
def test_a_wait_for_a_lock_has_the_lock_its_holder_and_a_beginning(python: Python) -> None:
    """Where locks are hooked; without, none of it is claimed. Of what is older than the hooks, the
    lock is known and the rest is not."""
    with (
        Target(python, "holding.py", has_stdin=True) as target,
        attach(target.pid, new_hz=0) as one,
    ):
        session = make_session(one)
        older = target.ask("hold")["lock"]
        target.ask("wait")
        rows = session.take().rows
        assert set(rows.thread_lock) == set(rows.thread_holder) == {0}
        one.send(requests.encode_set_contention_rates(mutex_fraction=1_000_000_000))
        rows = wait_for_hooks(session).rows
        at = rows.thread_name.index("wait_in_vain 1")
        assert rows.thread_lock[at] == older
        assert (rows.thread_since_mono_ns[at], rows.thread_holder[at]) == (0, 0)
        newer = target.ask("hold")["lock"]
        before_ns = time.monotonic_ns()
        target.ask("wait")
        dump = session.take()
        rows = dump.rows
        at = rows.thread_name.index("wait_in_vain 2")
        assert rows.thread_lock[at] == newer
        assert rows.thread_holder[at] == rows.thread_tid[rows.thread_name.index("hold 2")]
        assert before_ns < rows.thread_since_mono_ns[at] < time.monotonic_ns()
        primitive = dump.definitions.strings[rows.thread_primitive[at]]
        assert primitive == "Lock.__enter__"
        session.end()
        target.finish()


@some_pythons
def test_a_search_for_leaks_ends_although_a_collection_does_not(python: Python) -> None:
    """A finalizer that waits keeps its collection under way; meanwhile no search is possible."""
    with Target(python, "finalizing.py", has_stdin=True) as target:
        target.ask("gather")
        with dump_session(target.pid) as session:
            dump = session.take(wants_leaks=True)
            assert dump.rows.leak_problem == "a garbage collection was running all the time"
            assert "gatherer" in list_threads(dump)
            target.ask("end")
            assert session.take(wants_leaks=True).rows.leak_problem == ""
        target.finish()


def wait_for_hooks(session: DumpSession) -> Dump:
    """A dump in which a thread waits for a known lock."""
    until = time.monotonic() + 20
    dump = session.take()
    while not any(dump.rows.thread_lock) and time.monotonic() < until:
        dump = session.take()
    return dump
