"""Programs with real-time priority, as control loops and audio servers have it."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from harness.matrix import some_pythons
from harness.pythons import Python
from harness.session import Session
from harness.targets import Target

pytestmark = pytest.mark.attach


@some_pythons
def test_engine_threads_have_no_real_time_priority(python: Python) -> None:
    """They would keep a thread with less priority from running while they wait for it."""
    with Target(python, "real_time.py") as target:
        if os.sched_getscheduler(target.pid) != os.SCHED_FIFO:
            pytest.skip("this user may not have real-time priority")
        with Session(target.pid) as session:
            session.set_heap_rate(4096)
            threads = list_engine_threads(target.pid)
            assert len(threads) >= 3
            assert {os.sched_getscheduler(tid) for tid in threads} == {os.SCHED_OTHER}
            assert os.sched_getscheduler(target.pid) == os.SCHED_FIFO
            session.detach()
        target.finish()


def list_engine_threads(pid: int) -> list[int]:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(task.name) for task in tasks if (task / "comm").read_text() == "stackglass\n"]
