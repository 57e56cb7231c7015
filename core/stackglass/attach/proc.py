"""Facts about processes, read from ``/proc``.

Of another process, the other modules of this folder open only ``mem``, ``exe``, ``map_files`` and
files below ``root`` there.
"""

from __future__ import annotations

import os

from stackglass.attach.errors import NoSuchProcessError
from stackglass.attach.memory_map import Mapping, parse_maps
from stackglass.named_tuple import NamedTuple

ENDED = ("Z", "X")
"""Letters of the states of a process that has ended: zombie, dead."""

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
TICK_NS = 10**9 // os.sysconf("SC_CLK_TCK")
"""Unit of the times that the kernel gives in clock ticks."""


class Stat(NamedTuple):
    """Fields of ``/proc/PID/stat``."""

    state: str  # one letter: R S D Z T t …
    is_kernel_thread: bool
    cpu_ns: int  # CPU time used, as of the last clock tick
    start_time: int  # clock ticks since boot; no two processes share both this and the PID
    rss_bytes: int
    parent: int
    n_threads: int = 1  # a process without a living thread: 1 = a zombie, 0 = it is being reaped
    is_forked: bool = False  # it was forked, and has executed no program since

    @property
    def has_ended(self) -> bool:
        """Whether no thread is left. A main thread that called pthread_exit is a zombie, too, while
        others run."""
        return self.state in ENDED and self.n_threads <= 1

    @property
    def has_lost_main_thread(self) -> bool:
        """Whether the main thread has ended while others run."""
        return self.state in ENDED and self.n_threads > 1


class ProcessStatus(NamedTuple):
    """Fields of ``/proc/PID/status``."""

    uids: tuple[int, int, int]  # real, effective, saved
    tracer: int  # PID of its tracer; 0 = none
    caught_signals: int  # mask of the signals with a handler
    effective_capabilities: int
    seccomp: int = 0  # 0 = no system call filter, 1 = strict, 2 = filters
    blocked_signals: int = 0  # mask, of the main thread or of the thread that was read
    ignored_signals: int = 0
    pending_signals: int = 0  # mask, of the process and of the thread that was read
    n_waits: int = (
        1  # how often the thread gave its processor up to wait for something; 1 = unknown
    )


_PF_KTHREAD, _PF_FORKNOEXEC = 0x00200000, 0x40


class Proc:
    """Reads the files of processes. Unless a method says otherwise, it raises NoSuchProcessError if
    the process has ended, and PermissionError if the system lets only the owner read the file."""

    __slots__ = ("root",)

    def __init__(self, root: str = "/proc") -> None:
        self.root = root

    def path(self, pid: int, *parts: str) -> str:
        """The path of a file of the process."""
        return os.path.join(self.root, str(pid), *parts)

    def list_pids(self) -> list[int]:
        """Every process, ascending."""
        return sorted(int(name) for name in os.listdir(self.root) if name.isdigit())

    def read_stat(self, pid: int) -> Stat:
        text = self.read_bytes(pid, "stat").decode("utf-8", "surrogateescape")
        # The name in parentheses may hold anything, parentheses included.
        fields = text.rpartition(")")[2].split()
        return Stat(
            state=fields[0],
            parent=int(fields[1]),
            n_threads=int(fields[17]),
            is_kernel_thread=bool(int(fields[6]) & _PF_KTHREAD),
            is_forked=bool(int(fields[6]) & _PF_FORKNOEXEC),
            cpu_ns=(int(fields[11]) + int(fields[12])) * TICK_NS,
            start_time=int(fields[19]),
            rss_bytes=int(fields[21]) * PAGE_BYTES,
        )

    def has_ended(self, pid: int) -> bool:
        """Whether the process is gone, or a zombie; False if it is hidden. Raises nothing."""
        try:
            return self.read_stat(pid).has_ended
        except NoSuchProcessError:
            return True
        except PermissionError:
            return False

    def read_status(self, pid: int | str, tid: int | None = None) -> ProcessStatus:
        """The status of a process, or of one of its threads."""
        parts = ("status",) if tid is None else ("task", str(tid), "status")
        text = self.read_bytes(pid, *parts).decode("utf-8", "replace")
        fields = dict(line.partition(":")[::2] for line in text.split("\n"))
        real, effective, saved = map(int, fields["Uid"].split()[:3])
        return ProcessStatus(
            uids=(real, effective, saved),
            tracer=int(fields["TracerPid"]),
            caught_signals=int(fields["SigCgt"], 16),
            effective_capabilities=int(fields["CapEff"], 16),
            seccomp=int(fields.get("Seccomp", "0")),
            blocked_signals=int(fields.get("SigBlk", "0"), 16),
            ignored_signals=int(fields.get("SigIgn", "0"), 16),
            pending_signals=int(fields.get("ShdPnd", "0"), 16) | int(fields.get("SigPnd", "0"), 16),
            n_waits=int(fields.get("voluntary_ctxt_switches", "1")),
        )

    def has_filter(self, pid: int, tid: int) -> bool:
        """Whether a thread has a system call filter; faster than ``read_status``."""
        text = self.read_bytes(pid, "task", str(tid), "status")
        return text.partition(b"\nSeccomp:\t")[2][:1] not in (b"", b"0")

    def read_command(self, pid: int) -> list[str]:
        """The words of the command line; empty for a kernel thread or a zombie."""
        data = self.read_bytes(pid, "cmdline")
        words = data.rstrip(b"\0").split(b"\0") if data else []
        return [word.decode("utf-8", "surrogateescape") for word in words]

    def read_name(self, pid: int) -> str:
        """The short name that the kernel keeps of the process."""
        return self.read_bytes(pid, "comm").decode("utf-8", "replace").strip()

    def read_maps(self, pid: int) -> list[Mapping]:
        text = self.read_bytes(pid, "maps").decode("utf-8", "surrogateescape")
        return parse_maps(text)

    def list_threads(self, pid: int) -> list[int]:
        """Thread ids, the main thread's first."""
        try:
            names = os.listdir(self.path(pid, "task"))
        except (FileNotFoundError, ProcessLookupError) as error:
            raise self._gone(pid) from error
        return sorted(map(int, names), key=lambda tid: (tid != pid, tid))

    def read_thread_state(self, pid: int, tid: int) -> str:
        """The state's letter; "" if the thread has ended."""
        try:
            text = self.read_bytes(pid, "task", str(tid), "stat")
        except NoSuchProcessError:
            return ""
        return text.rpartition(b")")[2].split()[0].decode()

    def has_sockets(self, pid: int) -> bool:
        """Whether the process has a socket open; False if this is not known."""
        try:
            for name in os.listdir(self.path(pid, "fd")):
                if os.readlink(self.path(pid, "fd", name)).startswith("socket:"):
                    return True
        except OSError:
            return False  # not permitted, or a file was closed meanwhile
        return False

    def read_link(self, pid: int | str, *parts: str) -> str:
        try:
            return os.readlink(os.path.join(self.root, str(pid), *parts))
        except (FileNotFoundError, ProcessLookupError) as error:
            raise self._gone(pid) from error

    def read_bytes(self, pid: int | str, *parts: str) -> bytes:
        try:
            with open(os.path.join(self.root, str(pid), *parts), "rb") as file:
                return file.read()
        except (FileNotFoundError, ProcessLookupError) as error:
            raise self._gone(pid) from error

    def read_scope(self) -> int:
        """Yama's ``ptrace_scope``: 0 classic, 1 ancestors only, 2 administrators, 3 disabled."""
        try:
            with open(os.path.join(self.root, "sys/kernel/yama/ptrace_scope")) as file:
                return int(file.read())
        except FileNotFoundError:
            return 0

    @staticmethod
    def _gone(pid: int | str) -> NoSuchProcessError:
        return NoSuchProcessError(
            f"there is no process {pid}", "`stackglass ps` lists the Python processes"
        )


PROC = Proc()
