"""Targets of tests: none outlives the run that has started it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from harness import targets
from harness.pythons import CHECKOUT
from harness.recorder import wait_until

START = """
import sys, time
from harness import targets
from harness.matrix import NEWEST
if sys.argv[1] == "absent":
    targets._find_setpriv = lambda: None
print(targets.Target(NEWEST, "sleep.py").pid, flush=True)
time.sleep(600)
"""


def has_ended(pid: int) -> bool:
    try:
        return targets.read_thread_state(pid, pid) == "Z"
    except FileNotFoundError:
        return True


@pytest.mark.parametrize("setpriv", ["as it is", "absent"])
def test_a_target_ends_with_the_run(setpriv: str) -> None:
    """Also where the system has no program that asks for it."""
    path = os.pathsep.join(str(CHECKOUT / name) for name in ("tests", "core"))
    with subprocess.Popen(
        [sys.executable, "-c", START, setpriv],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": path},
    ) as run:
        assert run.stdout is not None
        pid = int(run.stdout.readline())
        try:
            assert not has_ended(pid)
            program = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")
            assert any(word.endswith(b"sleep.py") for word in program)
        finally:
            run.kill()
    wait_until(lambda: has_ended(pid), "the target's end")
