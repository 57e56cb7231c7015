"""State of a process in /proc that must be the same after a detach.

Values that change by themselves are left out: memory sizes, context switches, the present state.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple

# The library stays mapped after a detach by design: a thread may still return into its code, so
# unmapping it is not safe.
_LIBRARY = re.compile(r"/stackglass/native/_core\.abi3\.so")
_VOLATILE_STATUS = re.compile(
    r"^(Vm|Rss|Hugetlb|voluntary_|nonvoluntary_|State|SigQ|untag|x86_Thread_features|Mems_|Cpus_)"
)


# 32 and 33, which the C library uses between threads: it installs handlers when a process starts
# its first thread, and never removes them.
_LIBRARY_SIGNALS = 3 << 31


class Mapping(NamedTuple):
    """A line of /proc/PID/maps without its addresses."""

    path: str
    permissions: str
    size_bytes: int


class ProcState(NamedTuple):
    """A process as seen from outside."""

    status: dict[str, str]  # signal masks and dispositions, ids, thread count, seccomp …
    tasks: dict[int, str]  # tid → name
    descriptors: dict[int, str]  # number → target of its link
    files_mapped: list[tuple[str, str]]  # sorted (path, permissions), without the engine's
    executable_anonymous: int  # mappings that run code and belong to no file
    timers: str  # POSIX timers
    unix_sockets: list[str]  # paths bound anywhere below a folder of the engine's
    cwd: str


def read_mappings(pid: int) -> list[Mapping]:
    """List every mapping of a process."""
    mappings = []
    for line in Path(f"/proc/{pid}/maps").read_text(errors="replace").splitlines():
        fields = line.split(maxsplit=5)
        low, _, high = fields[0].partition("-")
        path = fields[5] if len(fields) > 5 else ""
        mappings.append(Mapping(path, fields[1], int(high, 16) - int(low, 16)))
    return mappings


def read_caught_signals(pid: int) -> int:
    """Return the signals with a handler as bits: signal n is bit n - 1."""
    return int(read_status(pid)["SigCgt"], 16)


def read_status(pid: int) -> dict[str, str]:
    """Return the fields of /proc/PID/status that do not change by themselves."""
    status = {}
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        name, _, value = line.partition(":")
        if not _VOLATILE_STATUS.match(name):
            status[name] = value.strip()
    for name in ("SigBlk", "SigIgn", "SigCgt"):
        status[name] = f"{int(status[name], 16) & ~_LIBRARY_SIGNALS:016x}"
    return status


def read_tasks(pid: int) -> dict[int, str]:
    """Return the names of threads by id."""
    tasks = {}
    for tid in sorted(map(int, os.listdir(f"/proc/{pid}/task"))):
        try:
            tasks[tid] = Path(f"/proc/{pid}/task/{tid}/comm").read_text().strip()
        except (FileNotFoundError, ProcessLookupError):  # it has just ended
            continue
    return tasks


def read_descriptors(pid: int) -> dict[int, str]:
    """Return the open descriptors with the targets of their links."""
    descriptors = {}
    for number in sorted(map(int, os.listdir(f"/proc/{pid}/fd"))):
        try:
            descriptors[number] = os.readlink(f"/proc/{pid}/fd/{number}")
        except FileNotFoundError:  # in this process: the descriptor of the listing itself
            continue
    return descriptors


def read_proc_state(pid: int) -> ProcState:
    """Return the present state of a process."""
    mappings = read_mappings(pid)
    files = {
        (one.path, one.permissions)
        for one in mappings
        if one.path.startswith("/") and not _LIBRARY.search(one.path)
    }
    anonymous = [one for one in mappings if not one.path and "x" in one.permissions]
    unix = Path(f"/proc/{pid}/net/unix").read_text().splitlines()
    bound = [line.split()[7] for line in unix if f"stackglass/{pid}-" in line]
    return ProcState(
        status=read_status(pid),
        tasks=read_tasks(pid),
        descriptors=read_descriptors(pid),
        files_mapped=sorted(files),
        executable_anonymous=len(anonymous),
        timers=Path(f"/proc/{pid}/timers").read_text(),
        unix_sockets=bound,
        cwd=os.readlink(f"/proc/{pid}/cwd"),
    )


def sum_anonymous_bytes(pid: int) -> int:
    """Return the address space without a file, which varies by itself; for information only."""
    return sum(one.size_bytes for one in read_mappings(pid) if not one.path)


def is_library_mapped(pid: int) -> bool:
    """Whether the engine's library is in the process."""
    return any(_LIBRARY.search(one.path) for one in read_mappings(pid))


def compare(before: dict[str, object], after: dict[str, object]) -> list[str]:
    """List the differences, a line each, down to keys of dictionaries; empty = equal."""
    differences = []
    for name in sorted(before.keys() | after.keys()):
        old, new = before.get(name), after.get(name)
        if old == new:
            continue
        if isinstance(old, dict) and isinstance(new, dict):
            inner = compare(
                {str(k): v for k, v in old.items()}, {str(k): v for k, v in new.items()}
            )
            differences += [f"{name}.{line}" for line in inner]
        elif isinstance(old, list) and isinstance(new, list):
            gone = [item for item in old if item not in new]
            come = [item for item in new if item not in old]
            differences.append(f"{name}: gone {gone}, come {come}")
        else:
            differences.append(f"{name}: {old!r} → {new!r}")
    return differences
