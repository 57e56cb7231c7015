"""Children of a profiled process go on unharmed, and each can be attached to."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from harness.compiled import compile_library, find_compiler
from harness.matrix import NEWEST, each_python, some_pythons
from harness.proc_state import read_caught_signals, read_tasks
from harness.pythons import Python, distribution_pythons
from harness.session import PATIENCE_S, Session
from harness.targets import Target


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)


def has_named_its_main_thread(session: Session, pid: int) -> bool:
    """As the program does: up to 3.13 a forked child's Thread has the number of the parent's."""
    session.read_for(0.1)
    return session.stacks.thread_names.get(pid) == "MainThread"


@pytest.mark.attach
@each_python
def test_forking_under_profile_changes_no_result(python: Python) -> None:
    """Forks while being profiled at a high rate; every child answers rightly."""
    with Target(python, "forking.py") as target:
        with Session(target.pid, hz=5000) as session:
            session.set_contention_rates(1, 1, 100, has_other=True, stall_ns=100_000_000)
            session.wait_for_samples(500)
            session.detach()
        target.finish()


@pytest.mark.attach
@each_python
def test_a_program_of_one_thread_is_not_warned_of_ours(python: Python) -> None:
    """From 3.12 on os.fork() warns programs of several threads; the engine's do not count."""
    with Target(python, "lone_forker.py", has_stdin=True) as target:
        with Session(target.pid, hz=1000) as session:
            assert session.ready
            for _ in range(5):
                assert target.ask() == {"warnings": [], "filters_left": 0}
            session.detach()
        target.finish()


@pytest.mark.checklist(13)
@pytest.mark.attach
@each_python
def test_child_is_not_profiled_and_can_be_attached_to(python: Python) -> None:
    """Checklist 13: the child has no thread or handler of the engine; it can be entered."""
    with Target(python, "nursery.py", has_stdin=True) as target:
        caught = read_caught_signals(target.pid)
        with Session(target.pid, hz=1000) as parent:
            child = target.ask()["child"]
            wait_until(lambda: read_caught_signals(child) == caught)  # its PID is reported at once
            assert len(read_tasks(child)) == 1
            with Session(child, hz=1000) as session:
                session.wait_for_function("raise_child")
                session.wait_for_samples(20)
                assert session.ready.python_version == python.version
                session.detach()
            parent.detach()
        target.finish()


@pytest.mark.attach
@pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")
@pytest.mark.parametrize(
    "python", [NEWEST, *distribution_pythons()], ids=lambda python: python.label
)
def test_entering_inside_a_fork_handler(python: Python) -> None:
    """Of the C libraries, some hold a lock there. The child of this fork comes before the engine's
    own handlers: it can be entered like all others."""
    handler = compile_library("fork_gate/slow_handler.c")
    with Target(python, "fork_gate/handled.py", HANDLER=handler) as target:
        with Session(target.pid, hz=100) as session:
            session.wait_for_samples(5)
            children = Path(f"/proc/{target.pid}/task/{target.pid}/children").read_text().split()
            assert children
            for child in children:
                with Session(int(child), hz=0) as entered:
                    entered.detach()
            session.detach()
        target.finish()


@pytest.mark.attach
@each_python
@pytest.mark.skipif(find_compiler() is None, reason="there is no C compiler")
def test_a_child_is_entered_only_once_it_is_past_its_fork(python: Python) -> None:
    """Until then Python makes the locks anew that a thread of the engine would take."""
    handler = compile_library("fork_gate/slow_child.c")
    with Target(python, "fork_gate/slow_children.py", has_stdin=True, HANDLER=handler) as target:
        for _ in range(3):
            with Session(target.ask()["child"], hz=100) as session:
                session.wait_for_function("raise_child")
                assert session.ready.python_version == python.version
                session.detach()
        target.finish()


@pytest.mark.attach
@each_python
def test_each_prefork_worker_can_be_attached_to(python: Python) -> None:
    with Target(python, "prefork.py") as target:
        with contextlib.ExitStack() as stack:
            pids = [target.pid, *target.ready["workers"]]
            sessions = [stack.enter_context(Session(pid)) for pid in pids]
            for pid, session in zip(pids[1:], sessions[1:], strict=True):
                session.wait_for_function("serve")
                wait_until(partial(has_named_its_main_thread, session, pid))
            for session in sessions:
                session.detach()
        target.finish()


LOADED = 7 << 8  # status of a child that could load a library


def start_loading_children(python: Python) -> Target:
    """A program in which engine threads stay long in the loader's list of libraries."""
    environment = {
        "LD_PRELOAD": compile_library("fork_gate/slow_loader.c"),
        "LIBRARY": compile_library("native_names/work.c"),
    }
    return Target(python, "fork_gate/loading_children.py", has_stdin=True, **environment)


@pytest.mark.attach
@some_pythons
def test_a_child_does_not_inherit_the_loaders_lock(python: Python) -> None:
    """An engine thread may hold it at any moment; a child without its owner waits for ever."""
    with start_loading_children(python) as target:
        with Session(target.pid, hz=1000) as session:
            session.set_heap_rate(1 << 19)
            assert target.ask("fork 100") == {"n": 100, "status": 0}
            session.detach()
        target.finish()


@pytest.mark.attach
@some_pythons
def test_a_fork_does_not_wait_for_ever_for_an_engine_thread(python: Python) -> None:
    """The engine waits for the loader, and the loader for what comes after the fork."""
    with start_loading_children(python) as target:
        with Session(target.pid, hz=1000) as session:
            assert session.ready
            assert target.ask("kept") == {"status": LOADED}
            session.detach()
        target.finish()
