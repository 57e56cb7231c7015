"""Process end: the signal, or the exit status, with which a process ended.

From Linux 6.15 on, it is read from a PID file descriptor that was opened while the process lived,
even after the parent has reaped the process. Older kernels have it in ``/proc/PID/stat``, until the
parent reaps the process.
"""

from __future__ import annotations

import os
import struct
import time

from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.proc import ENDED, PROC, Proc
from stackglass.named_tuple import NamedTuple

_INFO = struct.Struct("<QQ11Ii")  # struct pidfd_info: mask, cgroup, ids, exit status
_GET_INFO = 3 << 30 | _INFO.size << 16 | 0xFF << 8 | 11
_WANTS_EXIT = 1 << 3
_NO_SYSTEM_CALL = 31  # SIGSYS, on x86-64 and aarch64
_DYING_S, _DYING_POLL_S = 2.0, 0.002
_FREEING_S = 60.0
_PF_EXITING = 0x00000004
_SIGKILL_BIT = 1 << (9 - 1)
_REAPING_S = 0.3
_SETTLING_S = 0.05


class ProcessEnd(NamedTuple):
    """How a process ended, as far as this is known."""

    is_known: bool
    signal: int = 0  # 0 = it exited
    status: int = 0

    def describe(self) -> str:
        """Text for parentheses behind a sentence."""
        if not self.is_known:
            return "exit status unknown"  # reaped by its parent, or hidden from this process
        if not self.signal:
            return f"exit status {self.status}"
        import signal  # here for start-up time

        try:
            name = signal.Signals(self.signal).name
        except ValueError:
            name = f"signal {self.signal}"
        else:
            name = f"signal {self.signal}, {name}"
        if self.signal == _NO_SYSTEM_CALL:
            name += ": a system call filter (seccomp) forbade a call"
        return f"ended by {name}"


class EndWatch:
    """Watches one process until ``close``. Any thread."""

    __slots__ = ("_fd", "_pid", "_proc")

    def __init__(self, pid: int, proc: Proc = PROC) -> None:
        """Raises nothing: without a descriptor less is known."""
        self._pid = pid
        self._proc = proc
        self._fd = -1
        if proc is PROC:
            try:
                self._fd = os.pidfd_open(pid)
            except OSError:
                self._fd = -1  # the process has ended, or the system has no such descriptors

    def close(self) -> None:
        """Close the descriptor."""
        if self._fd >= 0:
            os.close(self._fd)
        self._fd = -1

    def look(self) -> ProcessEnd:
        """How the process ended. Only for a process that has ended, or whose threads end: on a
        crowded machine it takes a while from there until the process has a status. Waits up to two
        seconds, up to a minute while the process is certain to end."""
        began_s = time.monotonic()
        while not self._proc.has_ended(self._pid):
            most_s = _FREEING_S if is_dying(self._pid, self._proc) else _DYING_S
            if time.monotonic() - began_s >= most_s:
                break
            time.sleep(_DYING_POLL_S)
        status = self._ask_descriptor()
        if status is None:
            status = self._ask_proc()
        if status is None:
            status = self._await_descriptor()
        if status is None:
            return ProcessEnd(is_known=False)
        return ProcessEnd(True, status & 0x7F, status >> 8 & 0xFF)

    def _ask_descriptor(self) -> int | None:
        if self._fd < 0:
            return None
        import fcntl  # here for start-up time

        try:
            answer = bytearray(_INFO.pack(_WANTS_EXIT, *[0] * 13))
            fcntl.ioctl(self._fd, _GET_INFO, answer)
        except OSError:
            return None  # an older kernel
        values = _INFO.unpack(answer)
        return int(values[-1]) if values[0] & _WANTS_EXIT else None

    def _await_descriptor(self) -> int | None:
        """Wait for a moment, because the descriptor has the status only once the parent has reaped
        the process."""
        until_s = time.monotonic() + _REAPING_S
        status = self._ask_descriptor()
        while status is None and self._fd >= 0 and time.monotonic() < until_s:
            time.sleep(_DYING_POLL_S)
            status = self._ask_descriptor()
        return status

    def _ask_proc(self) -> int | None:
        try:
            text = self._proc.read_bytes(self._pid, "stat").decode("utf-8", "surrogateescape")
        except (NoSuchProcessError, OSError):
            return None
        fields = text.rpartition(")")[2].split()
        if fields[0] not in ENDED or int(fields[17]) > 1 or len(fields) < 50:
            return None  # while other threads run, a status is the main thread's own
        return int(fields[49]) or None  # 0 also if this process may not read the status


def is_dying(pid: int, proc: Proc) -> bool:
    """Whether the process has ended, or is certain to: it exits, which takes seconds with a large
    memory, or SIGKILL is about to reach it. Raises nothing."""
    try:
        if not _is_ending(pid, (), proc):
            return False
        # A main thread may end alone (pthread_exit): the process lives as long as its others.
        others = [("task", str(tid)) for tid in proc.list_threads(pid) if tid != pid]
    except NoSuchProcessError:
        return True
    except PermissionError:
        return False  # it exists, and is hidden
    return all(_is_ending(pid, folder, proc) for folder in others)


def _is_ending(pid: int, folder: tuple[str, ...], proc: Proc) -> bool:
    """Whether a thread has ended, exits, or is about to get SIGKILL."""
    try:
        stat = proc.read_bytes(pid, *folder, "stat").rpartition(b")")[2].split()
        if stat[0].decode() in ENDED or int(stat[6]) & _PF_EXITING:
            return True
        status = proc.read_bytes(pid, *folder, "status")
    except NoSuchProcessError:
        return True
    pending = 0
    for name in (b"\nSigPnd:", b"\nShdPnd:"):
        pending |= int(status.partition(name)[2].partition(b"\n")[0] or b"0", 16)
    return bool(pending & _SIGKILL_BIT)


def is_living(pid: int, proc: Proc) -> bool:
    """Whether the process goes on. Looks twice, because a process that is about to exit does not
    show that for a moment. Raises nothing."""
    for pause_s in (_SETTLING_S, 0.0):
        if is_dying(pid, proc) or not _exists(pid):
            return False
        time.sleep(pause_s)
    return True


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def explain_end(pid: int, end: ProcessEnd) -> NoSuchProcessError:
    """The error for a process that has ended since the attach began."""
    return NoSuchProcessError(f"process {pid} ended while it was being entered ({end.describe()})")
