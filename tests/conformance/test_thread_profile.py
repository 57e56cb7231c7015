"""The profile of threads and tasks, by the numbers of the checklist. Its text forms are tested
beside them (86, 87)."""

from __future__ import annotations

import itertools
import os
import threading

import pytest

from harness.matrix import NEWEST, cover, some_pythons
from harness.pythons import Python
from harness.recorder import run_command
from harness.targets import Target
from harness.thread_dumps import dump_session, list_tasks, list_threads
from stackglass.threads.session import Dump

pytestmark = pytest.mark.attach

N_SNAPSHOTS = int(os.environ.get("STACKGLASS_SNAPSHOTS", "200"))
"""Go's tests take 10 000."""
N_TASKS = 190  # of the program, and main()


@pytest.mark.checklist(78)
@some_pythons
def test_78_counts_by_stack_and_labels(python: Python) -> None:
    """Checklist 78: a hundred tasks of three kinds, and 89 with a name in common."""
    with Target(python, "counted.py", has_stdin=True) as target:
        status, out, err = run_command("threads", target.pid, "--debug", 1)
        assert (status, err) == (0, "")
        head, *rest = out.rstrip().split("\n", 1)
        rows = [row.splitlines() for row in rest[0].split("\n\n")]
        n_entries = int(head.removeprefix("threads profile: total "))
        counts = [int(row[0].partition(" @ ")[0]) for row in rows]
        assert sum(counts) == n_entries
        assert counts[:6] == [50, 44, 40, 36, 10, 9]
        assert set(counts[6:]) == {1}
        functions = [row[-1].rpartition("\t")[0].rpartition(".")[2] for row in rows[:6]]
        assert functions == [f"{name}+0x0" for name in ("first", "first", "second", "second",
                                                        "third", "third")]  # fmt: skip
        labels = [row[1] if row[1].startswith("# labels") else "" for row in rows[:6]]
        assert labels == ["", '# labels: {"task":"self-value"}'] * 3
        target.finish()


@pytest.mark.checklist(79)
def test_79_a_dump_of_any_size_is_whole() -> None:
    """Checklist 79: where Go's caller asks for the size first, an engine's dump has room for all:
    one thread at first, and then some hundreds more."""
    with Target(NEWEST, "busy.py") as target, dump_session(target.pid) as session:
        rows = session.take().rows
        assert (len(rows.thread_tid), rows.is_whole) == (1, 1)
        target.finish()
    with Target(NEWEST, "counted.py", has_stdin=True) as target:
        with dump_session(target.pid) as session:
            n_before = len(session.take().rows.thread_tid)
            target.ask("launch 300")
            until = itertools.count()
            while len(session.take().rows.thread_tid) < n_before + 300:
                assert next(until) < 1000
            assert session.take().rows.is_whole == 1
        target.finish()


def check_whole(dump: Dump) -> None:
    """All that was there at first is there, each once, and every reference leads somewhere."""
    rows = dump.rows
    assert rows.is_whole == 1
    assert len(set(rows.task_id)) == len(rows.task_id)
    assert len(set(rows.thread_tid)) == len(rows.thread_tid)
    named = [name for name in rows.task_name if name == "self-value"]
    assert len(named) == 89
    assert all(state in (1, 2, 3) for state in rows.task_state)


@pytest.mark.checklist(80)
def test_80_two_dumps_at_a_time() -> None:
    """Checklist 80: two clients that ask over and over both get all of it."""
    errors: list[BaseException] = []

    def take_many(pid: int) -> None:
        try:
            with dump_session(pid) as session:
                for _ in range(N_SNAPSHOTS // 4):
                    check_whole(session.take())
        except BaseException as error:  # noqa: BLE001 - handed to the test's own thread
            errors.append(error)

    with Target(NEWEST, "counted.py", has_stdin=True) as target:
        clients = [threading.Thread(target=take_many, args=(target.pid,)) for _ in range(2)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        assert errors == []
        target.finish()


@pytest.mark.checklist(81)
@some_pythons
def test_81_older_threads_are_in_every_dump(python: Python) -> None:
    """Checklist 81: each thread starts the next; a dump with one has all those before it."""
    n_links = 400
    with Target(python, "counted.py", has_stdin=True) as target:
        with dump_session(target.pid) as session:
            target.ask(f"launch {n_links}")
            seen = n_moments = 0
            while seen < n_links:
                rows = session.take().rows
                # On a crowded machine a slice may end before all threads are read.
                is_one_moment = rows.n_slices == 1
                n_moments += is_one_moment
                names = {name for name in rows.thread_name if name.startswith("link ")}
                newest = max((int(name.split()[1]) for name in names), default=0)
                # The newest may not have put itself on threading's list yet.
                assert not is_one_moment or names >= {f"link {i}" for i in range(1, newest)}
                assert newest >= seen
                seen = newest
            assert n_moments > 0
        target.finish()


@pytest.mark.checklist(83, 84)
@cover("word", ["calls", "churn"])
def test_83_84_system_calls_and_coroutines_that_come_and_go(python: Python, word: str) -> None:
    """Checklist 83, 84: no dump fails or lacks anything, and the program computes what it should.
    STACKGLASS_SNAPSHOTS=10000 takes as many as Go's tests do."""
    with Target(python, "counted.py", has_stdin=True) as target:
        before = target.ask(word)["rounds"]
        with dump_session(target.pid) as session:
            for _ in range(N_SNAPSHOTS):
                dump = session.take()
                check_whole(dump)
                assert dump.rows.thread_name.count("calls") == (4 if word == "calls" else 0)
        assert target.ask("rounds")["rounds"] > before
        target.finish()


@pytest.mark.checklist(85)
@some_pythons
def test_85_stacks_of_128_frames_are_whole(python: Python) -> None:
    """Checklist 85: a thread's, and a task's await chain."""
    depth = 128
    with Target(python, "counted.py", has_stdin=True) as target:
        target.ask(f"deep {depth}")
        with dump_session(target.pid) as session:
            dump = session.take()
        assert list_threads(dump)["deep"].stack.count("descend") == depth
        assert list_threads(dump)["deep"].stack[-1] == "_bootstrap"
        (task,) = (each for each in list_tasks(dump).values() if "await_deeply" in each.stack)
        assert task.stack == ["await_deeply"] * depth
        target.finish()
