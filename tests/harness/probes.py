"""A probe's run: a small program of ``tests/targets/`` that drives the extension inside the Python
under test, and prints one line of JSON.

It is a process of its own, since a fault of the extension would be a fault of the process.
"""

from __future__ import annotations

import json
import os
import subprocess
from typing import Any

import pytest

from harness.pythons import Python
from harness.targets import FOLDER
from native import _core_testing as core

_PATIENCE_S = 240
"""A probe ends by the CPU time that it got: ten seconds of it take minutes on a busy machine. Less
than the time that a test may take."""


def run_probe(python: Python, probe: str, *arguments: object, **environment: str) -> dict[str, Any]:
    """What the probe reports. Fails if it died; skips with its reason if it refuses."""
    finished = subprocess.run(
        [
            *(python.executable, "-X", "faulthandler", str(FOLDER / probe), core.__file__),
            *map(str, arguments),
        ],
        capture_output=True,
        text=True,
        timeout=_PATIENCE_S,
        check=False,
        env={**os.environ, **environment},
    )
    assert finished.returncode == 0, finished.stderr[-2000:]
    reported: dict[str, Any] = json.loads(finished.stdout)
    if reported.get("refusal"):
        pytest.skip(reported["refusal"])
    return reported
