"""Short commands load little: Python's start and what they import are most of their time."""

from __future__ import annotations

import os
import subprocess
import sys
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


CONNECTION = ("stackglass.wire", "stackglass.attach.client", "stackglass.threads", "_socket")


@pytest.mark.parametrize("command", ["threads", "waits"])
def test_what_a_connection_needs_is_loaded_later(command: str) -> None:
    """While the process is entered."""
    loaded = run_code(
        sys.executable, f"import sys, stackglass.commands.{command}; print(*sys.modules)"
    )
    assert "stackglass.attach.entry" in loaded.split()
    assert [name for name in loaded.split() if name.startswith(CONNECTION)] == []


@each_python
def test_no_garbage_is_looked_for(python: Python) -> None:
    """What a brief command loads is no garbage."""
    looks = run_code(
        python.executable,
        "import gc, os, sys\n"
        "from stackglass import cli\n"
        "looks = []\n"
        "os._exit = lambda _: None\n"
        "sys.argv = ['stackglass', 'ps', '--json']\n"
        "sys.stdout = open(os.devnull, 'w')\n"
        "gc.callbacks.append(lambda *_: looks.append(1))\n"
        "cli.start()\n"
        "print(len(looks), file=sys.__stdout__)\n",
    )
    assert looks.split() == ["0"]


def run_code(executable: str, code: str) -> str:
    """What it prints, of a Python without site-packages."""
    return subprocess.run(
        [executable, "-s", "-S", "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(CORE)},
    ).stdout
