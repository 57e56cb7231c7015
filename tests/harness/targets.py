"""Programs of ``tests/targets/``, started on a Python; the caller gets them when they are ready."""

from __future__ import annotations

import ctypes
import functools
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from harness.pythons import Python

FOLDER = Path(__file__).resolve().parents[1] / "targets"
PATIENCE_S = 180.0
_POLL_S = 0.005
_PR_SET_PDEATHSIG = 1
_libc = ctypes.CDLL(None)


def die_with_parent() -> None:
    """Make a child, before exec, end with its parent: a killed test run leaves no target behind."""
    _libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


@functools.cache
def _find_setpriv() -> str | None:
    """Return util-linux's setpriv, if it supports the parent-death signal."""
    found = shutil.which("setpriv")
    if found is None:
        return None
    said = subprocess.run([found, "--help"], capture_output=True, text=True, check=False).stdout
    return found if "--pdeathsig" in said else None


def start_bound(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a process that ends with this one. ``options`` are Popen's.

    A function between fork and exec makes Python copy the page tables of its whole process, which
    takes 25 ms of processor time in a worker of 300 MB. A program that execs takes one.
    """
    setpriv = _find_setpriv()
    if setpriv is None:
        return subprocess.Popen(command, preexec_fn=die_with_parent, **options)
    return subprocess.Popen([setpriv, "--pdeathsig", "KILL", *command], **options)


class State(NamedTuple):
    """A program whose main thread is in a certain state."""

    program: str
    is_waiting: bool  # whether /proc shows the main thread asleep, not running
    function: str  # a function that is always on a stack


STATES = {
    "busy": State("busy.py", is_waiting=False, function="work"),
    "sleep": State("sleep.py", is_waiting=True, function="doze"),
    "lock": State("lock.py", is_waiting=True, function="wait_for_lock"),
    "select": State("select_wait.py", is_waiting=True, function="wait_for_data"),
    "asyncio idle": State("asyncio_idle.py", is_waiting=True, function="run_rounds"),
    "50 threads": State("threads_50.py", is_waiting=True, function="compute"),
    "malloc churn": State("malloc_churn.py", is_waiting=False, function="churn"),
    "C without GIL": State("c_without_gil.py", is_waiting=False, function="hash_much"),
    "brief GIL gaps": State("brief_releases.py", is_waiting=False, function="look_often"),
}


class TargetError(AssertionError):
    """A target failed; the message has its output."""


class Target:
    """A running target; as a context manager, it is killed at the end if it still runs."""

    def __init__(
        self, python: Python, program: str, *, has_stdin: bool = False, **environment: str
    ) -> None:
        """Start ``program`` (of tests/targets/) and wait for its first line.

        Raises TargetError if it does not come within PATIENCE_S.
        """
        self._folder = tempfile.TemporaryDirectory(prefix="target-")
        self._stop_file = Path(self._folder.name) / "stop"
        self._errors = (Path(self._folder.name) / "stderr").open("w+")
        self._pending = b""
        inherited = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        self.process = start_bound(
            [python.executable, str(FOLDER / program), str(self._stop_file)],
            stdin=subprocess.PIPE if has_stdin else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            env={**inherited, **environment},
            bufsize=0,
        )
        try:
            self.ready = self.read_line()
        except TargetError:
            self.close()
            raise

    @property
    def folder(self) -> Path:
        """Folder of the file that stops the target; removed when the target is closed."""
        return self._stop_file.parent

    @property
    def pid(self) -> int:
        return self.process.pid

    def __enter__(self) -> Target:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Kill the target if it runs, and close its pipes and files."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                pipe.close()
        self._errors.close()
        self._folder.cleanup()

    def read_line(self, patience_s: float = PATIENCE_S) -> dict[str, Any]:
        """Return its next line, parsed. Raises TargetError if none arrives in time."""
        assert self.process.stdout is not None
        descriptor = self.process.stdout.fileno()
        deadline = time.monotonic() + patience_s
        while b"\n" not in self._pending:
            left = deadline - time.monotonic()
            readable, _, _ = select.select([descriptor], [], [], max(0.0, left))
            chunk = os.read(descriptor, 1 << 16) if readable else b""
            if not chunk:
                why = "ended" if readable else f"was silent for {patience_s:.0f} s"
                raise TargetError(f"target {self.pid} {why}: {self._describe_end()}")
            self._pending += chunk
        line, _, self._pending = self._pending.partition(b"\n")
        parsed: dict[str, Any] = json.loads(line)
        return parsed

    def ask(self, question: str = "?") -> dict[str, Any]:
        """Send a line to a target with stdin. Returns its answer."""
        assert self.process.stdin is not None
        self.process.stdin.write(question.encode() + b"\n")
        return self.read_line()

    def wait_for_state(self, is_waiting: bool) -> None:
        """Wait until /proc shows the main thread asleep or running. Raises TargetError."""
        wanted = "S" if is_waiting else "R"
        deadline = time.monotonic() + PATIENCE_S
        while read_thread_state(self.pid, self.pid) != wanted:
            if time.monotonic() > deadline:
                raise TargetError(f"target {self.pid} never got into state {wanted}")
            time.sleep(_POLL_S)

    def finish(self, patience_s: float = PATIENCE_S) -> dict[str, Any]:
        """Stop the target. Returns its last lines merged; all its results must be right.

        Raises TargetError if it computed anything wrong, crashed or did not end in time.
        """
        self._stop_file.touch()
        if self.process.stdin is not None:
            self.process.stdin.close()
        last = self.read_line(patience_s)
        try:
            code = self.process.wait(patience_s)
        except subprocess.TimeoutExpired as error:
            raise TargetError(f"target {self.pid} printed its result, but did not end") from error
        if code != 0 or last.get("wrong") != 0:
            raise TargetError(f"target went wrong: {last} {self._describe_end()}")
        assert self.process.stdout is not None
        for line in (self._pending + self.process.stdout.read()).splitlines():
            last.update(json.loads(line))
        return last

    def read_errors(self) -> str:
        """Return its standard error so far; not after it was closed."""
        return Path(self._errors.name).read_text(errors="replace")

    def _describe_end(self) -> str:
        try:
            code: int | None = self.process.wait(1.0)
        except subprocess.TimeoutExpired:
            code = None
        self._errors.flush()
        self._errors.seek(0)
        return f"exit code {code}; standard error: {self._errors.read()[-2000:]!r}"


def read_thread_state(pid: int, tid: int) -> str:
    """Return the state of a thread, R, S, D, T, Z …, from /proc/PID/task/TID/stat."""
    text = Path(f"/proc/{pid}/task/{tid}/stat").read_text(encoding="utf-8", errors="replace")
    return text.rpartition(")")[2].split()[0]


def start_in_state(python: Python, name: str) -> Target:
    """Start a target on ``python``, in the state STATES[name]. The caller closes it."""
    state = STATES[name]
    target = Target(python, state.program)
    try:
        target.wait_for_state(state.is_waiting)
    except TargetError:
        target.close()
        raise
    return target
