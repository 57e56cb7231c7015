"""``stackglass record`` and its like as a user's shell would start them, and a terminal for it."""

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
PATIENCE_S = 60.0


def start_command(
    command: str, *words: object, stdin: int | None = None, stderr: int = subprocess.PIPE
) -> subprocess.Popen[bytes]:
    """A sub-command, on this Python, as a user's shell would start it."""
    return subprocess.Popen(
        [sys.executable, "-m", "stackglass", command, *map(str, words)],
        env={**os.environ, "PYTHONPATH": str(CORE)},
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
    )


def run_command(command: str, *words: object, stdin: bytes = b"") -> tuple[int, str, str]:
    """Run to the end; exit status, standard output, standard error."""
    with start_command(command, *words, stdin=subprocess.PIPE) as process:
        try:
            out, err = process.communicate(stdin, timeout=PATIENCE_S)
        finally:
            process.kill()  # that took too long; else it has ended
    return process.returncode, out.decode(), err.decode()


def start_record(*words: object, stderr: int = subprocess.PIPE) -> subprocess.Popen[bytes]:
    """``stackglass record``, in the same way."""
    return start_command("record", *words, stderr=stderr)


def record(*words: object, stdin: bytes = b"") -> tuple[int, str, str]:
    """``stackglass record``, run to its end; exit status, standard output, standard error without
    what `drop_coverage` drops."""
    status, out, err = run_command("record", *words, stdin=stdin)
    return status, out, drop_coverage(err)


def drop_coverage(err: str) -> str:
    """Without the line that says how much longer than requested was recorded: a busy machine."""
    return re.sub(r"^stackglass: requested .* s, recorded: .*\n", "", err, flags=re.MULTILINE)


def wait_until(is_so: Callable[[], object], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline, f"{what} did not come"
        time.sleep(0.01)


class Terminal:
    """A terminal of the test's; a context manager."""

    def __init__(self) -> None:
        self._ours, self.theirs = pty.openpty()
        self.shown = ""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._ours)
        os.close(self.theirs)

    def read(self) -> str:
        """All that has been shown up to now."""
        while select.select([self._ours], [], [], 0.0)[0]:
            self.shown += os.read(self._ours, 1 << 16).decode()
        return self.shown

    def count_samples(self) -> int:
        """As the line that is rewritten says."""
        counts = re.findall(r"(\d+) samples", self.read())
        return int(counts[-1]) if counts else 0


@contextlib.contextmanager
def recording_of(target: Target, path: Path, *options: str) -> Iterator[Terminal]:
    """One of contention that has begun; it is interrupted, and so kept, at the end of the block."""
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
