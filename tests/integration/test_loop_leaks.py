"""The report of leaked threads and tasks with event loops and greenlets of other libraries.

Each program wakes all of its waiters in the end, but for those that are named leaked. So whatever
else is reported had not leaked.
"""

from __future__ import annotations

import itertools

import pytest

from harness.matrix import cover, each_python
from harness.pythons import Python, list_green_environment, list_loops_environment
from harness.targets import Target
from harness.thread_dumps import dump_session, list_functions
from stackglass.threads.session import Dump

pytestmark = pytest.mark.attach

LOOPS = ["asyncio", "uvloop", "anyio", "anyio+uvloop", "anyio+trio", "trio"]
N_LOOKS = 5
LEAKED_TASKS = {"leaked event task", "leaked queue task"}


def list_leaked(dump: Dump) -> dict[str, list[str]]:
    """Name → functions of its stack."""
    rows = dump.rows
    assert not rows.leak_problem
    threads = zip(rows.thread_name, rows.thread_node, rows.thread_leaked, strict=True)
    tasks = zip(rows.task_name, rows.task_node, rows.task_leaked, strict=True)
    return {
        name: list_functions(dump, node)
        for name, node, is_leaked in itertools.chain(threads, tasks)
        if is_leaked
    }


@pytest.mark.checklist(121, 122)
@cover("loop", LOOPS)
def test_what_a_loop_wakes_is_not_reported(python: Python, loop: str) -> None:
    """Checklist 121, 122."""
    packages = list_loops_environment(python)
    with Target(python, "loops/run.py", has_stdin=True, LOOP=loop, **packages) as target:
        if not target.ready["has_library"]:
            pytest.skip(f"no {loop} for {python.label}: packaging/target_packages loops, uvloop")
        expected = {"leaked thread"}
        if loop not in ("trio", "anyio+trio"):  # they have tasks of their own
            expected |= LEAKED_TASKS
        with dump_session(target.pid) as session:
            for _ in range(N_LOOKS):
                assert set(list_leaked(session.take(wants_leaks=True))) == expected
        assert target.finish()["wrong"] == 0


@pytest.mark.checklist(121, 122)
@each_python
def test_what_greenlets_wake_is_not_reported(python: Python) -> None:
    """Checklist 121, 122."""
    packages = list_green_environment(python)
    with Target(python, "loops/greenlets.py", has_stdin=True, **packages) as target:
        if not target.ready["has_library"]:
            pytest.skip(f"no gevent for {python.label}: packaging/target_packages green")
        with dump_session(target.pid) as session:
            for _ in range(N_LOOKS):
                leaked = list_leaked(session.take(wants_leaks=True))
                assert list(leaked.values()) == [["leak"]]
        assert target.finish()["wrong"] == 0
