"""A process dies in the middle: the viewer, the target, or the target while it is entered."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from harness.matrix import NEWEST, each_python
from harness.proc_state import compare, read_proc_state
from harness.pythons import Python
from harness.session import Session
from harness.targets import Target
from stackglass.errors import StackglassError

PATIENCE_S = 15.0
CLIENT = Path(__file__).parents[1] / "harness" / "lone_client.py"


def start_client(pid: int) -> subprocess.Popen[str]:
    """A process that watches ``pid`` and is going to be killed."""
    client = subprocess.Popen(
        [sys.executable, str(CLIENT), str(pid)],
        stdout=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert client.stdout is not None
    assert client.stdout.readline() == "watching\n"
    return client


@pytest.mark.attach
@each_python
def test_killed_viewer_leaves_the_target_unprofiled(python: Python) -> None:
    with Target(python, "busy.py") as target:
        before = read_proc_state(target.pid)._asdict()
        client = start_client(target.pid)
        os.kill(client.pid, signal.SIGKILL)
        with client:
            client.wait()
        deadline = time.monotonic() + PATIENCE_S
        differences = ["not looked yet"]
        while differences and time.monotonic() < deadline:
            differences = compare(before, read_proc_state(target.pid)._asdict())
            time.sleep(0.02)
        assert differences == []
        target.finish()


@pytest.mark.attach
@each_python
def test_killed_target_ends_the_session(python: Python) -> None:
    with Target(python, "busy.py") as target, Session(target.pid, hz=1000) as session:
        session.wait_for_samples(20)
        n_samples = session.n_samples
        target.process.kill()
        session.wait_for_end()
        assert session.n_samples >= n_samples, "what was captured is kept"


@pytest.mark.attach
@pytest.mark.parametrize("delay_ms", [0, 1, 2, 3, 5, 8, 13, 21])
def test_target_dies_while_being_entered(delay_ms: int) -> None:
    """Either it was too late to matter, or one clear line: never a hang, never a traceback."""
    with Target(NEWEST, "busy.py") as target:
        killer = threading.Timer(delay_ms / 1000, target.process.kill)
        killer.start()
        said = ""
        try:
            with Session(target.pid) as session:
                session.wait_for_end()
        except StackglassError as error:
            said = str(error)
        finally:
            killer.join()
    assert "\n" not in said
