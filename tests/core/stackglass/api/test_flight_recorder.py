"""Flight recorder: what is refused before anything is started; the rest is in conformance/."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import stackglass
from stackglass.api import companion_process
from stackglass.errors import EngineError, OutputError


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"min_age_s": 0}, "min_age_s is 0"),
        ({"max_bytes": 1000}, "max_bytes is 1000"),
        ({"triggers": "killed"}, "lists of names"),
        ({"profiles": "cpu"}, "lists of names"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        stackglass.FlightRecorder(**options)  # type: ignore[arg-type]


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="there is no folder"):
        stackglass.FlightRecorder(path=tmp_path / "nowhere" / "crash.sgm")


@pytest.mark.parametrize("executable", ["", "/usr/bin/env", "/nowhere/python3"])
def test_another_program_is_not_started_as_an_interpreter(
    executable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """uWSGI and frozen programs name themselves: they would run again."""
    monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(EngineError, match=r"sys\.executable is no interpreter"):
        companion_process.find_interpreter()


def test_a_filter_that_forbids_processes_is_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """As systemd's SystemCallFilter does; the engine's socket is closed."""

    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr("posix.posix_spawn", refuse)
    read_end, write_end = os.pipe()
    with pytest.raises(EngineError, match="cannot be started: Operation not permitted"):
        companion_process.launch(write_end, ["1"])
    assert os.read(read_end, 1) == b""
    os.close(read_end)
