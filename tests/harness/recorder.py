"""Runs of ``stackglass record`` and other commands, as from a user's shell; and a terminal."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from harness.targets import Target

CORE = Path(__file__).resolve().parents[2] / "core"
PATIENCE_S = 180.0  # 2 s of CPU time beside thirty others take a minute; a test may take 300


def start_command(
    command: str, *words: object, stdin: int | None = None, stderr: int = subprocess.PIPE
) -> subprocess.Popen[bytes]:
    """Start a sub-command on this Python, as from a user's shell."""
    return subprocess.Popen(
        [sys.executable, "-m", "stackglass", command, *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(CORE)},
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
    )


def run_command(command: str, *words: object, stdin: bytes = b"") -> tuple[int, str, str]:
    """Run a sub-command. Returns exit status, standard output, standard error."""
    with start_command(command, *words, stdin=subprocess.PIPE) as process:
        try:
            out, err = process.communicate(stdin, timeout=PATIENCE_S)
        finally:
            process.kill()  # that took too long; else it has ended
    return process.returncode, out.decode(), err.decode()


def start_record(*words: object, stderr: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
    """Start ``stackglass record``."""
    return start_command("record", *words, stderr=stderr)


def record(*words: object, stdin: bytes = b"") -> tuple[int, str, str]:
    """Run ``stackglass record``. Returns exit status, standard output, and standard error after
    `drop_coverage`."""
    status, out, err = run_command("record", *words, stdin=stdin)
    return status, out, drop_coverage(err)


def drop_coverage(err: str) -> str:
    """Drop the lines that a busy machine adds: how much longer than requested was recorded, and
    that the engine waits for the GIL."""
    added = r"^stackglass: (requested .* s, recorded: |process \d+: waiting for the GIL: ).*\n"
    return re.sub(added, "", err, flags=re.MULTILINE)


def wait_until(is_so: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, f"{what} did not come"
        time.sleep(0.01)


class Terminal:
    """A pseudo-terminal of the test; a context manager."""

    def __init__(self) -> None:
        self._ours, self.theirs = pty.openpty()
        self.shown = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._ours)
        os.close(self.theirs)

    def read(self) -> str:
        """Return everything shown so far."""
        while select.select([self._ours], [], [], 0.0)[0]:
            self.shown += os.read(self._ours, 1 << 16).decode()
        return self.shown

    def count_samples(self) -> int:
        """Return the number of samples in the progress line."""
        counts = re.findall(r"(\d+) samples", self.read())
        return int(counts[-1]) if counts else 0


@contextlib.contextmanager
def recording_of(target: Target, path: Path, *options: str) -> Iterator[Terminal]:
    """Record contention. At the end of the block the recording is interrupted, and kept."""
    with Terminal() as terminal:
        process = start_record(target.pid, "-o", path, *options, stderr=terminal.theirs)
        try:
            wait_until(lambda: " events, " in terminal.read(), "word of contention")
            yield terminal
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE_S)
            assert process.returncode == 0, terminal.read()
            terminal.read()
        finally:
            process.kill()
            process.communicate()
