"""Who waits for whom at one moment: threads below those that hold what they wait for.

::

    worker 3                            works
    └─ worker 1      for app.CACHE_LOCK
       └─ worker 2   for app.QUEUE_LOCK

    MainThread       for app.B          waits for worker 4: a circle
    worker 4         for app.A          waits for MainThread
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from stackglass.errors import WireError
from stackglass_viewer.model import wire_pb2
from stackglass_viewer.model.contention_buckets import Locks
from stackglass_viewer.model.contention_stacks import CaptureStacks
from stackglass_viewer.model.line_names import LineName

INSIDE = "inside its with"
"""How a holder is known that nobody saw take the lock: it stands in a ``with`` block of it."""


@dataclass(frozen=True, slots=True)
class WaitingThread:
    """A row: a thread that waits, or that others wait for."""

    tid: int
    name: str
    depth: int  # so many steps from who holds everybody up
    is_in_circle: bool
    is_waiting: bool
    waited_ns: int  # -1 = it does not wait, or since before locks were watched
    call: str  # what it called to wait; "" = nothing
    lock: str  # "" = it waits for none, or for one that is not told apart
    holder: str  # thread; "" = not known, or nothing is waited for
    is_holder_inside: bool  # known of the holder is that it stands in a `with` of the lock
    where: LineName  # where it waits, or where the holder stands
    stack: int  # the engine's node; 0 = not known


@dataclass(frozen=True, slots=True)
class WaitsTable:
    """All threads that have to do with waiting, those that are waited for first. Immutable."""

    rows: tuple[WaitingThread, ...]
    circles: tuple[str, ...]  # each in words: nobody in it will ever go on
    n_waiting: int
    stacks: CaptureStacks

    def list_stack(self, row: int) -> list[LineName]:
        """The lines where a thread stands, from the innermost to the root."""
        names = self.stacks.names
        return [names.name_line(line) for line in self.stacks.list_lines(self.rows[row].stack)]


def check_waits(waits: wire_pb2.LockWaits, n_strings: int, n_nodes: int) -> None:
    """Raises WireError where something refers to what is not there."""
    columns = (
        waits.tid,
        waits.lock,
        waits.primitive,
        waits.since_mono_ns,
        waits.holder_tid,
        waits.node,
        waits.holder_node,
        waits.holder_inside or waits.tid,
    )
    if len({len(column) for column in columns}) > 1:
        raise WireError("columns of one table differ in length")
    if max(waits.primitive, default=0) >= max(n_strings, 1):
        raise WireError("a thread waits for a string that is not there")
    if max((*waits.node, *waits.holder_node), default=0) >= max(n_nodes, 1):
        raise WireError("a thread waits in a stack that is not there")


def build_waits(
    waits: wire_pb2.LockWaits,
    locks: Locks,
    stacks: CaptureStacks,
    thread_names: Mapping[int, str],
) -> WaitsTable:
    """The table of waits that ``check_waits`` let pass. Any thread."""
    place = {tid: at for at, tid in enumerate(waits.tid)}
    holder_of = {
        tid: holder for tid, holder in zip(waits.tid, waits.holder_tid, strict=True) if holder
    }
    circles = _find_circles(holder_of)
    in_circle = {tid for circle in circles for tid in circle}
    inside = {tid for tid, each in zip(waits.tid, waits.holder_inside, strict=False) if each}
    standing = dict(zip(waits.holder_tid, waits.holder_node, strict=True))
    strings = stacks.names.strings
    lock_names = _name_locks(waits.lock, locks)

    def name_thread(tid: int) -> str:
        return thread_names.get(tid) or f"thread {tid}"

    def make_row(tid: int, depth: int) -> WaitingThread:
        at = place.get(tid)
        node = standing.get(tid, 0) if at is None else waits.node[at]
        where = stacks.name_place(node)
        if at is None:
            return WaitingThread(
                tid=tid,
                name=name_thread(tid),
                depth=depth,
                is_in_circle=False,
                is_waiting=False,
                waited_ns=-1,
                call="",
                lock="",
                holder="",
                is_holder_inside=False,
                where=where,
                stack=node,
            )
        holder, since_ns = holder_of.get(tid, 0), waits.since_mono_ns[at]
        return WaitingThread(
            tid=tid,
            name=name_thread(tid),
            depth=depth,
            is_in_circle=tid in in_circle,
            is_waiting=True,
            waited_ns=max(waits.time_mono_ns - since_ns, 0) if since_ns else -1,
            call=strings[waits.primitive[at]] if strings else "",
            lock=lock_names[waits.lock[at]],
            holder=name_thread(holder) if holder else "",
            is_holder_inside=tid in inside,
            where=where,
            stack=node,
        )

    rows = tuple(
        make_row(tid, depth) for tid, depth in _order_threads(waits.tid, holder_of, circles)
    )
    lock_of = {tid: lock_names[lock] for tid, lock in zip(waits.tid, waits.lock, strict=True)}
    told = tuple(_describe_circle(circle, lock_of, inside, name_thread) for circle in circles)
    return WaitsTable(rows, told, len(place), stacks)


def _name_locks(waited_for: Iterable[int], locks: Locks) -> dict[int, str]:
    """Each lock's name; with its address where another one is called the same: two accounts'."""
    names = {lock: locks.describe(lock) for lock in waited_for}
    n_called = Counter(names.values())
    return {
        lock: f"{name} {int(locks.address[lock]):#x}"
        if n_called[name] > 1 and 0 < lock < len(locks) and locks.address[lock]
        else name
        for lock, name in names.items()
    }


def _find_circles(holder_of: Mapping[int, int]) -> list[list[int]]:
    """Threads of which each waits for the next, and the last for the first."""
    seen: set[int] = set()
    circles = []
    for start in holder_of:
        path: dict[int, int] = {}  # thread to its place
        tid = start
        while tid in holder_of and tid not in seen:
            seen.add(tid)
            path[tid] = len(path)
            tid = holder_of[tid]
        if tid in path:
            circles.append(list(path)[path[tid] :])
    return circles


def _order_threads(
    waiting: Sequence[int], holder_of: Mapping[int, int], circles: Sequence[Sequence[int]]
) -> list[tuple[int, int]]:
    """Threads and their depths: circles first, then who holds most others up."""
    waiters: dict[int, list[int]] = {}
    for tid, holder in holder_of.items():
        waiters.setdefault(holder, []).append(tid)
    in_circle = {tid for circle in circles for tid in circle}
    order: list[tuple[int, int]] = []

    def add(top: int) -> None:
        stack = [(top, 0)]
        while stack:
            tid, depth = stack.pop()
            order.append((tid, depth))
            below = [each for each in waiters.get(tid, ()) if each not in in_circle]
            stack.extend((each, depth + 1) for each in reversed(below))

    for circle in circles:
        for tid in circle:
            add(tid)
    tops = [tid for tid in waiters if tid not in holder_of]
    sizes = {top: len(waiters[top]) for top in tops}
    for top in sorted(tops, key=lambda tid: -sizes[tid]):
        add(top)
    for tid in waiting:
        if tid not in holder_of and tid not in waiters:
            order.append((tid, 0))
    return order


def _describe_circle(
    circle: Sequence[int],
    lock_of: Mapping[int, str],
    inside: Collection[int],
    name_thread: Callable[[int], str],
) -> str:
    """``A waits for app.Y, which B holds; B waits for app.X, which A holds (inside its with)``."""
    steps = []
    for place, tid in enumerate(circle):
        holder = name_thread(circle[(place + 1) % len(circle)])
        lock = lock_of.get(tid) or "a lock"
        how = f" ({INSIDE})" if tid in inside else ""
        if len(circle) == 1:
            steps.append(f"{holder} waits for {lock}, which it holds itself{how}")
        else:
            steps.append(f"{name_thread(tid)} waits for {lock}, which {holder} holds{how}")
    return "; ".join(steps)
