"""Short commands load little: Python's start and what they import are most of their time."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

import stackglass
from harness.matrix import NEWEST, each_python
from harness.pythons import Python
from harness.targets import Target

CORE = Path(stackglass.__file__).resolve().parents[1]
SLOW = {
    *("argparse", "collections", "contextlib", "dataclasses", "enum", "functools", "importlib"),
    *("inspect", "json", "pathlib", "re", "shutil", "signal", "socket", "subprocess", "tempfile"),
    *("threading", "typing"),
    *("stackglass.api", "stackglass.http", "stackglass.wire.recording"),
}
SCRIPT = CORE.parent / "packaging" / "stackglass"


@pytest.mark.attach
@each_python
@pytest.mark.parametrize("command", ["threads PID", "waits PID", "ps"])
def test_they_load_nothing_slow(python: Python, command: str) -> None:
    """The script of the wheel, run by each Python, of a process of the newest one."""
    with Target(NEWEST, "sleep.py") as target:
        words = command.replace("PID", str(target.pid)).split()
        done = subprocess.run(
            [python.executable, "-s", "-S", "-X", "importtime", str(SCRIPT), *words],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONPATH": str(CORE)},
        )
        target.finish()
    assert str(target.pid) in done.stdout
    loaded = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "stackglass.cli" in loaded
    assert SLOW & loaded == set()
