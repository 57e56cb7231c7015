"""Target: a process that is to be entered, inspected and checked before it is touched."""

from __future__ import annotations

import os

from stackglass.attach import refusals
from stackglass.attach.caller import Caller
from stackglass.attach.elf import Elf
from stackglass.attach.errors import NoSuchProcessError, NotPythonError
from stackglass.attach.memory_map import Mapping
from stackglass.attach.proc import PROC, Proc, ProcessStatus, Stat
from stackglass.attach.python_build import PythonBuild, find_python
from stackglass.attach.standstill import find_frozen
from stackglass.attach.target_memory import TargetMemory
from stackglass.named_tuple import NamedTuple


class Target(NamedTuple):
    """A Python process of a kind that the engine can enter."""

    pid: int
    start_time: int  # clock ticks since boot
    uid: int  # effective
    build: PythonBuild
    is_forked: bool = False  # it was forked, and has executed no program since


class Verdict(NamedTuple):
    """How a process may be entered: what its system call filters let the engine do."""

    calls: int | None  # the engine's argument ``calls``; None = no filter, or not readable
    threads: tuple[int, ...] | None  # the threads that may be used to enter; None = any
    is_filtered: bool
    is_read: bool  # the filters have been read, and judged


def inspect(pid: int, caller: Caller, proc: Proc = PROC) -> Target:
    """The facts about process ``pid``. Raises AttachError if the engine cannot enter a process of
    this kind; touches nothing."""
    stat = _read_stat(pid, caller, proc)
    refusals.refuse_kind(pid, stat, caller)
    status = proc.read_status(pid)
    refusals.refuse_owner(pid, status, caller, name_user)
    maps = _read_maps(pid, status, caller, proc)
    refusals.refuse_word_size(pid, _is_64_bit(pid, proc))
    try:
        build = find_python(pid, maps, proc)
    except PermissionError as error:  # its files are gone, and its memory needs the right to trace
        raise refusals.explain_denial(pid, status, caller, proc.read_scope()) from error
    if build is None:
        raise NotPythonError(
            f"process {pid} ({proc.read_name(pid)}) is not a Python program",
            "`stackglass ps` lists those that are",
        )
    refusals.refuse_build(pid, build)
    return Target(pid, stat.start_time, status.uids[1], build, stat.is_forked)


def await_fork(target: Target, deadline_ns: int, proc: Proc = PROC) -> None:
    """Wait until a forked process is past its fork, see ``fork.await_end``. Raises AttachError;
    touches nothing."""
    if target.is_forked:
        from stackglass.attach import fork  # here for start-up time

        fork.await_end(target.pid, target.start_time, deadline_ns, proc)


def check_entry(target: Target, caller: Caller, proc: Proc = PROC) -> None:
    """Check that the system permits the entry. Raises AttachError; touches nothing."""
    pid = target.pid
    status, tracer = _read_tracer(pid, proc)
    refusals.refuse_state(pid, proc.read_stat(pid), status, tracer)
    frozen = find_frozen(pid, proc)
    if frozen is not None:
        raise frozen
    try:
        with TargetMemory(pid, proc=proc):
            pass  # opening asks the kernel the very question that ptrace will ask
    except (PermissionError, FileNotFoundError, ProcessLookupError) as error:
        proc.read_stat(pid)  # raises if it has ended meanwhile
        scope = proc.read_scope()
        raise refusals.explain_denial(pid, status, caller, scope) from error


def _read_tracer(pid: int, proc: Proc) -> tuple[ProcessStatus, str]:
    """The status, and the name of the process that traces it; "" = none, or it has just left."""
    status = proc.read_status(pid)
    try:
        return status, proc.read_name(status.tracer) if status.tracer else ""
    except NoSuchProcessError:
        return status._replace(tracer=0), ""


def check_reachable(target: Target, path: str, proc: Proc = PROC) -> None:
    """Check that the process sees the same file at ``path``. Raises UnreachableError."""
    own = os.stat(path)
    try:
        theirs = os.stat(proc.path(target.pid, "root") + os.path.realpath(path))
        is_same = (own.st_dev, own.st_ino) == (theirs.st_dev, theirs.st_ino)
    except OSError:
        is_same = False
    if not is_same and proc.has_ended(target.pid):
        raise NoSuchProcessError(f"process {target.pid} has ended")
    if not is_same:
        raise refusals.explain_unreachable(target.pid, path)


def name_user(uid: int) -> str:
    """The user's name, or the number of one without a name."""
    import pwd  # here for start-up time

    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _read_stat(pid: int, caller: Caller, proc: Proc) -> Stat:
    try:
        return proc.read_stat(pid)
    except PermissionError as error:
        raise refusals.explain_hidden(pid, caller) from error


def _read_maps(pid: int, status: ProcessStatus, caller: Caller, proc: Proc) -> list[Mapping]:
    try:
        return proc.read_maps(pid)
    except PermissionError as error:
        raise refusals.explain_denial(pid, status, caller, proc.read_scope()) from error


def _is_64_bit(pid: int, proc: Proc) -> bool:
    try:
        with open(proc.path(pid, "exe"), "rb") as file:
            return Elf.is_64_bit(file.read(5))
    except OSError:
        return True  # not known: a later check fails
