"""Target process as /proc describes it: command line, title, parent, CPU time, start, threads."""

from __future__ import annotations

import os
import struct
import time

_DYING_S = 0.5  # how long a killed process may take to vanish
_POLL_S = 0.05
_TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")
_AT_RANDOM, _RANDOM_BYTES = 25, 16  # AT_RANDOM of the auxiliary vector, and its number of bytes


def read_command(pid: int) -> str:
    """Return the command line as lists of processes show it; "" = not readable."""
    from stackglass.attach.child_commands import read_command_line  # late: see attaching.py
    from stackglass.errors import StackglassError

    try:
        return read_command_line(pid)
    except (StackglassError, OSError):
        return ""


def read_title(pid: int) -> str:
    """Return what the program has written over its command line, as setproctitle does:
    ``gunicorn: worker [app]``; "" = nothing. Of a title that begins with brackets, return what is
    in them."""
    try:
        with open(f"/proc/{pid}/cmdline", encoding="utf-8", errors="replace") as file:
            words = file.read().rstrip("\0").split("\0")
    except OSError:
        return ""
    # A path may have spaces as well, but then the file exists.
    is_title = len(words) == 1 and " " in words[0] and not os.path.exists(words[0])
    title = " ".join(words[0].split()) if is_title else ""
    # celery writes ``[celeryd: celery@host:MainProcess] -active- (ARGUMENTS)``.
    name, bracket, _ = title.removeprefix("[").partition("]")
    return name if title.startswith("[") and name and bracket else title


def read_process_name(pid: int) -> str:
    """Return the kernel's name of the process, which a thread has until it is named; "" = not
    readable."""
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().rstrip("\n")
    except OSError:
        return ""


def find_forker(pid: int) -> int:
    """Return the PID of the process's parent, if the process is a fork of it and has not executed
    another program since; 0 = it is not, or that is not known."""
    parent = read_parent(pid)
    own = _read_random(pid) if parent else b""
    return parent if own and own == _read_random(parent) else 0


def _read_random(pid: int) -> bytes:
    """Return the random bytes that the kernel gives each program at exec; a fork keeps them."""
    try:
        with open(f"/proc/{pid}/auxv", "rb") as file:
            vector = file.read()
        entries = dict(struct.iter_unpack("QQ", vector[: len(vector) // 16 * 16]))
        with open(f"/proc/{pid}/mem", "rb", buffering=0) as file:
            return os.pread(file.fileno(), _RANDOM_BYTES, entries[_AT_RANDOM])
    except (OSError, KeyError):
        return b""


def read_cpu_ns(pid: int) -> int:
    """Return the process's CPU time in ns, as of the last clock tick; 0 = not readable."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
    except OSError:
        return 0
    return (int(fields[11]) + int(fields[12])) * _TICK_NS


def read_parent(pid: int) -> int:
    """Return the PID of the process's parent; 0 = none, or not readable."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[1])
    except (OSError, IndexError):
        return 0


def read_beginning(pid: int) -> str:
    """Return an identifier of the process's start, which no other process with its PID has; "" =
    not readable, or it has ended."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            fields = file.read().rpartition(")")[2].split()
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            boot = file.read().strip()
        return f"{boot} {int(fields[19])}" if fields[0] not in ("Z", "X") else ""
    except (OSError, IndexError, ValueError):
        return ""


def read_begin_ticks(pid: int) -> int:
    """Return the process's start in clock ticks since the system's boot; 0 = not readable."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return int(file.read().rpartition(")")[2].split()[19])
    except (OSError, IndexError):
        return 0


def list_threads(pid: int) -> frozenset[int]:
    """Return the kernel's ids of the process's threads; empty = not readable. Any thread."""
    try:
        return frozenset(map(int, os.listdir(f"/proc/{pid}/task")))
    except OSError:
        return frozenset()


def ends_soon(pid: int) -> bool:
    """Whether the process ends within ``_DYING_S``: a killed process closes its sockets before it
    is gone."""
    deadline_s = time.monotonic() + _DYING_S
    while is_running(pid):
        if time.monotonic() >= deadline_s:
            return False
        time.sleep(_POLL_S)
    return True


def is_running(pid: int) -> bool:
    """Return whether the process exists and is no zombie."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in ("Z", "X")
    except (OSError, IndexError):
        return False
