"""Real waits and releases, by the numbers of the checklist: locks that were there before the hooks,
call sites that were warm. What rates do to them is tested beside the tables, by notes."""

from __future__ import annotations

from typing import Any

import pytest

from harness.matrix import PYTHONS, each_python
from harness.probes import run_probe
from harness.pythons import Python

MS = 1_000_000
LEAVES = {
    "wait_lock": "_thread.lock.acquire",
    "wait_with": "_thread.lock.__enter__",
    "wait_rlock": "_thread.RLock.acquire",
    "wait_condition": "wait",
    "wait_event": "wait",
    "wait_semaphore": "acquire",
    "wait_barrier": "wait",
    "wait_queue": "get",
    "wait_full": "put",
    "wait_done": "join",
    "wait_simple": "_queue.SimpleQueue.get",
    "wait_thread": "join",
    "wait_future": "result",
    "wait_in_vain": "_thread.lock.acquire",
    "wait_in_vain_by_name": "_thread.lock.acquire",
}
IN_LINE = ["_thread.lock.__enter__", "wait_in_line"]


def is_within(ns: float, bounds: list[int]) -> bool:
    return bounds[0] <= ns <= bounds[1]


def check_waits(reported: dict[str, Any]) -> None:
    assert reported["uncontended"] == 0
    assert {site: [row[0] for row in rows] for site, rows in reported["sites"].items()} == {
        site: [leaf] for site, leaf in LEAVES.items()
    }
    for site, ((_, count, ns, _),) in reported["sites"].items():
        assert count == 1, site
        # At least from when it was seen to wait until it was let go, at most the whole call.
        assert is_within(ns, reported["bounds"][site]), (site, ns, reported["bounds"][site])
    for site in ("wait_in_vain", "wait_in_vain_by_name"):
        assert reported["sites"][site][0][2] >= 90 * MS


def check_releases(reported: dict[str, Any]) -> None:
    for name, n_waiters, n_releases in (
        *(("five", 5, 1), ("other", 2, 1)),
        *(("late", 1, 5), ("soon", 1, 5)),
    ):
        bounds, (count, ns, n_pairs, pairs_ns, waiters) = reported[name]
        assert count == n_releases, name
        assert is_within(ns, bounds), (name, ns, bounds)
        assert (n_pairs, pairs_ns, waiters) == (n_waiters * n_releases, ns, [IN_LINE]), name
    assert reported["late"][1][1] > 5 * 50 * MS
    bounds, ((count, ns),) = reported["hundred"]
    assert count == 1
    assert is_within(ns, bounds)
    assert reported["off"] == [True, reported["five"][1][:2]]


@pytest.mark.checklist(59, 65, 66, 67, 70, 71, 72, 73, 75)
@each_python
def test_real_locks(python: Python) -> None:
    """Checklist 59, 65 to 67, 70 to 73 and 75.

    59: each primitive by its own frame, then its caller. 65: nothing where no thread waits. 66: one
    event for a Queue.get. 67: a wait in vain takes what it took. 70, 71: a release answers for all
    who wait, five or a hundred. 72: whoever unlocks is blamed. 75: of two holders of one lock each
    for what it has cost; the bounds are what the program has seen of itself.
    """
    reported = run_probe(python, "contention/locks.py")
    assert reported["problem"] is None
    check_waits(reported)
    check_releases(reported)
    assert (reported["n_bad_walks"], reported["n_lost"], reported["after"]) == (0, 0, 0)


@pytest.mark.checklist(59, 65)
def test_the_slower_way_sees_the_same() -> None:
    """Checklist 59 and 65, where the locks' state words are not known."""
    reported = run_probe(PYTHONS[-1], "contention/locks.py", "blind")
    assert reported["source"] == "try first"
    check_waits(reported)
    check_releases(reported)


@each_python
def test_sessions_come_and_go_among_waiting_threads(python: Python) -> None:
    """Thirty of them, with locks that live for a moment, names being looked for, and children."""
    reported = run_probe(python, "contention/churn.py")
    assert reported["is_right"]
    assert reported["n_wrong"] == 0
    assert reported["children"] == [0, 0, 0]
    assert reported["bad_walks"] == 0
    assert (
        min(reported["n_counted"], reported["n_accounts"], reported["n_events"], reported["n_read"])
        > 0
    )
