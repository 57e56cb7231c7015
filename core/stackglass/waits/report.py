"""One moment of a process as values: its threads, what each waits for, and circles among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from stackglass.waits.session import Look
from stackglass.wire.definitions import Definitions, Line
from stackglass.wire.lock_names import PRIMITIVES, LockFacts, LockTable, is_join, name_locks
from stackglass.wire.lock_waits import (
    describe_circle,
    explain_holders,
    order_threads,
    sort_circles,
)
from stackglass.wire.messages import Ready

NOWHERE = Line("", "", 0)


class ThreadReport(NamedTuple):
    """A thread at that moment."""

    tid: int
    name: str
    stack: tuple[Line, ...]  # from where it stands to its root
    depth: int = 0  # so many steps from who holds everybody up
    n_held_up: int = 0  # others that wait for it, not counting those who wait for them
    is_waiting: bool = False
    is_in_circle: bool = False
    call: str = ""  # what it called to wait: ``Lock.acquire``
    lock: LockFacts = LockFacts()
    lock_name: str = ""  # "" = it waits for none, or for one that is not told apart
    waited_ns: int = -1  # -1 = it does not wait for a lock, or nobody knows how long
    is_at_least: bool = False  # it may have waited longer
    asleep_ns: int = -1  # it has not run for so long, or longer; -1 = not known
    is_running: bool = False  # it had, or wanted, a processor
    holder: int = 0  # thread; 0 = not known, or nothing is waited for
    is_holder_inside: bool = False  # known of the holder is that it stands in a `with` of the lock
    is_holder_taken: bool = False  # known of the holder is that it took the lock last

    @property
    def is_blocked(self) -> bool:
        """It waits for a lock that is held, whoever that be, or for the end of a thread; not only
        to be woken: by an item in a queue, an event, a condition."""
        return self.is_waiting and (self.holder != 0 or self.lock.has_holder)

    @property
    def is_holder_sure(self) -> bool:
        """Not if it is known by its ``with`` block only, nor if it waits for a lock that it took
        itself by ``acquire``: such a lock may be a signal that another thread gives."""
        is_own = self.is_holder_taken and self.holder == self.tid and not self.is_in_circle
        return self.holder != 0 and not self.is_holder_inside and not is_own

    @property
    def is_joining(self) -> bool:
        """It waits for the end of a thread."""
        return self.is_waiting and is_join(self.stack)

    @property
    def place(self) -> Line:
        """Where it stands: the first line that is no primitive's, if there is one."""
        own = (line for line in self.stack if not line.function.startswith(PRIMITIVES))
        return next(own, self.stack[0] if self.stack else NOWHERE)

    @property
    def primitive(self) -> str:
        """The outermost function that it waits in: ``queue.Queue.get``; "" = there is none."""
        found = ""
        for line in self.stack:
            if not line.function.startswith(PRIMITIVES):
                return found
            found = line.function
        return self.stack[0].function if self.stack else ""  # all of it is: a worker's loop


class ProcessFacts(NamedTuple):
    """What is known of a process without looking into it, and what it said of itself."""

    pid: int
    command: str
    ready: Ready
    asleep_ns: Mapping[int, int] = {}  # for how long threads have not run, where that is known
    running: Collection[int] = ()  # threads that are
    has_earlier: bool = True  # waits that began before the attach can be told


class WaitsReport(NamedTuple):
    """A process at one moment."""

    pid: int
    python: str
    command: str
    time_unix_ns: int
    threads: tuple[ThreadReport, ...]  # circles first, then who holds up others; then the others
    circles: tuple[tuple[int, ...], ...]  # threads, each waiting for the next
    told: tuple[tuple[str, ...], ...]  # the same in words, a line a thread
    possible: tuple[tuple[int, ...], ...] = ()  # circles that do not move, and are not proven
    possible_told: tuple[tuple[str, ...], ...] = ()
    has_earlier: bool = True  # waits of before the attach would be among them


def build_report(
    look: Look,
    before: Look,
    definitions: Definitions,
    locks: LockTable,
    process: ProcessFacts,
) -> WaitsReport:
    """What a look has shown. A circle is reported if the engine has seen that it does not move, and
    if it was there ``before``, too."""
    waits, ready = look.waits, process.ready
    holder_of, confirmed = _find_holders(look), _find_holders(before)
    found = sort_circles(holder_of, dict(zip(waits.tid, waits.stuck)))
    circles, possible = (
        [each for each in which if all(confirmed.get(tid) == holder_of[tid] for tid in each)]
        for which in (found.deadlocks, found.possible)
    )
    threads = _Threads(look, holder_of, circles, definitions, locks, process)
    order = order_threads(waits.tid, holder_of, found.all)
    others = sorted(threads.tids - {tid for tid, _ in order})
    return WaitsReport(
        process.pid,
        ready.python_version,
        process.command,
        ready.time_unix_ns + waits.time_mono_ns - ready.time_mono_ns,
        tuple(threads.make(tid, depth) for tid, depth in (*order, *((tid, 0) for tid in others))),
        tuple(map(tuple, circles)),
        tuple(map(threads.describe_circle, circles)),
        tuple(map(tuple, possible)),
        tuple(map(threads.describe_circle, possible)),
        process.has_earlier,
    )


def _find_holders(look: Look) -> dict[int, int]:
    """Whom each thread waits for, where that is known."""
    return {tid: of for tid, of in zip(look.waits.tid, look.waits.holder_tid) if of}


class _Threads:
    """Makes a report of each thread of a look."""

    __slots__ = (
        "_definitions",
        "_facts",
        "_holder_of",
        "_in_circle",
        "_lock_names",
        "_n_held_up",
        "_nodes",
        "_place",
        "_process",
        "_waits",
    )

    def __init__(
        self,
        look: Look,
        holder_of: Mapping[int, int],
        circles: Sequence[Sequence[int]],
        definitions: Definitions,
        locks: LockTable,
        process: ProcessFacts,
    ) -> None:
        waits = look.waits
        self._waits = waits
        self._definitions = definitions
        self._process = process
        self._holder_of = holder_of
        self._in_circle = {tid for circle in circles for tid in circle}
        self._n_held_up = Counter(of for tid, of in holder_of.items() if of != tid)
        self._facts = {lock: locks.get(lock) for lock in waits.lock}
        self._lock_names = name_locks(self._facts)
        self._place = {tid: at for at, tid in enumerate(waits.tid)}
        self._nodes = {
            **dict(zip(waits.holder_tid, waits.holder_node)),
            **dict(zip(look.threads.tid, look.threads.node)),
            **dict(zip(waits.tid, waits.node)),
        }
        self._nodes.pop(0, None)

    @property
    def tids(self) -> set[int]:
        """All of them."""
        return set(self._nodes)

    def make(self, tid: int, depth: int) -> ThreadReport:
        process = self._process
        thread = ThreadReport(
            tid,
            self._name(tid),
            self._definitions.list_lines(self._nodes.get(tid, 0)),
            depth,
            self._n_held_up[tid],
            asleep_ns=process.asleep_ns.get(tid, -1),
            is_running=tid in process.running,
        )
        return self._add_wait(thread, self._place[tid]) if tid in self._place else thread

    def describe_circle(self, circle: Sequence[int]) -> tuple[str, ...]:
        """In words, a line a thread."""
        waits = self._waits
        lock_of = {tid: self._lock_names[lock] for tid, lock in zip(waits.tid, waits.lock)}
        how_known = explain_holders(waits.tid, waits.holder_inside, waits.holder_taken, waits.stuck)
        return tuple(describe_circle(circle, lock_of, how_known, self._name))

    def _add_wait(self, thread: ThreadReport, at: int) -> ThreadReport:
        waits = self._waits
        since_ns, primitive = waits.since_mono_ns[at], waits.primitive[at]
        return thread._replace(
            is_waiting=True,
            is_in_circle=thread.tid in self._in_circle,
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
