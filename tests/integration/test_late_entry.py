"""An entry that runs after its caller has found another way in, and left."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from harness.matrix import some_pythons
from harness.probes import run_probe
from harness.pythons import Python, find_pythons
from harness.session import PATIENCE_S, Session
from harness.targets import start_in_state
from stackglass import bootstrap
from stackglass.attach import entry_script
from stackglass.attach.library import find_library
from stackglass.attach.proc import PROC

pytestmark = pytest.mark.attach

NEW = [python for python in find_pythons().present if python.minor >= 14]

LATE = """
import time
open({begun!r}, "x").close()
while not __import__("os").path.exists({gate!r}):
    time.sleep(0.001)
{script}
open({done!r}, "x").close()
"""


def await_file(path: Path) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < deadline, path
        time.sleep(0.001)


def list_tasks(pid: int) -> list[str]:
    return os.listdir(f"/proc/{pid}/task")


def await_tasks(pid: int, n: int) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while len(list_tasks(pid)) > n:
        assert time.monotonic() < deadline, PROC.list_threads(pid)
        time.sleep(0.001)


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Scripts of entries wait for the file ``gate`` here; ``begun`` and ``done`` are theirs."""
    build = entry_script.build_source

    def build_late(library: str, arguments: bytes, wanted: str) -> str:
        paths = {name: str(tmp_path / name) for name in ("begun", "gate", "done")}
        return LATE.format(script=build(library, arguments, wanted), **paths)

    monkeypatch.setattr(entry_script, "build_source", build_late)
    return tmp_path


@pytest.mark.skipif(not NEW, reason="no Python from 3.14 on")
@pytest.mark.parametrize("python", NEW, ids=lambda one: one.label)
def test_a_script_that_runs_late_begins_no_engine(python: Python, late: Path) -> None:
    with start_in_state(python, "busy") as target:
        n_tasks = len(list_tasks(target.pid))
        deadline = time.monotonic() + PATIENCE_S
        while not (late / "begun").exists():  # only a thread that just runs is asked
            assert time.monotonic() < deadline
            with Session(target.pid) as session:
                session.detach()
                session.wait_for_end()
            await_tasks(target.pid, n_tasks)
        (late / "gate").touch()
        await_file(late / "done")
        assert len(list_tasks(target.pid)) == n_tasks
        target.finish()


@some_pythons
def test_an_engine_leaves_whose_caller_gives_up(python: Python, tmp_path: Path) -> None:
    """It does not wait for its first client any longer."""
    seen = run_probe(python, "late_entry.py", bootstrap.__file__, find_library(), tmp_path)
    assert seen == {"wanted": True, "given_up": False}
