"""The script of an entry by request, as a thread of the target would run it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from stackglass.attach.entry_script import EntryScript
from stackglass.attach.socket_directory import SocketDirectory, name_socket

PID, START_TIME = 7, 9


@pytest.fixture
def script(runtime: Path) -> EntryScript:
    directory = SocketDirectory(os.geteuid())
    return EntryScript(directory, directory.path(name_socket(PID, START_TIME)))


def list_files(script: EntryScript) -> list[str]:
    return sorted(os.listdir(os.path.dirname(script.path)))


def run(path: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, path], capture_output=True, text=True, check=False)


def test_nothing_is_left_of_a_script_that_no_thread_may_open(script: EntryScript) -> None:
    script.write("/no/library.so", b"arguments")
    assert list_files(script) == ["7-9.py", "7-9.wanted"]
    assert "/no/library.so" in run(script.path).stderr
    script.withdraw()
    assert list_files(script) == []


def test_a_thread_that_opens_a_withdrawn_script_removes_it(script: EntryScript) -> None:
    """Without a script CPython would write a traceback to the program's standard error."""
    script.write("/no/library.so", b"arguments")
    script.may_run = True
    script.withdraw()
    assert list_files(script) == ["7-9.py"]
    done = run(script.path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert list_files(script) == []
