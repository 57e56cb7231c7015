"""Commands in the foreground of a terminal, as a shell runs them: Ctrl+C reaches all processes."""

from __future__ import annotations

import contextlib
import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from harness.recorder import CORE, PATIENCE_S

CTRL_C = "\x03"
_LEAD = """
import fcntl, os, signal, sys, termios
os.setsid()
signal.signal(signal.SIGINT, signal.SIG_DFL)  # a job in the background may ignore it
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
os.execvp(sys.argv[1], sys.argv[1:])
"""


class Foreground:
    """A command and the output on its terminal; a context manager that ends what still runs."""

    def __init__(self, words: Sequence[object], folder: Path) -> None:
        self._ours, theirs = pty.openpty()
        self.shown = ""
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-c", _LEAD, *map(str, words)],
                cwd=folder,
                stdin=theirs,
                stdout=theirs,
                stderr=theirs,
                env={**os.environ, "PYTHONPATH": str(CORE)},
            )
        finally:
            os.close(theirs)

    def __enter__(self) -> Foreground:
        return self

    def __exit__(self, *_: object) -> None:
        # When the terminal is closed, its foreground processes receive SIGHUP.
        os.close(self._ours)
        self._process.kill()
        self._process.wait()

    @property
    def pid(self) -> int:
        return self._process.pid

    def type(self, keys: str) -> None:
        os.write(self._ours, keys.encode())

    def wait_for(self, text: str) -> None:
        """Wait until the terminal shows the text."""
        until = time.monotonic() + PATIENCE_S
        while text not in self.shown:
            assert time.monotonic() < until, f"{text!r} did not come: {self.shown!r}"
            assert self._read(0.1), f"{text!r} did not come: {self.shown!r}"

    def wait(self) -> int:
        """Wait until the command ends, and read all its output. Returns as ``Popen.wait``."""
        until = time.monotonic() + PATIENCE_S
        while self._read(0.1):
            assert time.monotonic() < until, f"it runs on: {self.shown!r}"
        return self._process.wait(PATIENCE_S)

    def _read(self, timeout_s: float) -> bool:
        """Read output; returns False if no process has the terminal open."""
        if not select.select([self._ours], [], [], timeout_s)[0]:
            return True
        with contextlib.suppress(OSError):  # EIO: no process has it open
            content = os.read(self._ours, 1 << 16)
            self.shown += content.decode().replace("\r\n", "\n")
            return bool(content)
        return False
