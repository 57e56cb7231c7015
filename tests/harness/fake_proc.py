"""A fake ``/proc`` in a folder."""

from __future__ import annotations

import errno
import os
from pathlib import Path

from stackglass.attach.proc import Proc

STAT = "{pid} ({name}) {state} {parent} 1 1 0 -1 {flags} " + "0 " * 12 + "{start} 1000000 250 0 0\n"
STATUS = """\
Name:\tpython
Pid:\t{pid}
TracerPid:\t{tracer}
Uid:\t{uids}
SigCgt:\t0000000000000002
CapEff:\t{capabilities:016x}
voluntary_ctxt_switches:\t{n_waits}
"""


class FakeProc:
    """Files of made-up processes; ``proc`` reads them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.proc = Proc(str(root))

    def add(
        self,
        pid: int | str,
        *,
        name: str = "python",
        state: str = "S",
        start: int = 5000,
        flags: int = 0,
        uid: int = 1000,
        tracer: int = 0,
        capabilities: int = 0,
        maps: str = "",
        command: tuple[str, ...] = ("python", "app.py"),
        parent: int = 1,
        exe: str = "/usr/bin/python3",
        n_waits: int = 1,
    ) -> None:
        folder = self.root / str(pid)
        (folder / "task" / str(pid)).mkdir(parents=True)
        stat = STAT.format(pid=pid, name=name, state=state, parent=parent, flags=flags, start=start)
        (folder / "stat").write_text(stat)
        (folder / "task" / str(pid) / "stat").write_text(stat)
        uids = "\t".join([str(uid)] * 4)
        (folder / "status").write_text(
            STATUS.format(
                pid=pid, tracer=tracer, uids=uids, capabilities=capabilities, n_waits=n_waits
            )
        )
        (folder / "maps").write_text(maps)
        (folder / "comm").write_text(name + "\n")
        (folder / "cmdline").write_bytes(b"".join(word.encode() + b"\0" for word in command))
        (folder / "exe").symlink_to(exe)
        (folder / "mem").write_bytes(b"")
        (folder / "root").symlink_to("/")

    def set_scope(self, scope: int) -> None:
        folder = self.root / "sys" / "kernel" / "yama"
        folder.mkdir(parents=True)
        (folder / "ptrace_scope").write_text(f"{scope}\n")


class _Hiding(Proc):
    __slots__ = ("_hidden",)

    def __init__(self, root: str, hidden: int) -> None:
        super().__init__(root)
        self._hidden = hidden

    def read_bytes(self, pid: int | str, *parts: str) -> bytes:
        if pid == self._hidden:
            raise PermissionError(
                errno.EPERM, os.strerror(errno.EPERM), self.path(int(pid), *parts)
            )
        return super().read_bytes(pid, *parts)


def hide(proc: Proc, pid: int) -> Proc:
    """``proc`` as another user sees it where it is mounted with hidepid=1: the process has no file
    that can be read."""
    return _Hiding(proc.root, pid)
