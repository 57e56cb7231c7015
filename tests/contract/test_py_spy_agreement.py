"""The stacks of ``stackglass threads`` beside those of ``py-spy dump``, of the same process."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from harness.proc_state import read_tasks
from harness.pythons import Python, pythons_with_gil
from harness.recorder import run_command, wait_until
from harness.targets import Target

pytestmark = pytest.mark.attach

NEWEST_OF_PY_SPY = 13  # of the Pythons that it has been seen to read here
PY_SPY = shutil.which("py-spy", path=str(Path(sys.executable).parent)) or shutil.which("py-spy")
PYTHONS = [python for python in pythons_with_gil() if python.minor <= NEWEST_OF_PY_SPY]
RESTING = ("sleep_in_call", "wait_for_lock")


def list_functions(frames: list[dict[str, Any]], key: str) -> list[str]:
    """py-spy has the qualified name from 3.11 on, the engine the module's name in front of it."""
    return [frame[key].rpartition(".")[2] for frame in frames]


@pytest.mark.skipif(PY_SPY is None, reason="py-spy is not installed")
@pytest.mark.parametrize("python", PYTHONS, ids=lambda python: python.label)
def test_each_thread_has_the_functions_that_py_spy_sees(python: Python) -> None:
    with Target(python, "awaiting.py", has_stdin=True) as target:
        tasks = read_tasks(target.pid)
        _, out, err = run_command("threads", target.pid, "--json")
        assert err == ""
        own = {thread["tid"]: thread for thread in json.loads(out)["threads"]}
        # The engine's worker has a thread state until it has left, a moment after the command.
        wait_until(lambda: read_tasks(target.pid) == tasks, "the engine's leave")
        dump = subprocess.run(
            [str(PY_SPY), "dump", "--json", "--pid", str(target.pid)],
            capture_output=True,
            check=True,
        )
        theirs = {thread["os_thread_id"]: thread for thread in json.loads(dump.stdout)}
        assert set(own) == set(theirs)
        for tid, thread in own.items():
            found = list_functions(thread["stack"], "function")
            expected = list_functions(theirs[tid]["frames"], "name")
            # Neither reads a name that is computed: py-spy has none then.
            assert thread["name"] == (theirs[tid]["thread_name"] or f"thread {tid}")
            if thread["name"] in RESTING or tid == target.pid:
                lines = [frame["line"] for frame in thread["stack"]]
                assert lines == [frame["line"] for frame in theirs[tid]["frames"]]
            assert found == expected
        target.finish()
