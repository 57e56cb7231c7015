"""Short commands load little: Python's start and what they import are most of their time."""

from __future__ import annotations

import json
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
RUN = """
import sys
before = set(sys.modules)
sys.path.insert(0, sys.argv[1])
from stackglass.cli import main
code = main(sys.argv[2:])
print("\\n" + repr(sorted(set(sys.modules) - before)).replace("'", '"'))
"""


@pytest.mark.attach
@each_python
@pytest.mark.parametrize("command", ["threads PID", "waits PID", "ps"])
def test_they_load_nothing_slow(python: Python, command: str) -> None:
    """Run by each Python, of a process of the newest one."""
    with Target(NEWEST, "sleep.py") as target:
        words = command.replace("PID", str(target.pid)).split()
        start = [python.executable, "-I", "-S", "-c", RUN, str(CORE)]
        done = subprocess.run([*start, *words], capture_output=True, text=True, check=True)
        target.finish()
    assert str(target.pid) in done.stdout
    assert SLOW & set(json.loads(done.stdout.splitlines()[-1])) == set()
