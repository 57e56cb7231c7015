"""Waits-for graph of one moment: cycles, and waiters below the holders of their locks.

::

    worker 3                            works
    └─ worker 1      for app.CACHE_LOCK
       └─ worker 2   for app.QUEUE_LOCK

    MainThread       for app.B          waits for worker 4: a cycle
    worker 4         for app.A          waits for MainThread

All functions are pure. ``holder_of`` maps each waiting thread to the holder, if it is known.
"""

from __future__ import annotations

from stackglass.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from stackglass.wire.messages import LockWaits

INSIDE = "inside its with"
"""Text for a holder that was inferred: it is inside a ``with`` block of the lock."""
TAKEN = "took it last"
"""Text for a holder that called ``acquire``: any thread may release a plain lock."""
_MAYBE, _DEADLOCKED = 1, 2
"""Values of ``stuck`` in wire.proto, for a thread in a cycle."""


class Cycles(NamedTuple):
    """Cycles of one moment, each a list of threads."""

    all: list[list[int]]
    deadlocks: list[list[int]]  # proven
    possible: list[list[int]]  # no thread moves, but not all holders are proven


def sort_cycles(holder_of: Mapping[int, int], stuck: Mapping[int, int]) -> Cycles:
    """Return the cycles, classified by ``stuck``. A cycle that the engine has not confirmed is
    neither a deadlock nor a possible one."""
    cycles = find_cycles(holder_of)
    least = [min(stuck.get(tid, 0) for tid in cycle) for cycle in cycles]
    return Cycles(
        cycles,
        [cycle for cycle, each in zip(cycles, least) if each == _DEADLOCKED],
        [cycle for cycle, each in zip(cycles, least) if each == _MAYBE],
    )


def find_holders(waits: LockWaits) -> dict[int, int]:
    """Return the known holders by the thread that waits."""
    return {tid: holder for tid, holder in zip(waits.tid, waits.holder_tid) if holder}


def keep_confirmed(
    cycles: Iterable[list[int]], waits: LockWaits, before: LockWaits
) -> list[list[int]]:
    """Return those ``cycles`` of ``waits`` that were there at the earlier moment ``before``,
    too."""
    holder_of, confirmed = find_holders(waits), find_holders(before)
    return [cycle for cycle in cycles if all(confirmed.get(tid) == holder_of[tid] for tid in cycle)]


def explain_holders(
    tids: Sequence[int], inside: Sequence[int], taken: Sequence[int], stuck: Sequence[int]
) -> dict[int, str]:
    """Return, by waiting thread, how its holder was inferred, if the holder is not certain. The
    parameters are columns of LockWaits."""
    known_by = {}
    for tid, is_inside, is_taken, how_stuck in zip(tids, inside, taken, stuck):
        if is_inside:
            known_by[tid] = INSIDE
        elif is_taken and how_stuck == _MAYBE:
            known_by[tid] = TAKEN
    return known_by


def find_cycles(holder_of: Mapping[int, int]) -> list[list[int]]:
    """Return the cycles: each thread of a list waits for the next, the last for the first."""
    seen: set[int] = set()
    cycles = []
    for start in holder_of:
        path: dict[int, int] = {}  # thread to its place
        tid = start
        while tid in holder_of and tid not in seen:
            seen.add(tid)
            path[tid] = len(path)
            tid = holder_of[tid]
        if tid in path:
            cycles.append(list(path)[path[tid] :])
    return cycles


def order_threads(
    waiting: Sequence[int], holder_of: Mapping[int, int], cycles: Sequence[Sequence[int]]
) -> list[tuple[int, int]]:
    """Return threads and their depths: cycles first, then holders by their number of waiters, then
    waiters without a known holder."""
    waiters = _list_waiters(holder_of)
    in_cycle = {tid for cycle in cycles for tid in cycle}
    order: list[tuple[int, int]] = []

    def add(top: int) -> None:
        stack = [(top, 0)]
        while stack:
            tid, depth = stack.pop()
            order.append((tid, depth))
            below = [each for each in waiters.get(tid, ()) if each not in in_cycle]
            stack.extend((each, depth + 1) for each in reversed(below))

    for cycle in cycles:
        for tid in cycle:
            add(tid)
    tops = [tid for tid in waiters if tid not in holder_of]
    for top in sorted(tops, key=lambda tid: -len(waiters[tid])):
        add(top)
    for tid in waiting:
        if tid not in holder_of and tid not in waiters:
            order.append((tid, 0))
    return order


def describe_cycle(
    cycle: Sequence[int],
    lock_of: Mapping[int, str],
    how_known: Mapping[int, str],
    name_thread: Callable[[int], str],
) -> list[str]:
    """Return a line for each thread: ``A waits for app.Y, which B holds``, ``B waits for app.X,
    which A holds (inside its with)``. ``how_known``: how the holder of a thread's lock was
    inferred."""
    steps = []
    for index, tid in enumerate(cycle):
        holder = name_thread(cycle[(index + 1) % len(cycle)])
        lock = lock_of.get(tid) or "a lock"
        how = f" ({how_known[tid]})" if tid in how_known else ""
        if len(cycle) == 1:
            steps.append(f"{holder} waits for {lock}, which it holds itself{how}")
        else:
            steps.append(f"{name_thread(tid)} waits for {lock}, which {holder} holds{how}")
    return steps


def _list_waiters(holder_of: Mapping[int, int]) -> dict[int, list[int]]:
    waiters: dict[int, list[int]] = {}
    for tid, holder in holder_of.items():
        waiters.setdefault(holder, []).append(tid)
    return waiters
