"""Who waits for whom at one moment: circles, and threads below those that hold what they wait for.

::

    worker 3                            works
    └─ worker 1      for app.CACHE_LOCK
       └─ worker 2   for app.QUEUE_LOCK

    MainThread       for app.B          waits for worker 4: a circle
    worker 4         for app.A          waits for MainThread

Pure: ``holder_of`` has an entry for each thread that waits for one that is known.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Callable

INSIDE = "inside its with"
"""How a holder is known that nobody saw take the lock: it stands in a ``with`` block of it."""


def find_circles(holder_of: Mapping[int, int]) -> list[list[int]]:
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


def order_threads(
    waiting: Sequence[int], holder_of: Mapping[int, int], circles: Sequence[Sequence[int]]
) -> list[tuple[int, int]]:
    """Threads and their depths: circles first, then who holds most others up, then who waits for
    nobody that is known."""
    waiters = _list_waiters(holder_of)
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
    for top in sorted(tops, key=lambda tid: -len(waiters[tid])):
        add(top)
    for tid in waiting:
        if tid not in holder_of and tid not in waiters:
            order.append((tid, 0))
    return order


def describe_circle(
    circle: Sequence[int],
    lock_of: Mapping[int, str],
    inside: Collection[int],
    name_thread: Callable[[int], str],
) -> list[str]:
    """A line for each: ``A waits for app.Y, which B holds``, ``B waits for app.X, which A holds
    (inside its with)``. ``inside``: threads whose holder is known by that only."""
    steps = []
    for place, tid in enumerate(circle):
        holder = name_thread(circle[(place + 1) % len(circle)])
        lock = lock_of.get(tid) or "a lock"
        how = f" ({INSIDE})" if tid in inside else ""
        if len(circle) == 1:
            steps.append(f"{holder} waits for {lock}, which it holds itself{how}")
        else:
            steps.append(f"{name_thread(tid)} waits for {lock}, which {holder} holds{how}")
    return steps


def _list_waiters(holder_of: Mapping[int, int]) -> dict[int, list[int]]:
    waiters: dict[int, list[int]] = {}
    for tid, holder in holder_of.items():
        waiters.setdefault(holder, []).append(tid)
    return waiters
