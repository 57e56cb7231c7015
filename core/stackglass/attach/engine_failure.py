"""Engine failure: why an engine cannot be reached, read from its memory (platform/failure.h)."""

from __future__ import annotations

import errno
import os
import struct

from stackglass.attach.elf import ElfError
from stackglass.attach.errors import InjectionError
from stackglass.attach.memory_map import list_files
from stackglass.attach.object_file import open_object
from stackglass.attach.proc import Proc
from stackglass.attach.target_memory import TargetMemory
from stackglass.errors import AttachError


class _Failure:
    """enum sg_failure."""

    NONE = 0
    THREAD = 1
    SOCKET = 2
    ACCEPT = 3
    MEMORY = 4


_WHAT: dict[int, str] = {
    _Failure.THREAD: "cannot start a thread",
    _Failure.SOCKET: "cannot make its socket in {directory}",
    _Failure.ACCEPT: "cannot accept a connection",
    _Failure.MEMORY: "has no memory for messages",
}


def find_failure(pid: int, library: str, proc: Proc) -> int:
    """The address of ``stackglass_failure``; 0 if the library is not loaded (yet)."""
    name = os.path.basename(library)
    try:
        named = [each for each in list_files(proc.read_maps(pid)) if each.name == name]
    except (AttachError, OSError):
        return 0  # the process is ending, or cannot be read: the timeout reports it
    # The process may see the library at another path; others may call theirs the same.
    for mapping in sorted(named, key=lambda each: each.path != library):
        try:
            with open_object(pid, mapping, proc) as file:
                address = file.find_address("stackglass_failure")
        except (AttachError, ElfError, OSError):
            continue  # as above, or the file of another package, which may be deleted
        if address:
            return address
    return 0


def read_failure(pid: int, address: int, directory: str, proc: Proc) -> InjectionError | None:
    """The failure that the engine recorded; None = none. ``directory``: its socket's directory."""
    try:
        with TargetMemory(pid, proc=proc) as memory:
            data = memory.read(address, 8)
    except (AttachError, OSError):
        return None
    if len(data) < 8:
        return None
    failure, error = struct.unpack("<ii", data)
    if failure not in _WHAT:
        return None
    what = _WHAT[failure].format(directory=directory)
    return InjectionError(
        f"the engine in process {pid} {what}: {explain_error(pid, error, directory, proc)}",
        "the process continues as before",
    )


def explain_refusal(pid: int, error: int, directory: str, proc: Proc) -> InjectionError:
    """Why ``stackglass_enter`` has returned -``error``. ``directory``: as in ``read_failure``."""
    if error == errno.EEXIST:
        return InjectionError(
            f"process {pid} has an engine of another installation of Stackglass, whose file was "
            "replaced since",
            "restart the process; or wait until it records nothing, and attach then",
        )
    cause = explain_error(pid, error, directory, proc)
    return InjectionError(f"the engine could not start in process {pid}: {cause}")


def explain_error(pid: int, error: int, directory: str, proc: Proc) -> str:
    """The cause of an errno of the target, in words. ``directory``: as in ``read_failure``."""
    if error == errno.EMFILE:
        limit = _read_limit(pid, "Max open files", proc)
        return f"it may have at most {limit} file descriptors (RLIMIT_NOFILE)"
    if error == errno.ENOMEM:
        limit = _read_limit(pid, "Max address space", proc)
        if not limit.isdecimal():
            return f"the system gives it no more memory or mappings ({os.strerror(error)})"
        return f"its address space is limited to {limit} bytes (RLIMIT_AS)"
    if error == errno.EAGAIN:
        threads = _read_limit(pid, "Max processes", proc)
        memory = _read_limit(pid, "Max address space", proc)
        return (
            f"its threads (RLIMIT_NPROC: {threads}) or its address space (RLIMIT_AS: {memory} "
            "bytes) are limited"
        )
    if error == errno.EROFS:
        return f"{directory} is on a read-only file system"
    if error in (errno.EPERM, errno.EACCES, errno.EAFNOSUPPORT):
        return f"a system call filter or a sandbox forbids it ({os.strerror(error)})"
    return os.strerror(error)


def _read_limit(pid: int, name: str, proc: Proc) -> str:
    try:
        text = proc.read_bytes(pid, "limits").decode()
    except (AttachError, OSError):
        return "unknown"
    for line in text.splitlines():
        if line.startswith(name):
            return line[len(name) :].split()[0]
    return "unknown"
