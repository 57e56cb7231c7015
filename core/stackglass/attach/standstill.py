"""Standstill: why no thread of a process can run (a frozen cgroup, or a stop by a signal)."""

from __future__ import annotations

import os

from stackglass.attach.errors import NoSuchProcessError, StoppedError
from stackglass.attach.proc import PROC, Proc

_ESCAPES = ((r"\040", " "), (r"\011", "\t"), (r"\012", "\n"), (r"\134", "\\"))
_FREEZER = "freezer"  # the controller of cgroup v1


def find_standstill(pid: int, proc: Proc = PROC) -> StoppedError | None:
    """Why the process stands still, and what helps; None if it may run. Raises
    NoSuchProcessError."""
    frozen = find_frozen(pid, proc)
    if frozen is not None:
        return frozen
    if proc.read_stat(pid).state == "T":
        return make_stopped(pid)
    return None


def make_stopped(pid: int) -> StoppedError:
    return StoppedError(f"process {pid} is stopped (Ctrl-Z)", f"continue it with kill -CONT {pid}")


def find_frozen(pid: int, proc: Proc = PROC) -> StoppedError | None:
    """The error for a process in a frozen cgroup; None if its cgroup is not frozen, or not known.

    The process's state does not show it: with cgroup v2 the state is S, a sleep.
    """
    try:
        groups = proc.read_bytes(pid, "cgroup").decode("utf-8", "surrogateescape")
        mounts = proc.read_bytes("self", "mountinfo").decode("utf-8", "surrogateescape")
    except (NoSuchProcessError, OSError):
        return None  # a kernel without cgroups; whether it has ended shows elsewhere
    for line in filter(None, groups.split("\n")):
        _, controllers, group = line.split(":", 2)
        if controllers and _FREEZER not in controllers.split(","):
            continue
        mount = _find_mount(mounts, controllers)
        if mount is None or not _is_frozen(mount + group, controllers):
            continue
        culprit = _find_culprit(mount, group, controllers)
        file, value = ("freezer.state", "THAWED") if controllers else ("cgroup.freeze", "0")
        return StoppedError(
            f"process {pid} is frozen: its cgroup {culprit or '/'} is",
            "thaw it (docker unpause, systemctl thaw, or as root: "
            f"echo {value} > {mount}{culprit}/{file})",
        )
    return None


def _find_mount(mounts: str, controllers: str) -> str | None:
    """Where the root of the cgroups is mounted; ``controllers`` is "" for cgroup v2."""
    for line in mounts.split("\n"):
        before, _, after = line.partition(" - ")
        words, kind = before.split(), after.split()
        if len(words) < 5 or len(kind) < 3 or words[3] != "/":
            continue
        is_version_1 = kind[0] == "cgroup" and _FREEZER in kind[2].split(",")
        if is_version_1 if controllers else kind[0] == "cgroup2":
            mount = words[4]
            for escape, text in _ESCAPES:
                mount = mount.replace(escape, text)
            return mount
    return None


def _is_frozen(group: str, controllers: str) -> bool:
    if controllers:
        return _read(group, "freezer.state") in ("FROZEN", "FREEZING")
    return "frozen 1" in _read(group, "cgroup.events").splitlines()


def _find_culprit(mount: str, group: str, controllers: str) -> str:
    """The cgroup that was frozen: the process's own, or one above it."""
    file = "freezer.self_freezing" if controllers else "cgroup.freeze"
    culprit = group.rstrip("/")
    while culprit and _read(mount + culprit, file) != "1":
        culprit = os.path.dirname(culprit).rstrip("/")
    return culprit or group.rstrip("/")


def _read(group: str, file: str) -> str:
    """The file's text; "" if it cannot be read, or is not there, as in the root cgroup."""
    try:
        with open(os.path.join(group, file), encoding="utf-8") as opened:
            return opened.read().strip()
    except OSError:
        return ""
