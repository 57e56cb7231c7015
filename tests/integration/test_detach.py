"""A process that was profiled and left is as it was before, and can be attached to again."""

from __future__ import annotations

import time
from typing import Any

import pytest

from harness.proc_state import (
    compare,
    is_library_mapped,
    read_proc_state,
    read_tasks,
    sum_anonymous_bytes,
)
from harness.pythons import Python, pythons_with_gil
from harness.report import Table
from harness.session import Session
from harness.targets import Target

PATIENCE_S = 10.0
LOCK_METHODS = ("lock.acquire", "lock.release", "RLock.__enter__", "RLock.release")
WAITS = ("time.sleep", "select.select", "epoll.poll", "poll.poll", "socket.recv", "posix.waitpid")
ASYNCIO_METHODS = ("Future.set_result", "Context.run")
PYTHONS = pythons_with_gil()
each_python = pytest.mark.parametrize("python", PYTHONS, ids=lambda python: python.label)


def look(target: Target) -> dict[str, Any]:
    """The process from outside and from inside."""
    return {"inside": target.ask(), **read_proc_state(target.pid)._asdict()}


def wait_until_left(target: Target, tasks: dict[int, str]) -> None:
    """Until the engine's threads are gone. A test fails on what it compares, not here."""
    deadline = time.monotonic() + PATIENCE_S
    while read_tasks(target.pid) != tasks and time.monotonic() < deadline:
        time.sleep(0.01)


def wait_for_hooks(target: Target, before: dict[str, Any]) -> dict[str, Any]:
    """What it says of itself once awaits lead through us, the ends of what has been awaited, and
    other waits; asyncio's classes stay as they were."""
    deadline = time.monotonic() + PATIENCE_S
    during = target.ask()
    while (
        during["deallocators"]["FutureIter"] == before["deallocators"]["FutureIter"]
        or during["methods"][WAITS[0]] == before["methods"][WAITS[0]]
    ):
        assert time.monotonic() < deadline, "asyncio or other waits were not hooked"
        during = target.ask()
    changed, theirs = during["asyncio"], before["asyncio"]
    assert [name for name in theirs if changed[name] != theirs[name]] == ["await"]
    return during


@pytest.fixture
def anonymous(tables: dict[str, Table]) -> Table:
    return tables.setdefault(
        "anonymous", Table("anonymous address space left behind by a session, KiB", "target")
    )


@pytest.mark.attach
@each_python
def test_detach_leaves_everything_as_it_was(python: Python, anonymous: Table) -> None:
    with Target(python, "mirror.py", has_stdin=True) as target:
        target.ask()
        before = look(target)
        for visit in ("first", "second", "third"):
            kib = sum_anonymous_bytes(target.pid) // 1024
            with Session(target.pid, hz=1000) as session:
                session.wait_for_samples(50)
                session.detach()
            wait_until_left(target, before["tasks"])
            assert compare(before, look(target)) == [], f"after the {visit} visit"
            left = sum_anonymous_bytes(target.pid) // 1024 - kib
            anonymous.put(python.label, visit, str(left))
        assert is_library_mapped(target.pid), "the comparison compared nothing"
        target.finish()


@pytest.mark.attach
@each_python
def test_detach_leaves_allocators_locks_and_the_collector_as_they_were(python: Python) -> None:
    with Target(python, "mirror.py", has_stdin=True) as target:
        target.ask()
        before = look(target)
        for visit in ("first", "second"):
            with Session(target.pid, hz=0) as session:
                session.set_heap_rate(1)
                session.set_contention_rates(1, 1, 100, has_other=True, stall_ns=100_000_000)
                during = wait_for_hooks(target, before["inside"])
                for name in (*LOCK_METHODS, *ASYNCIO_METHODS, *WAITS):
                    assert during["methods"][name] != before["inside"]["methods"][name], name
                for domain in ("mem", "obj"):
                    assert during["allocators"][domain] != before["inside"]["allocators"][domain]
                assert during["allocators"]["raw"] == before["inside"]["allocators"]["raw"]
                status = session.wait_for_heap()
                n_redirected = len(during["imports_redirected"])
                assert (n_redirected > 0) == bool(status.n_native_libraries), status.native_problem
                assert len(during["imports_changed"]) >= n_redirected
                session.collect()
                session.set_heap_rate(4096)
                session.wait_for_heap(lambda status: status.n_samples > 0 and status.n_full > 0)
                session.detach()
            wait_until_left(target, before["tasks"])
            assert compare(before, look(target)) == [], f"after the {visit} visit"
        target.finish()


@pytest.mark.attach
@each_python
def test_nothing_is_imported_while_attached(python: Python) -> None:
    """sys.modules and sys.path are untouched at every moment, and so are our descriptors."""
    with Target(python, "mirror.py", has_stdin=True) as target:
        before = look(target)
        with Session(target.pid, hz=1000) as session:
            session.wait_for_samples(50)
            during = look(target)
            session.detach()
        for name in ("modules", "path", "meta_path", "path_importer_cache", "threads", "itimers"):
            assert during["inside"][name] == before["inside"][name], name
        assert during["descriptors"] == before["descriptors"]
        target.finish()
