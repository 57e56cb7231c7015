"""Refusals: why a process cannot be attached to, one sentence and one remedy each.

These functions read nothing: the caller passes what it has read. A refusal is raised before the
process is touched.
"""

from __future__ import annotations

from stackglass.attach.caller import Caller
from stackglass.attach.errors import (
    NoSuchProcessError,
    NotAllowedError,
    NotPythonError,
    TracedError,
    UnreachableError,
    UnsupportedPythonError,
)
from stackglass.attach.proc import ProcessStatus, Stat
from stackglass.attach.python_build import FIRST_MINOR, LAST_MINOR, PythonBuild
from stackglass.attach.standstill import make_stopped
from stackglass.errors import AttachError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_ANCESTORS_ONLY, _ADMINISTRATORS_ONLY, _DISABLED = 1, 2, 3  # Yama's ptrace_scope


def refuse_kind(pid: int, stat: Stat, caller: Caller) -> None:
    """Refuse this process itself, kernel threads and zombies."""
    if pid == caller.pid:
        raise NotAllowedError(
            f"process {pid} is this program itself", "attach from another process"
        )
    if stat.is_kernel_thread:
        raise NotPythonError(f"process {pid} is a thread of the kernel")
    if stat.has_lost_main_thread:
        raise NotAllowedError(
            f"the main thread of process {pid} has ended (pthread_exit) while other threads run: "
            "the system no longer shows the process's memory",
            "let the main thread wait for the others instead",
        )
    if stat.has_ended:
        raise NoSuchProcessError(
            f"process {pid} has ended (a zombie: its parent has not reaped it)",
            "`stackglass ps` lists the Python processes",
        )


def refuse_owner(
    pid: int, status: ProcessStatus, caller: Caller, name_user: Callable[[int], str]
) -> None:
    """Refuse a process of another user."""
    if caller.may_trace_anyone or set(status.uids) == {caller.uid}:
        return
    owner = name_user(status.uids[1])
    as_owner = f"run as {owner}, or as root" if status.uids[1] else "run as root"
    raise NotAllowedError(
        f"process {pid} belongs to another user, {owner}",
        f"{as_owner}: `{caller.spell_as_root(pid)}`",
    )


def refuse_word_size(pid: int, is_64_bit: bool) -> None:
    """Refuse a program for another word size than the engine's."""
    if not is_64_bit:
        raise UnsupportedPythonError(
            f"process {pid} is a 32-bit program", "only 64-bit Pythons can be profiled"
        )


def refuse_build(pid: int, build: PythonBuild) -> None:
    """Refuse Pythons that the engine does not support."""
    known = f"3.{FIRST_MINOR} to 3.{LAST_MINOR}"
    if build.major == 0:
        raise UnsupportedPythonError(
            f"process {pid} runs a Python of an unknown version",
            f"supported are {known}",
        )
    if build.major != 3 or not FIRST_MINOR <= build.minor <= LAST_MINOR:
        raise UnsupportedPythonError(
            f"process {pid} runs Python {build.version}", f"supported are {known}"
        )
    if build.is_free_threaded:
        raise UnsupportedPythonError(
            f"process {pid} runs a free-threaded build of Python {build.version}",
            "run the program on the ordinary build to profile it",
        )


def refuse_state(pid: int, stat: Stat, status: ProcessStatus, tracer: str) -> None:
    """Refuse a process that is traced or stopped. ``tracer``: name of the tracing process."""
    if status.tracer:
        raise TracedError(
            f"process {pid} is already traced by process {status.tracer} ({tracer})",
            "a process has only one tracer at a time: detach that debugger first",
        )
    if stat.state == "T":
        raise make_stopped(pid)


def explain_denial(pid: int, status: ProcessStatus, caller: Caller, scope: int) -> AttachError:
    """Why the kernel forbids tracing a process. ``scope``: Yama's ptrace_scope."""
    if scope >= _DISABLED:
        return NotAllowedError(
            f"no process may be traced on this machine (ptrace_scope is {scope})",
            "it can be changed only at boot: kernel.yama.ptrace_scope in /etc/sysctl.d",
        )
    if scope == _ADMINISTRATORS_ONLY and not caller.may_trace_anyone:
        return NotAllowedError(
            f"only administrators may trace on this machine (ptrace_scope is {scope})",
            f"run as root: `{caller.spell_as_root(pid)}`",
        )
    if scope == _ANCESTORS_ONLY and not caller.may_trace_anyone:
        return NotAllowedError(
            f"only its ancestors may trace process {pid} (ptrace_scope is {scope})",
            f"run as root: `{caller.spell_as_root(pid)}`; or allow it until the next boot: "
            "`sudo sysctl kernel.yama.ptrace_scope=0`",
        )
    if caller.uid == 0:
        return NotAllowedError(
            f"the system forbids tracing process {pid}, even to root",
            "in a container: start the container with --cap-add=SYS_PTRACE",
        )
    return NotAllowedError(
        f"process {pid} is protected against tracing (it has or had privileges)",
        f"run as root: `{caller.spell_as_root(pid)}`",
    )


def explain_hidden(pid: int, caller: Caller) -> AttachError:
    """The error for a process of which the system shows nothing but its number."""
    return NotAllowedError(
        f"process {pid} belongs to another user, and /proc is mounted so that it hides such "
        "processes (hidepid)",
        f"run as its owner, or as root: `{caller.spell_as_root(pid)}`",
    )


def explain_unreachable(pid: int, path: str) -> AttachError:
    """The error for a process in a container, or in any other mount namespace."""
    return UnreachableError(
        f"process {pid} does not see {path}: it runs in a container or a file system of its own",
        "run stackglass inside it (docker exec, nsenter)",
    )
