"""Threads of the engine's own in profiles of threads, by the number of the checklist."""

from __future__ import annotations

import os

import pytest

from harness.matrix import some_pythons
from harness.pythons import Python
from harness.session import Session
from harness.targets import Target
from harness.thread_dumps import dump_session, list_threads

pytestmark = pytest.mark.attach


def list_tids(pid: int) -> set[int]:
    return set(map(int, os.listdir(f"/proc/{pid}/task")))


@pytest.mark.checklist(82)
@some_pythons
def test_82_helpers_are_hidden_and_finalizers_are_shown(python: Python) -> None:
    """Checklist 82: the engine's threads are in no dump and no snapshot. CPython runs a finalizer
    on the thread that drops the last reference: there it is shown, with what it waits for."""
    with Target(python, "finalizing.py", has_stdin=True) as target:
        before = list_tids(target.pid)
        with Session(target.pid, hz=100) as watcher, dump_session(target.pid) as session:
            watcher.ready  # noqa: B018 # waits for it
            session.take()
            helpers = list_tids(target.pid) - before
            assert helpers, "the engine works by threads of its own"
            threads = list_threads(session.take())
            assert {each.tid for each in threads.values()} == before
            watcher.wait_for_function("<module>")
            assert set(watcher.standing) == before

            target.ask("begin")
            threads = list_threads(session.take())
            assert set(threads) == {"MainThread", "dropper"}
            assert threads["dropper"].stack[:4] == ["wait", "wait", "__del__", "drop"]
            assert not {each.tid for each in threads.values()} & helpers
            target.ask("end")
        target.finish()
