"""The profile threadcreate, by the numbers of the checklist."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness.compiled import compile_library
from harness.go_tool import run_pprof
from harness.matrix import NEWEST, each_python, some_pythons
from harness.proc_state import read_tasks
from harness.pythons import Python
from harness.recorder import record
from harness.saved_profile import SavedProfile
from harness.targets import FOLDER, Target
from harness.thread_creations import Counts, count_creations, creation_session
from harness.thread_dumps import dump_session

pytestmark = pytest.mark.attach

N_ATTACHES = 4
N_BEFORE = 2  # the main thread, and one that it started


@pytest.mark.checklist(90)
@each_python
def test_90_each_thread_has_a_creation_stack(python: Python) -> None:
    """Checklist 90: threads ever started and alive, by the stack that started them; what was there
    before has a row of its own."""
    with Target(python, "creating.py", has_stdin=True) as target:
        with creation_session(target.pid) as session:
            before: Counts = {"<before attach>": (N_BEFORE, N_BEFORE)}
            assert session.wait_for(before) == before
            for word in ("short 7", "long 3", "bare", "pool", "nested"):
                target.ask(word)
            wanted: Counts = {
                **before,
                "start_short": (7, 0),
                "start_bare": (1, 1),
                "start_in_pool": (1, 1),
                "start_nested": (1, 0),
            }
            # Two stacks of one function: the main thread's, and the one that was started for it.
            found = session.wait_for({**wanted, "start_long": (1, 1)})
            assert found.pop("start_long") == (1, 1)
            assert found == wanted
        target.finish()


@pytest.mark.checklist(87)
@some_pythons
def test_87_a_thread_names_its_creator(python: Python) -> None:
    """Checklist 87: the creator's thread and stack; of older threads neither is claimed."""
    with Target(python, "creating.py", has_stdin=True) as target:
        with dump_session(target.pid) as session:
            session.take()
            target.ask("nested")
            dump = session.take()
            rows = dump.rows
            at = {name: i for i, name in enumerate(rows.thread_name)}
            stacks = [
                [line.function.rpartition(".")[2] for line in dump.definitions.list_lines(node)]
                for node in rows.thread_creation
            ]
            assert stacks[at["MainThread"]] == stacks[at["older"]] == ["<before attach>"]
            assert rows.thread_creator[at["older"]] == 0
            inner = stacks[at["long 0"]]
            assert inner[:2] == ["start", "start_long"]
            assert inner[-1] == "_bootstrap"
            # Its creator has ended, and was neither of the two others.
            assert rows.thread_creator[at["long 0"]] not in (0, *rows.thread_tid)
            target.ask("long 1")
            rows = session.take().rows
            newest = max(i for i, name in enumerate(rows.thread_name) if name == "long 0")
            assert rows.thread_creator[newest] == target.pid
        target.finish()


@pytest.mark.checklist(90)
def test_90_a_recorded_command_keeps_what_it_started(tmp_path: Path) -> None:
    """Checklist 90: from its first line to its end, at which its threads are gone; pprof reads the
    file."""
    path = tmp_path / "created.pb.gz"
    words = ("short 3", "long 2")
    command = (sys.executable, FOLDER / "creating.py", "--do", *words)
    status, _, err = record("--profile", "threadcreate", "-o", path, "--", *command)
    assert (status, err) == (0, "")
    profile = SavedProfile.read(path)
    assert profile.sample_types == ["threadcreate/count", "alive/count"]
    assert profile.default_type == "threadcreate"
    found = count_creations(profile)
    assert found["start_short"][0] == 3
    assert found["start_long"][0] == 2
    text = run_pprof("-top", "-cum", str(path))
    assert "start_short" in text


@some_pythons
def test_a_thread_that_begins_during_the_attach_is_counted_once(python: Python) -> None:
    """As one from before it or as one of its starter's; threads begin 2 ms after their start."""
    late = compile_library("late_births.c", "now", "-ldl")
    wrong = []
    for _ in range(N_ATTACHES):
        with Target(python, "starting_all_along.py", has_stdin=True, LD_PRELOAD=late) as target:
            with creation_session(target.pid) as session:
                session.wait_for_function("<before attach>")
                n = target.ask()["n_threads"]
                found = session.wait_for_sum((n, n))
                wrong += [(found, n)] * (found != (n, n))
            target.finish()
    assert wrong == []


@some_pythons
def test_a_thread_in_several_interpreters_is_counted_once(python: Python) -> None:
    """The main thread has a state in each interpreter that it made."""
    with Target(python, "interpreters/kept.py", has_stdin=True) as target:
        n_threads = len(read_tasks(target.pid))
        with creation_session(target.pid) as session:
            found = session.wait_for_function("<before attach>")
        assert found == (n_threads, n_threads)
        target.finish()


def test_creations_survive_a_second_client() -> None:
    """What was started before a client connected is in its profile as well."""
    with Target(NEWEST, "creating.py", has_stdin=True) as target:
        before: Counts = {"<before attach>": (N_BEFORE, N_BEFORE)}
        wanted: Counts = {**before, "start_short": (2, 0)}
        with creation_session(target.pid) as first:
            assert first.wait_for(before) == before
            target.ask("short 2")
            assert first.wait_for(wanted) == wanted
            with creation_session(target.pid) as second:
                assert second.wait_for(wanted) == wanted
        target.finish()
