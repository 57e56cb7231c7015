"""Judgement of a process's system call filters (seccomp): call by call, for each thread.

Imported only for a process that has filters: see filter_verdict.py.
"""

from __future__ import annotations

import errno
import os
import time

from stackglass.attach.errors import BusyTargetError, FilteredError
from stackglass.attach.proc import ENDED, Proc, ProcessStatus
from stackglass.attach.seccomp import Action, FilterError, SystemCall, judge
from stackglass.attach.target import Verdict
from stackglass.errors import AttachError
from stackglass.named_tuple import NamedTuple
from stackglass.native import _core

_STRICT = 1  # value of ProcessStatus.seccomp
_N_TRIES = 20
_TRY_AGAIN_S = 0.005
_TRIES_NS = 10_000_000_000  # for a thread that hardly gets a processor
_DENIED = (b"",)  # no readable filter is empty
_FIRST_MINOR_WITH_AFFINITY = 14  # a new thread state asks for the bounds of the thread's stack

_O_CLOEXEC = 0o2000000
_O_NONBLOCK = 0o4000
_MAP_PRIVATE, _MAP_FIXED, _MAP_ANONYMOUS = 0x02, 0x10, 0x20
_MAP_DENYWRITE, _MAP_NORESERVE, _MAP_STACK = 0x0800, 0x4000, 0x20000
_NO_FILE = (1 << 64) - 1
_AT_FDCWD = -100 & _NO_FILE
_THREAD_FLAGS = 0x3D0F00  # of the C library's clone for a new thread

_EVERY_THREAD = (
    SystemCall("rt_sigreturn"),
    SystemCall("rt_sigprocmask", (_NO_FILE & 0xFFFFFFFF,)),
    SystemCall("rt_sigprocmask", (0,)),
    SystemCall("rt_sigprocmask", (2,)),
    SystemCall("gettid"),
    SystemCall("getpid"),
    SystemCall("clock_gettime", (1,)),
    SystemCall("clock_gettime", (3,)),
    SystemCall("futex"),
    SystemCall("futex", (0x7F5500001000, 128)),
    SystemCall("futex", (0x7F5500001000, 129)),
    SystemCall("mmap", (0, 65536, 3, _MAP_PRIVATE | _MAP_ANONYMOUS | _MAP_NORESERVE, _NO_FILE, 0)),
    SystemCall("munmap"),
    SystemCall("restart_syscall"),
)
"""Calls that signal handlers and hooks make, so on all of the program's threads."""

_ENGINE_THREADS = (
    SystemCall("openat", (_AT_FDCWD, 0x7F5500001000, _O_CLOEXEC)),
    SystemCall("openat", (_AT_FDCWD, 0x7F5500001000, _O_CLOEXEC | 1)),
    SystemCall("read"),
    SystemCall("pread64"),
    SystemCall("write"),
    SystemCall("lseek"),
    SystemCall("fstat"),
    SystemCall("newfstatat"),
    SystemCall("getdents64"),
    SystemCall("close"),
    SystemCall("mmap", (0, 65536, 1, _MAP_PRIVATE | _MAP_DENYWRITE, 3, 0)),
    SystemCall(
        "mmap", (0x7F5500001000, 65536, 5, _MAP_PRIVATE | _MAP_FIXED | _MAP_DENYWRITE, 3, 4096)
    ),
    SystemCall(
        "mmap", (0x7F5500001000, 65536, 3, _MAP_PRIVATE | _MAP_FIXED | _MAP_DENYWRITE, 3, 4096)
    ),
    SystemCall("mmap", (0, 65536, 0, _MAP_PRIVATE | _MAP_ANONYMOUS | _MAP_NORESERVE, _NO_FILE, 0)),
    SystemCall("mmap", (0, 65536, 0, _MAP_PRIVATE | _MAP_ANONYMOUS | _MAP_STACK, _NO_FILE, 0)),
    SystemCall("mmap", (0, 65536, 3, _MAP_PRIVATE | _MAP_ANONYMOUS, _NO_FILE, 0)),
    SystemCall("mprotect", (0x7F5500001000, 4096, 0)),
    SystemCall("mprotect", (0x7F5500001000, 4096, 1)),
    SystemCall("mprotect", (0x7F5500001000, 4096, 3)),
    SystemCall("madvise", (0x7F5500001000, 4096, 4)),
    SystemCall("brk"),
    SystemCall("futex", (0x7F5500001000, 133)),
    SystemCall("clone3"),
    SystemCall("clone", (_THREAD_FLAGS,)),
    SystemCall("set_robust_list"),
    SystemCall("rseq"),
    SystemCall("exit"),
    SystemCall("rt_sigaction"),
    SystemCall("getuid"),
    SystemCall("geteuid"),
    SystemCall("poll"),
    SystemCall("ppoll"),
    SystemCall("fcntl", (3, 4, 0o24000)),  # F_SETFL: O_NONBLOCK, O_ASYNC
    SystemCall("fcntl", (3, 10)),  # F_SETSIG
    SystemCall("fcntl", (3, 15)),  # F_SETOWN_EX
    SystemCall("fcntl", (3, 1030)),  # F_DUPFD_CLOEXEC
    SystemCall("pipe2", (0x7F5500001000, _O_CLOEXEC | _O_NONBLOCK)),
    SystemCall("socket", (1, 1 | _O_CLOEXEC | _O_NONBLOCK, 0)),
    SystemCall("bind"),
    SystemCall("listen"),
    SystemCall("accept4"),
    SystemCall("getsockopt", (3, 1, 17)),  # SO_PEERCRED
    SystemCall("sendto"),
    SystemCall("recvfrom"),
    SystemCall("unlink"),
    SystemCall("unlinkat"),
)
"""Calls that the entered thread makes, and the engine's threads, which it starts."""

_MUST_SUCCEED = ("socket", "bind", "listen", "accept4", "mmap", "openat", "read", "futex")

_OPTIONAL = (
    (
        SystemCall("perf_event_open"),
        SystemCall("ioctl", (3, 0x2400)),
        SystemCall("ioctl", (3, 0x40082404)),
    ),
    (SystemCall("close_range", (0, 0xFFFFFFFF, 2)),),
    (SystemCall("unshare", (0x400,)),),
    (SystemCall("process_vm_readv"),),
    (SystemCall("rt_tgsigqueueinfo"),),
    (SystemCall("timer_create"), SystemCall("timer_settime"), SystemCall("timer_delete")),
    (
        SystemCall("prctl", (15,)),
        SystemCall("prctl", (29,)),
        SystemCall("fchmod"),
        SystemCall("connect"),
        SystemCall("getcwd"),
        SystemCall("getrandom"),
        SystemCall("getrusage"),
        SystemCall("sched_yield"),
        SystemCall("sched_setaffinity"),
    ),
    (SystemCall("sched_getscheduler"), SystemCall("sched_setscheduler", (0, 0))),
)
"""Calls that the engine can do without, a group for each bit of ``calls``, from bit 0 on, as in
platform/permitted_calls.h."""

_HARMLESS = (Action.ALLOW, Action.LOG, Action.ERRNO)
_FATAL = (Action.KILL_PROCESS, Action.KILL_THREAD, Action.TRAP)


class FilteredThread(NamedTuple):
    """A thread, and its filters, newest first."""

    tid: int
    filters: tuple[bytes, ...]


def judge_process(pid: int, minor: int, proc: Proc) -> Verdict:
    """Judge process ``pid``, a Python 3.``minor``. Stops each thread for a moment, if its filters
    are readable. Raises AttachError: the filters are fatal to the engine, or may be."""
    states = _list_states(pid, proc)
    if any(status.seccomp == _STRICT for status in states.values()):
        raise FilteredError(
            f"a thread of process {pid} is in seccomp's strict mode: it may read and write, and "
            "would end at any other system call"
        )
    threads = _read_filters(pid, states, proc)
    if threads is None:
        _refuse_unknown(pid, proc)
        return Verdict(None, None, is_filtered=True, is_read=False)
    return judge_threads(pid, minor, threads)


def judge_threads(pid: int, minor: int, threads: list[FilteredThread]) -> Verdict:
    """Pure: which calls may be made, and which threads may be entered. Raises AttachError."""
    needed: tuple[SystemCall, ...] = _ENGINE_THREADS
    if minor >= _FIRST_MINOR_WITH_AFFINITY:
        needed += (SystemCall("sched_getaffinity"), SystemCall("prlimit64"))
    enterable, why = [], FilteredError("")
    calls = (1 << len(_OPTIONAL)) - 1
    for filters in {thread.filters for thread in threads}:
        problem = _find_problem(pid, filters, _EVERY_THREAD)
        if problem is not None:
            raise problem
        problem = _find_problem(pid, filters, needed)
        if problem is None:
            enterable += [thread.tid for thread in threads if thread.filters == filters]
        else:
            why = problem
        for bit, group in enumerate(_OPTIONAL):
            if any(judge(filters, call) not in _HARMLESS for call in group):
                calls &= ~(1 << bit)
    if not enterable:
        raise why
    order = {thread.tid: index for index, thread in enumerate(threads)}
    return Verdict(calls, tuple(sorted(enterable, key=order.__getitem__)), True, True)


def _find_problem(
    pid: int, filters: tuple[bytes, ...], calls: tuple[SystemCall, ...]
) -> FilteredError | None:
    """The error for the first of ``calls`` that would be fatal, or that is denied and must succeed;
    None = there is no such call."""
    for call in calls:
        action = judge(filters, call)
        if action in _FATAL:
            return FilteredError(
                f"the system call filter (seccomp) of process {pid} would end it at {call.name}, "
                "which the engine needs",
                f"allow {call.name} in the filter (systemd: SystemCallFilter=), or record the "
                "program without it",
            )
        is_denied = action in (Action.ERRNO, Action.TRACE)
        if is_denied and call.name in _MUST_SUCCEED:
            return FilteredError(
                f"the system call filter (seccomp) of process {pid} denies {call.name}, which the "
                "engine needs",
                f"allow {call.name} in the filter, or record the program without it",
            )
    return None


def _list_states(pid: int, proc: Proc) -> dict[int, ProcessStatus]:
    states = {}
    for tid in proc.list_threads(pid):
        try:
            states[tid] = proc.read_status(pid, tid)
        except AttachError:
            continue  # it has ended
    return states


def _read_thread(pid: int, tid: int, proc: Proc) -> tuple[bytes, ...] | None:
    """The thread's filters; None = it has ended, _DENIED = not readable. Raises BusyTargetError."""
    reason = OSError()
    until_ns = time.monotonic_ns() + _TRIES_NS
    for _ in range(_N_TRIES):
        try:
            return _core.read_filters(tid)
        except OSError as error:
            reason = error
        if reason.errno == errno.EACCES:
            return _DENIED
        # A thread that is about to end has no filter any more, and cannot be traced.
        if proc.read_thread_state(pid, tid) in ("", *ENDED):
            return None
        if time.monotonic_ns() >= until_ns:
            break
        time.sleep(_TRY_AGAIN_S)
    if reason.errno in (errno.EINVAL, errno.EIO):
        return _DENIED  # a kernel that does not give filters out
    raise BusyTargetError(
        f"the system call filter of thread {tid} of process {pid} cannot be read "
        f"({reason.strerror})",
        "try again",
    )


def _read_filters(
    pid: int, states: dict[int, ProcessStatus], proc: Proc
) -> list[FilteredThread] | None:
    """The filters of every thread; None = not readable. Raises BusyTargetError."""
    threads = []
    for tid, status in states.items():
        if status.seccomp == 0:
            threads.append(FilteredThread(tid, ()))
            continue
        filters = _read_thread(pid, tid, proc)
        if filters is _DENIED:
            return None
        if filters is not None:
            threads.append(FilteredThread(tid, filters))
    try:
        for filters in {thread.filters for thread in threads}:
            judge(filters, _EVERY_THREAD[0])
    except FilterError:
        return None
    return threads


def _refuse_unknown(pid: int, proc: Proc) -> None:
    """Raise FilteredError if the unreadable filter may be fatal: not if the process has a socket,
    nor if a filter applies to this process, too. Both are then most likely in one container, and
    containers' filters deny calls but do not kill."""
    if proc.has_sockets(pid) or proc.read_status("self").seccomp:
        return
    raise FilteredError(
        f"process {pid} has a system call filter (seccomp) that only root can read, and has no "
        "socket yet: the filter might end the process when the engine opens one",
        "run it with sudo: then the filter can be read, and no forbidden call is made"
        if os.geteuid()
        else "grant CAP_SYS_ADMIN: then the filter can be read, and no forbidden call is made",
    )
