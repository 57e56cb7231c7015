"""Bystander: a process beside the command, which shows what a signal was sent to.

::

    kill -- -GROUP, timeout,  ──┬─▶ recorder   forwards it, unless the bystander has it, too
    the stop of a systemd unit  ├─▶ command    has it already
                                └─▶ bystander  blocks it: it stays pending, and /proc shows it

A program that gets a signal twice may stop in the middle of its clean-up. The sender of a signal
cannot be asked what else it sent it to; a process of the same group and control group knows.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys

from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.proc import PROC

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from stackglass.clock import Clock

# Says that it runs, takes what is pending at each byte, and ends with the recorder. Its command
# line does not contain the recorder's: what is sent to all processes of that name counts as sent to
# the recorder alone.
_PROGRAM = """
import os, signal, sys
os.write(1, b".")
os.close(1)
while sys.stdin.buffer.raw.read(1):
    while signal.sigtimedwait(range(1, 32), 0):
        pass
"""
_LOOK_NS = 1_000_000
_LOOKS = 20  # a sender that goes from process to process needs some time
_CLEARING_LOOKS = 2000  # the process may wait for a processor
_START_S = 10.0
_END_S = 5.0


class Bystander:
    """The process, and the signals that are pending in it. For the thread that forwards signals."""

    __slots__ = ("_clock", "_process")

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start the process. The calling thread blocks the signals in question; so does the
        process. Without one, at a limit on processes, all signals count as sent to one process.
        Returns when it runs: what comes meanwhile stays pending here, too."""
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _PROGRAM],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                bufsize=0,
            )
        except OSError:
            return
        assert self._process.stdout is not None
        with self._process.stdout as said:
            if not select.select([said], [], [], _START_S)[0] or not said.read(1):
                self._give_up()

    def has_got(self, number: int, pid: int) -> bool:
        """Whether the signal that has just come was sent to a group with process ``pid`` in it: the
        bystander has got it, too."""
        if self._process is None or not self._is_beside(pid):
            return False
        if not self._wait_until(lambda: self._has_pending(number)):
            return False
        self._clear(number)
        return True

    def stop(self) -> None:
        """End the process."""
        if self._process is None:
            return
        assert self._process.stdin is not None
        self._process.stdin.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:  # it is stopped
            self._process.kill()
            self._process.wait()
        self._process = None

    def _is_beside(self, pid: int) -> bool:
        """Whether a group or a control group that has the bystander has the process, too."""
        assert self._process is not None
        try:
            return os.getpgid(pid) == os.getpgid(self._process.pid) and PROC.read_bytes(
                pid, "cgroup"
            ) == PROC.read_bytes(self._process.pid, "cgroup")
        except (ProcessLookupError, NoSuchProcessError, PermissionError):
            return False

    def _has_pending(self, number: int) -> bool:
        assert self._process is not None
        try:
            status = PROC.read_status(self._process.pid)
        except NoSuchProcessError:
            return False
        return bool(status.pending_signals >> (number - 1) & 1)

    def _clear(self, number: int) -> None:
        """Have the process take what is pending: the next signal may be sent to one process."""
        assert self._process is not None
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(b".")
        except BrokenPipeError:
            return  # it was killed
        if not self._wait_until(lambda: not self._has_pending(number), _CLEARING_LOOKS):
            self._give_up()  # it is stopped: what it got since is not known

    def _give_up(self) -> None:
        assert self._process is not None
        self._process.kill()
        self.stop()

    def _wait_until(self, is_so: Callable[[], bool], n_looks: int = _LOOKS) -> bool:
        for _ in range(n_looks):
            if is_so():
                return True
            self._clock.sleep(_LOOK_NS)
        return is_so()
