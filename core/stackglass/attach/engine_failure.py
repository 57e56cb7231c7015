"""Why an engine that was entered cannot be reached, read from its memory (platform/failure.h)."""

from __future__ import annotations

import errno
import os
import struct
from enum import IntEnum

from stackglass.attach.elf import ElfError
from stackglass.attach.errors import InjectionError
from stackglass.attach.memory_map import list_files
from stackglass.attach.object_file import open_object
from stackglass.attach.proc import Proc
from stackglass.attach.target_memory import TargetMemory
from stackglass.errors import AttachError


class _Failure(IntEnum):
    """enum sg_failure."""

    NONE = 0
    THREAD = 1
    SOCKET = 2
    ACCEPT = 3


_WHAT = {
    _Failure.THREAD: "cannot start a thread",
    _Failure.SOCKET: "cannot make its socket in {place}",
    _Failure.ACCEPT: "cannot accept a connection",
}


def find_failure(pid: int, library: str, proc: Proc) -> int:
    """The address of the engine's word for it; 0 if it is not there (yet)."""
    name = os.path.basename(library)
    try:
        for mapping in list_files(proc.read_maps(pid)):
            if mapping.name == name:
                with open_object(pid, mapping, proc) as file:
                    return file.find_address("stackglass_failure") or 0
    except (AttachError, ElfError, OSError):
        return 0  # it is ending, or its memory is closed to us: then the time-out tells
    return 0


def read_failure(pid: int, address: int, place: str, proc: Proc) -> InjectionError | None:
    """What the engine says; None if it has not failed."""
    try:
        with TargetMemory(pid, proc=proc) as memory:
            data = memory.read(address, 8)
    except (AttachError, OSError):
        return None
    if len(data) < 8:
        return None
    failure, error = struct.unpack("<ii", data)
    if failure not in (_Failure.THREAD, _Failure.SOCKET, _Failure.ACCEPT):
        return None
    what = _WHAT[_Failure(failure)].format(place=place)
    return InjectionError(
        f"the engine in process {pid} {what}: {explain_error(pid, error, place, proc)}",
        "the engine has left the process again",
    )


def explain_error(pid: int, error: int, place: str, proc: Proc) -> str:
    """An errno of the target as a cause."""
    if error == errno.EMFILE:
        limit = _read_limit(pid, "Max open files", proc)
        return f"it may have {limit} descriptors at most (RLIMIT_NOFILE)"
    if error == errno.ENOMEM:
        limit = _read_limit(pid, "Max address space", proc)
        return f"it may have no more memory (address space, RLIMIT_AS: {limit} bytes)"
    if error == errno.EAGAIN:
        threads = _read_limit(pid, "Max processes", proc)
        memory = _read_limit(pid, "Max address space", proc)
        return (
            f"its user may have no more threads (RLIMIT_NPROC: {threads}), or it no more memory "
            f"(RLIMIT_AS: {memory})"
        )
    if error == errno.EROFS:
        return f"the file system of {place} is read-only there"
    if error in (errno.EPERM, errno.EACCES, errno.EAFNOSUPPORT):
        return f"it is forbidden, by a system call filter or a sandbox ({os.strerror(error)})"
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
