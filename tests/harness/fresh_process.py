"""A program in a fresh process of this Python, with the modules that tests import."""

from __future__ import annotations

import os
import subprocess
import sys


def run_program(program: str, *arguments: str) -> list[str]:
    """Run a program from its text. Returns its output lines; its errors fail the test."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
