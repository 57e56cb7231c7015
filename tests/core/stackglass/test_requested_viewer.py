"""The viewer that the environment requests, without a viewer."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from stackglass import requested_viewer
from stackglass.errors import EngineError, UsageError


@pytest.fixture(autouse=True)
def steps(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What was done: the engine begun, then the environment of the process that was spawned."""
    done: list[object] = []

    def spawn(executable: str, command: list[str], environment: dict[str, str]) -> int:
        assert executable == sys.executable
        done.append((command, environment))
        return os.spawnv(os.P_NOWAIT, "/bin/sh", ["sh", "-c", f"exit {environment.get('EXIT', 0)}"])

    monkeypatch.setattr(requested_viewer, "_begin_engine", lambda: done.append("engine"))
    monkeypatch.setattr(requested_viewer, "_spawn", spawn)
    return done


def test_the_engine_listens_before_the_viewer_looks_for_it(steps: list[object]) -> None:
    environment = {"STACKGLASS_VIEW": "1", "PATH": "/bin"}
    requested_viewer.open_requested(environment)
    own = [sys.executable, "-m", "stackglass", "attach", str(os.getpid())]
    assert steps == ["engine", (own, {"PATH": "/bin"})]
    assert environment == {"PATH": "/bin"}, "children open no viewer"


def test_the_viewer_of_another_environment_does_without_the_variables_of_this_python(
    steps: list[object],
) -> None:
    environment = {"STACKGLASS_VIEW": "/bin/sh", "PYTHONPATH": "/x", "PATH": "/bin"}
    requested_viewer.open_requested(environment)
    assert steps == ["engine", (["/bin/sh", "attach", str(os.getpid())], {"PATH": "/bin"})]


@pytest.mark.parametrize("value", ["", "0"])
def test_nothing_is_opened_unless_it_is_requested(value: str, steps: list[object]) -> None:
    requested_viewer.open_requested({"STACKGLASS_VIEW": value})
    assert steps == []


@pytest.mark.parametrize("value", ["yes", "/nowhere/stackglass", "sh"])
def test_another_value_is_refused(value: str, steps: list[object]) -> None:
    with pytest.raises(UsageError, match=f"STACKGLASS_VIEW: '{value}' is neither 1 nor the path"):
        requested_viewer.open_requested({"STACKGLASS_VIEW": value})
    assert steps == []


def test_a_process_that_cannot_fork_is_reported() -> None:
    with pytest.raises(EngineError, match=r"cannot be started: .* ended with exit status 3"):
        requested_viewer.open_requested({"STACKGLASS_VIEW": "1", "EXIT": "3"})


def test_a_frozen_program_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch, steps: list[object]
) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(EngineError, match=f"stackglass attach {os.getpid()}"):
        requested_viewer.open_requested({"STACKGLASS_VIEW": "1"})
    assert steps == []


def test_the_viewer_inherits_none_of_the_programs_files() -> None:
    """Descriptors are closed one by one, not up to a limit, which may be a thousand million."""
    reading, writing = os.pipe()
    look = "import os; print(sorted(os.listdir('/proc/self/fd'), key=int))"
    command = [sys.executable, "-c", requested_viewer._PROGRAM, sys.executable, "-c", look]
    done = subprocess.run(
        command, pass_fds=(reading, writing), stdout=subprocess.PIPE, text=True, check=True
    )
    os.close(reading)
    os.close(writing)
    assert done.stdout == "['0', '1', '2', '3']\n", "3 is the listing itself"
    assert "SC_OPEN_MAX" not in requested_viewer._PROGRAM
