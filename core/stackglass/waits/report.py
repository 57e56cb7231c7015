"""Waits report: the threads of a process at one moment, the lock each waits for, and cycles."""

from __future__ import annotations

from stackglass.named_tuple import NamedTuple
from stackglass.waits.session import WaitsSnapshot
from stackglass.wire.definitions import Definitions, Line
from stackglass.wire.lock_names import PRIMITIVES, LockFacts, LockTable, is_join, name_locks
from stackglass.wire.lock_waits import (
    describe_cycle,
    explain_holders,
    find_holders,
    keep_confirmed,
    order_threads,
    sort_cycles,
)
from stackglass.wire.messages import Ready

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

NOWHERE = Line("", "", 0)


class ThreadReport(NamedTuple):
    """A thread at the moment of the report."""

    tid: int
    name: str
    stack: tuple[Line, ...]  # innermost first
    depth: int = 0  # steps to the thread at the top of its waits-for chain
    n_blocked: int = 0  # threads that wait for this one directly
    is_waiting: bool = False
    is_in_cycle: bool = False
    call: str = ""  # what it called to wait: ``Lock.acquire``
    lock: LockFacts = LockFacts()
    lock_name: str = ""  # "" = it waits for no lock, or for one that is not identified
    waited_ns: int = -1  # -1 = it does not wait for a lock, or not known
    is_at_least: bool = False  # it may have waited longer
    asleep_ns: int = -1  # it has not run for at least this long; -1 = not known
    is_running: bool = False  # it had a processor, or wanted one
    holder: int = 0  # thread; 0 = not known, or it waits for no lock
    is_holder_inside: bool = False  # inferred: the holder is inside a with block of the lock
    is_holder_taken: bool = False  # inferred: the holder acquired the lock last

    @property
    def is_blocked(self) -> bool:
        """Whether it waits for a lock that is held, or for the end of a thread. A thread that waits
        for an item of a queue, an event or a condition is not blocked."""
        return self.is_waiting and (self.holder != 0 or self.lock.has_holder)

    @property
    def is_holder_sure(self) -> bool:
        """Whether the holder is proven. It is not if it was inferred from a ``with`` block, nor if
        the thread acquired the lock itself: it may wait for another thread to release the lock as
        a signal."""
        is_own = self.is_holder_taken and self.holder == self.tid and not self.is_in_cycle
        return self.holder != 0 and not self.is_holder_inside and not is_own

    @property
    def is_joining(self) -> bool:
        """Whether it waits for the end of a thread."""
        return self.is_waiting and is_join(self.stack)

    @property
    def place(self) -> Line:
        """Its innermost line outside the primitives, if there is one."""
        own = (line for line in self.stack if not line.function.startswith(PRIMITIVES))
        return next(own, self.stack[0] if self.stack else NOWHERE)

    @property
    def primitive(self) -> str:
        """The outermost primitive that it waits in: ``queue.Queue.get``; "" = none."""
        found = ""
        for line in self.stack:
            if not line.function.startswith(PRIMITIVES):
                return found
            found = line.function
        return self.stack[0].function if self.stack else ""  # only primitives: the loop of a worker


class WaitingProcess(NamedTuple):
    """Facts about a process from the system, and its Ready message."""

    pid: int
    command: str
    ready: Ready
    asleep_ns: Mapping[int, int] = {}  # by thread: it has not run for at least this long
    running: Collection[int] = ()  # threads
    has_earlier: bool = True  # waits that began before the attach are visible


class WaitsReport(NamedTuple):
    """A process at one moment."""

    pid: int
    python: str
    command: str
    time_unix_ns: int
    threads: tuple[ThreadReport, ...]  # cycles, then holders and waiters, then others
    cycles: tuple[tuple[int, ...], ...]  # threads, each waiting for the next
    cycle_lines: tuple[tuple[str, ...], ...]  # the same as text, a line per thread
    possible: tuple[tuple[int, ...], ...] = ()  # cycles that do not move but are not proven
    possible_lines: tuple[tuple[str, ...], ...] = ()
    has_earlier: bool = True  # waits that began before the attach are visible


def build_report(
    snapshot: WaitsSnapshot,
    before: WaitsSnapshot,
    definitions: Definitions,
    locks: LockTable,
    process: WaitingProcess,
) -> WaitsReport:
    """The report of a snapshot. A cycle is reported if the engine has confirmed that it does not
    move, and if it is in the snapshot ``before``, too."""
    waits, ready = snapshot.waits, process.ready
    holder_of = find_holders(waits)
    found = sort_cycles(holder_of, dict(zip(waits.tid, waits.stuck)))
    cycles, possible = (
        keep_confirmed(which, waits, before.waits) for which in (found.deadlocks, found.possible)
    )
    threads = _Threads(snapshot, cycles, definitions, locks, process)
    order = order_threads(waits.tid, holder_of, found.all)
    others = sorted(threads.tids - {tid for tid, _ in order})
    return WaitsReport(
        process.pid,
        ready.python_version,
        process.command,
        ready.time_unix_ns + waits.time_mono_ns - ready.time_mono_ns,
        tuple(threads.make(tid, depth) for tid, depth in (*order, *((tid, 0) for tid in others))),
        tuple(map(tuple, cycles)),
        tuple(map(threads.describe_cycle, cycles)),
        tuple(map(tuple, possible)),
        tuple(map(threads.describe_cycle, possible)),
        process.has_earlier,
    )


class _Threads:
    """Makes the report of each thread of a snapshot."""

    __slots__ = (
        "_definitions",
        "_facts",
        "_holder_of",
        "_in_cycle",
        "_lock_names",
        "_n_blocked",
        "_nodes",
        "_place",
        "_process",
        "_waits",
    )

    def __init__(
        self,
        snapshot: WaitsSnapshot,
        cycles: Sequence[Sequence[int]],
        definitions: Definitions,
        locks: LockTable,
        process: WaitingProcess,
    ) -> None:
        waits, holder_of = snapshot.waits, find_holders(snapshot.waits)
        self._waits = waits
        self._definitions = definitions
        self._process = process
        self._holder_of = holder_of
        self._in_cycle = {tid for cycle in cycles for tid in cycle}
        self._n_blocked: dict[int, int] = {}
        for tid, holder in holder_of.items():
            if holder != tid:
                self._n_blocked[holder] = self._n_blocked.get(holder, 0) + 1
        self._facts = {lock: locks.get(lock) for lock in waits.lock}
        self._lock_names = name_locks(self._facts)
        self._place = {tid: at for at, tid in enumerate(waits.tid)}
        self._nodes = {
            **dict(zip(waits.holder_tid, waits.holder_node)),
            **dict(zip(snapshot.threads.tid, snapshot.threads.node)),
            **dict(zip(waits.tid, waits.node)),
        }
        self._nodes.pop(0, None)

    @property
    def tids(self) -> set[int]:
        """All threads of the snapshot."""
        return set(self._nodes)

    def make(self, tid: int, depth: int) -> ThreadReport:
        process = self._process
        thread = ThreadReport(
            tid,
            self._name(tid),
            self._definitions.list_lines(self._nodes.get(tid, 0)),
            depth,
            self._n_blocked.get(tid, 0),
            asleep_ns=process.asleep_ns.get(tid, -1),
            is_running=tid in process.running,
        )
        return self._add_wait(thread, self._place[tid]) if tid in self._place else thread

    def describe_cycle(self, cycle: Sequence[int]) -> tuple[str, ...]:
        """A cycle as text, a line per thread."""
        waits = self._waits
        lock_of = {tid: self._lock_names[lock] for tid, lock in zip(waits.tid, waits.lock)}
        how_known = explain_holders(waits.tid, waits.holder_inside, waits.holder_taken, waits.stuck)
        return tuple(describe_cycle(cycle, lock_of, how_known, self._name))

    def _add_wait(self, thread: ThreadReport, at: int) -> ThreadReport:
        waits = self._waits
        since_ns, primitive = waits.since_mono_ns[at], waits.primitive[at]
        return thread._replace(
            is_waiting=True,
            is_in_cycle=thread.tid in self._in_cycle,
            call=self._definitions.strings[primitive] if primitive else "",
            lock=self._facts[waits.lock[at]],
            lock_name=self._lock_names[waits.lock[at]],
            waited_ns=max(waits.time_mono_ns - since_ns, 0) if since_ns else thread.asleep_ns,
            is_at_least=not since_ns and thread.asleep_ns >= 0,
            holder=self._holder_of.get(thread.tid, 0),
            is_holder_inside=bool(waits.holder_inside[at]),
            is_holder_taken=bool(waits.holder_taken[at]),
        )

    def _name(self, tid: int) -> str:
        return self._definitions.name_thread(tid) or f"thread {tid}"
