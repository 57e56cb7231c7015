"""The end of a program with an engine with AddressSanitizer in it."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from harness import sanitized
from harness.matrix import PYTHONS, SOME, choose_pythons
from harness.pythons import Python
from harness.targets import FOLDER, PATIENCE_S

LAST_THAT_ENDS_THREADS = 13  # later ones stop them

pytestmark = [
    pytest.mark.timeout(1200),  # the first of them builds the engine
    pytest.mark.skipif(bool(sanitized.find_refusal()), reason=sanitized.find_refusal() or "-"),
]


def take_older(pythons: Iterable[Python]) -> list[Python]:
    return [python for python in pythons if python.minor <= LAST_THAT_ENDS_THREADS]


@choose_pythons(take_older(SOME), take_older(PYTHONS))
def test_python_ends_a_thread_that_waits_for_the_gil(python: Python, tmp_path: Path) -> None:
    """The sanitizer takes the frames that the thread left for frames that are still there."""
    sanitized.build()
    log = tmp_path / "findings"
    ended = subprocess.run(
        [python.executable, FOLDER / "ended_waiting.py"],
        env={
            **os.environ,
            **sanitized.list_environment(str(log)),
            "ENGINE_SOCKET": str(tmp_path / "engine.sock"),
        },
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    findings = "\n".join(file.read_text() for file in tmp_path.glob(f"{log.name}.*"))
    assert (findings, ended.stderr, ended.returncode) == ("", "", 0)
    assert ended.stdout == "2"  # the main thread and the writer, which waits for the worker
