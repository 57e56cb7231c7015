"""Which processes honour the environment's request for profiles."""

from __future__ import annotations

import os
import sys

import pytest

from stackglass.environment import begin_requested, is_program


@pytest.mark.parametrize(
    ("argv", "command_line", "is_profiled"),
    [
        (["/venv/bin/stackglass", "ps"], ["python", "/venv/bin/stackglass", "ps"], False),
        (["-m", "ps"], ["python", "-X", "dev", "-m", "stackglass", "ps"], False),
        (["-m", "x"], ["python", "-m", "app", "x"], True),
        (["-m", "-m", "stackglass"], ["python", "-m", "pytest", "-m", "stackglass"], True),
        (["app.py", "stackglass"], ["python", "app.py", "stackglass"], True),
        (["-c"], ["python", "-c", "import stackglass"], True),
        ([], ["embedding"], True),
        (
            ["-c"],
            ["python", "-c", "from multiprocessing.spawn import spawn_main; spawn_main()"],
            True,
        ),
        (
            ["-c"],
            ["python", "-B", "-c", "from multiprocessing.resource_tracker import main;main(5)"],
            False,
        ),
    ],
)
def test_only_its_own_commands_and_the_resource_tracker_are_left_out(
    argv: list[str], command_line: list[str], is_profiled: bool
) -> None:
    assert is_program(argv, command_line) == is_profiled


def test_a_removed_folder_does_not_end_the_program(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse() -> str:
        raise FileNotFoundError(2, "No such file or directory")

    monkeypatch.setenv("STACKGLASS_PROFILE", "cpu")
    monkeypatch.setenv("STACKGLASS_OUTPUT", "profiles/")
    monkeypatch.setattr(os, "getcwd", refuse)
    begin_requested()
    said = capsys.readouterr().err
    assert said == "stackglass: STACKGLASS_PROFILE: [Errno 2] No such file or directory\n"


class _NoReader:
    def write(self, text: str) -> int:
        raise BrokenPipeError(32, "Broken pipe")


@pytest.mark.parametrize("stream", [None, _NoReader()])
def test_a_program_without_standard_error_runs_on(
    monkeypatch: pytest.MonkeyPatch, stream: object
) -> None:
    monkeypatch.setenv("STACKGLASS_PROFILE", "nothing of this name")
    monkeypatch.setattr(sys, "stderr", stream)
    begin_requested()
