"""The Python processes of this machine, and whether each can be attached to."""

from __future__ import annotations

from stackglass.attach import target as targets
from stackglass.attach.caller import Caller, describe_caller
from stackglass.attach.child_commands import find_role, read_command_line
from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.library import find_library
from stackglass.attach.proc import ENDED, PROC, Proc
from stackglass.attach.python_build import find_python
from stackglass.errors import AttachError
from stackglass.named_tuple import NamedTuple

_PYTHONS = ("python", "pypy")


class ProcessInfo(NamedTuple):
    """A Python process, as `stackglass ps` lists it."""

    pid: int
    python: str  # "3.13.0"; "" = not known
    command: str  # one line, as ``read_command_line`` returns it
    owner: str
    rss_bytes: int
    attachable: bool
    reason: str  # why not; "" where it can be attached to
    remedy: str  # what helps; "" = nothing known
    role: str = ""  # in multiprocessing; "" = multiprocessing did not start it


def list_processes(proc: Proc = PROC) -> list[ProcessInfo]:
    """Every Python process but this one, by PID, as far as the system shows them. Any thread; takes
    some milliseconds."""
    caller = describe_caller(proc)
    found = []
    for pid in proc.list_pids():
        if pid == caller.pid:
            continue
        try:
            info = _describe(pid, caller, proc)
        except (NoSuchProcessError, PermissionError):
            continue  # it has ended since it was listed, or is hidden (hidepid=1)
        if info is not None:
            found.append(info)
    return found


def _describe(pid: int, caller: Caller, proc: Proc) -> ProcessInfo | None:
    stat = proc.read_stat(pid)
    if stat.is_kernel_thread or stat.state in ENDED:
        return None
    words = proc.read_command(pid)
    python = _find_version(pid, proc)
    if python is None or (not python and not _looks_like_python(pid, words, proc)):
        return None
    refusal = _find_refusal(pid, caller, proc)
    return ProcessInfo(
        pid=pid,
        python=python,
        command=read_command_line(pid, proc) or f"[{proc.read_name(pid)}]",
        owner=targets.name_user(proc.read_status(pid).uids[1]),
        rss_bytes=stat.rss_bytes,
        attachable=refusal is None,
        reason=refusal.message if refusal else "",
        remedy=refusal.remedy if refusal else "",
        role=find_role(words),
    )


def _find_version(pid: int, proc: Proc) -> str | None:
    """The version of Python in a process; None = no Python, "" = its memory is not readable."""
    try:
        build = find_python(pid, proc.read_maps(pid), proc)
    except PermissionError:
        return ""
    if build is None:
        return None
    return build.version + ("t" if build.is_free_threaded else "")


def _looks_like_python(pid: int, words: list[str], proc: Proc) -> bool:
    """Whether a process with unreadable memory has the name or the command of a Python."""
    names = [proc.read_name(pid), *words[:1]]
    return any(map(_is_pythons_name, names))


def _is_pythons_name(path: str) -> bool:
    """Whether a path is like ``/usr/bin/python3.13``, ``pypy`` or ``python3.13t``."""
    name = path.rpartition("/")[2]
    for python in _PYTHONS:
        suffix = name[len(python) :].lstrip("0123456789.")
        if name.startswith(python) and (not suffix or "a" <= suffix <= "z"):
            return len(suffix) <= 1
    return False


def _find_refusal(pid: int, caller: Caller, proc: Proc) -> AttachError | None:
    """Why the process cannot be attached to; None = it can."""
    try:
        target = targets.inspect(pid, caller, proc)
        targets.check_entry(target, caller, proc)
        targets.check_reachable(target, find_library(), proc)
    except NoSuchProcessError:
        raise
    except AttachError as error:
        return error
    return None
