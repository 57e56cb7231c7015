"""Runs of probes: small programs of ``tests/targets/`` that call the extension in the Python under
test, and print one line of JSON.

A probe is a process of its own, because a crash of the extension ends the process.
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
"""Time limit of a probe, less than that of a test. A probe ends after some CPU time: ten seconds of
it take minutes on a busy machine."""


def run_probe(python: Python, probe: str, *arguments: object, **environment: str) -> dict[str, Any]:
    """Run a probe, and return its report. Fails if it died; skips with its reason if it refuses."""
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
