"""Judgement of a process's system call filters (seccomp): call by call, for each thread.

Only for a process that has filters: see filter_verdict.py.
"""

from __future__ import annotations

import errno
import os
import time

from stackglass.attach.errors import BusyTargetError, FilteredError
from stackglass.attach.proc import ENDED, Proc, Status
from stackglass.attach.seccomp import Action, Call, FilterError, judge
from stackglass.attach.target import Verdict
from stackglass.errors import AttachError
from stackglass.named_tuple import NamedTuple
from stackglass.native import _core

_STRICT = 1
_N_TRIES = 20
_TRY_AGAIN_S = 0.005
_TRIES_NS = 10_000_000_000  # for a thread that hardly gets a processor
_DENIED = (b"",)  # no filter is empty
_FIRST_MINOR_WITH_AFFINITY = 14  # its thread states ask for the bounds of the thread's stack

_O_CLOEXEC = 0o2000000
_O_NONBLOCK = 0o4000
_MAP_PRIVATE, _MAP_FIXED, _MAP_ANONYMOUS = 0x02, 0x10, 0x20
_MAP_DENYWRITE, _MAP_NORESERVE, _MAP_STACK = 0x0800, 0x4000, 0x20000
_NO_FILE = (1 << 64) - 1
_AT_FDCWD = -100 & _NO_FILE
_THREAD_FLAGS = 0x3D0F00  # of clone, as the C library makes a thread

_EVERY_THREAD = (
    Call("rt_sigreturn"),
    Call("rt_sigprocmask", (_NO_FILE & 0xFFFFFFFF,)),
    Call("rt_sigprocmask", (0,)),
    Call("rt_sigprocmask", (2,)),
    Call("gettid"),
    Call("getpid"),
    Call("clock_gettime", (1,)),
    Call("clock_gettime", (3,)),
    Call("futex"),
    Call("futex", (0x7F5500001000, 128)),
    Call("futex", (0x7F5500001000, 129)),
    Call("mmap", (0, 65536, 3, _MAP_PRIVATE | _MAP_ANONYMOUS | _MAP_NORESERVE, _NO_FILE, 0)),
    Call("munmap"),
    Call("restart_syscall"),
)
"""Made by handlers and hooks, so on all of the program's threads."""

_ENGINE_THREADS = (
    Call("openat", (_AT_FDCWD, 0x7F5500001000, _O_CLOEXEC)),
    Call("openat", (_AT_FDCWD, 0x7F5500001000, _O_CLOEXEC | 1)),
    Call("read"),
    Call("pread64"),
    Call("write"),
    Call("lseek"),
    Call("fstat"),
    Call("newfstatat"),
    Call("getdents64"),
    Call("close"),
    Call("mmap", (0, 65536, 1, _MAP_PRIVATE | _MAP_DENYWRITE, 3, 0)),
    Call("mmap", (0x7F5500001000, 65536, 5, _MAP_PRIVATE | _MAP_FIXED | _MAP_DENYWRITE, 3, 4096)),
    Call("mmap", (0x7F5500001000, 65536, 3, _MAP_PRIVATE | _MAP_FIXED | _MAP_DENYWRITE, 3, 4096)),
    Call("mmap", (0, 65536, 0, _MAP_PRIVATE | _MAP_ANONYMOUS | _MAP_NORESERVE, _NO_FILE, 0)),
    Call("mmap", (0, 65536, 0, _MAP_PRIVATE | _MAP_ANONYMOUS | _MAP_STACK, _NO_FILE, 0)),
    Call("mmap", (0, 65536, 3, _MAP_PRIVATE | _MAP_ANONYMOUS, _NO_FILE, 0)),
    Call("mprotect", (0x7F5500001000, 4096, 0)),
    Call("mprotect", (0x7F5500001000, 4096, 1)),
    Call("mprotect", (0x7F5500001000, 4096, 3)),
    Call("madvise", (0x7F5500001000, 4096, 4)),
    Call("brk"),
    Call("futex", (0x7F5500001000, 133)),
    Call("clone3"),
    Call("clone", (_THREAD_FLAGS,)),
    Call("set_robust_list"),
    Call("rseq"),
    Call("exit"),
    Call("rt_sigaction"),
    Call("getuid"),
    Call("geteuid"),
    Call("poll"),
    Call("ppoll"),
    Call("fcntl", (3, 4, 0o24000)),  # F_SETFL: O_NONBLOCK, O_ASYNC
    Call("fcntl", (3, 10)),  # F_SETSIG
    Call("fcntl", (3, 15)),  # F_SETOWN_EX
    Call("fcntl", (3, 1030)),  # F_DUPFD_CLOEXEC
    Call("pipe2", (0x7F5500001000, _O_CLOEXEC | _O_NONBLOCK)),
    Call("socket", (1, 1 | _O_CLOEXEC | _O_NONBLOCK, 0)),
    Call("bind"),
    Call("listen"),
    Call("accept4"),
    Call("getsockopt", (3, 1, 17)),  # SO_PEERCRED
    Call("sendto"),
    Call("recvfrom"),
    Call("unlink"),
    Call("unlinkat"),
)
"""Made by the thread that is entered, and by those that the engine starts from it."""

_MUST_SUCCEED = ("socket", "bind", "listen", "accept4", "mmap", "openat", "read", "futex")

_OPTIONAL = (
    (Call("perf_event_open"), Call("ioctl", (3, 0x2400)), Call("ioctl", (3, 0x40082404))),
    (Call("close_range", (0, 0xFFFFFFFF, 2)),),
    (Call("unshare", (0x400,)),),
    (Call("process_vm_readv"),),
    (Call("rt_tgsigqueueinfo"),),
    (Call("timer_create"), Call("timer_settime"), Call("timer_delete")),
    (
        Call("prctl", (15,)),
        Call("prctl", (29,)),
        Call("fchmod"),
        Call("connect"),
        Call("getcwd"),
        Call("getrandom"),
        Call("getrusage"),
        Call("sched_yield"),
        Call("sched_setaffinity"),
    ),
)
"""What the engine can do without: bit 0 of ``calls`` first, as in platform/permitted_calls.h."""

_HARMLESS = (Action.ALLOW, Action.LOG, Action.ERRNO)
_FATAL = (Action.KILL_PROCESS, Action.KILL_THREAD, Action.TRAP)


class FilteredThread(NamedTuple):
    """A thread, and its filters, newest first."""

    tid: int
    filters: tuple[bytes, ...]


def judge_process(pid: int, minor: int, proc: Proc) -> Verdict:
    """Of process ``pid``, a Python 3.``minor``. If its filters are readable, each thread is stopped
    for a moment. Raises AttachError: the filters are fatal to the engine, or may be."""
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
    """Pure: which calls may be made, and which threads entered. Raises AttachError."""
    needed: tuple[Call, ...] = _ENGINE_THREADS
    if minor >= _FIRST_MINOR_WITH_AFFINITY:
        needed += (Call("sched_getaffinity"), Call("prlimit64"))
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
    order = {thread.tid: place for place, thread in enumerate(threads)}
    return Verdict(calls, tuple(sorted(enterable, key=order.__getitem__)), True, True)


def _find_problem(
    pid: int, filters: tuple[bytes, ...], calls: tuple[Call, ...]
) -> FilteredError | None:
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


def _list_states(pid: int, proc: Proc) -> dict[int, Status]:
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
        return _DENIED  # a kernel without it
    raise BusyTargetError(
        f"the system call filter of thread {tid} of process {pid} cannot be read "
        f"({reason.strerror})",
        "try again",
    )


def _read_filters(pid: int, states: dict[int, Status], proc: Proc) -> list[FilteredThread] | None:
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
    """A filter that may be fatal. A caller with a socket that is under a filter itself is most
    likely in the same container; containers' filters deny, they do not kill."""
    if proc.has_sockets(pid) or proc.read_status("self").seccomp:
        return
    raise FilteredError(
        f"process {pid} has a system call filter (seccomp) that only root can read, and no socket: "
        "the engine needs one, and the filter might end the process for it",
        "run it with sudo: then the filter can be read, and no forbidden call is made"
        if os.geteuid()
        else "grant CAP_SYS_ADMIN: then the filter can be read, and no forbidden call is made",
    )
