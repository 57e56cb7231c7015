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


def check_waits(told: dict[str, Any]) -> None:
    assert told["uncontended"] == 0
    assert {site: [row[0] for row in rows] for site, rows in told["sites"].items()} == {
        site: [leaf] for site, leaf in LEAVES.items()
    }
    for site, ((_, count, ns, _),) in told["sites"].items():
        assert count == 1, site
        # From going in to coming out, as the caller has seen it; the pause is part of it.
        assert 30 * MS <= ns <= told["measured"][site], site
        assert ns >= 0.5 * told["measured"][site], site
    for site in ("wait_in_vain", "wait_in_vain_by_name"):
        assert told["sites"][site][0][2] >= 90 * MS


def check_releases(told: dict[str, Any]) -> None:
    for name, n_waiters, n_releases in (
        *(("five", 5, 1), ("other", 2, 1)),
        *(("late", 1, 5), ("soon", 1, 5)),
    ):
        bounds, (count, ns, n_pairs, pairs_ns, waiters) = told[name]
        assert count == n_releases, name
        assert is_within(ns, bounds), (name, ns, bounds)
        assert (n_pairs, pairs_ns, waiters) == (n_waiters * n_releases, ns, [IN_LINE]), name
    assert told["late"][1][1] > 5 * 50 * MS
    bounds, ((count, ns),) = told["hundred"]
    assert count == 1
    assert is_within(ns, bounds)
    assert told["off"] == [True, told["five"][1][:2]]


@pytest.mark.checklist(59, 65, 66, 67, 70, 71, 72, 73, 75)
@each_python
def test_real_locks(python: Python) -> None:
    """Checklist 59, 65 to 67, 70 to 73 and 75.

    59: each primitive by its own frame, then its caller. 65: nothing where nobody waits. 66: one
    event for a Queue.get. 67: a wait in vain takes what it took. 70, 71: a release answers for all
    who wait, five or a hundred. 72: whoever unlocks is blamed. 75: of two holders of one lock each
    for what it has cost; the bounds are what the program has seen of itself.
    """
    told = run_probe(python, "contention/locks.py")
    assert told["problem"] is None
    check_waits(told)
    check_releases(told)
    assert (told["n_bad_walks"], told["n_lost"], told["after"]) == (0, 0, 0)


@pytest.mark.checklist(59, 65)
def test_the_slower_way_sees_the_same() -> None:
    """Checklist 59 and 65, where the locks' state words are not known."""
    told = run_probe(PYTHONS[-1], "contention/locks.py", "blind")
    assert told["source"] == "try first"
    check_waits(told)
    check_releases(told)


@each_python
def test_sessions_come_and_go_among_waiting_threads(python: Python) -> None:
    """Thirty of them, with locks that live for a moment, names being looked for, and children."""
    told = run_probe(python, "contention/churn.py")
    assert told["is_right"]
    assert told["n_wrong"] == 0
    assert told["children"] == [0, 0, 0]
    assert told["bad_walks"] == 0
    assert min(told["n_counted"], told["n_accounts"], told["n_events"], told["n_read"]) > 0
