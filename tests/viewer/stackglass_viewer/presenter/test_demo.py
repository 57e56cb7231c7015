"""The demo program, started and ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.recorder import wait_until
from stackglass.attach.proc import PROC
from stackglass_viewer.presenter.demo import start_demo

PROGRAM = """
import os, pathlib, sys, time
seen = pathlib.Path(__file__).with_suffix(".seen")
seen.with_suffix(".part").write_text(f"{sys.argv[1:]} {os.environ.get('PYTHONPATH')}")
seen.with_suffix(".part").rename(seen)
time.sleep(60)
"""


def test_it_runs_without_our_paths_until_it_is_stopped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", "/elsewhere")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    pid, stop = start_demo(str(program))
    try:
        seen = program.with_suffix(".seen")
        wait_until(seen.exists, "the demo program to start")
        assert seen.read_text() == "['--seconds', '3600'] None"
        assert not PROC.has_ended(pid)
    finally:
        stop()
    assert PROC.has_ended(pid)
