"""What locks are called."""

from __future__ import annotations

from typing import Any

import pytest

from stackglass.errors import WireError
from stackglass.wire.lock_names import LockFacts, LockTable, name_locks
from stackglass.wire.messages import Contention

STRINGS = ["", "Lock", "app.CACHE", "/srv/app.py:3"]


@pytest.mark.parametrize(
    ("facts", "words"),
    [
        (LockFacts(), ""),
        (LockFacts("Lock", 0x10), "Lock 0x10"),
        (LockFacts("", 0x10), "lock 0x10"),
        (LockFacts("Lock", 0x10, "app.CACHE", "/srv/app.py:3"), "app.CACHE"),
        (LockFacts("Lock", 0x10, "", "/srv/app.py:3", "/srv/b.py:4"), "Lock made at app.py:3"),
        (LockFacts("Lock", 0x10, "", "", "/srv/b.py:4"), "Lock waited for at b.py:4"),
        (LockFacts("Lock", 0, "", "/srv/app.py:3"), "other Locks made at app.py:3"),
    ],
)
def test_in_as_few_words_as_possible(facts: LockFacts, words: str) -> None:
    assert facts.describe() == words


def test_a_queue_has_no_holder() -> None:
    assert LockFacts("RLock", 0x10).has_holder
    for kind in ("SimpleQueue", "Queue", "Event", "Condition", "Semaphore", "Barrier", "Future"):
        assert not LockFacts(kind, 0x10).has_holder
    assert not LockFacts().has_holder


def test_two_of_one_name_are_distinguished() -> None:
    facts = {
        0: LockFacts(),
        1: LockFacts("Lock", 0x10, "app.LOCK"),
        2: LockFacts("Lock", 0x20, "app.LOCK"),
        3: LockFacts("Lock", 0x30, "app.OTHER"),
    }
    assert name_locks(facts) == {
        0: "",
        1: "app.LOCK 0x10",
        2: "app.LOCK 0x20",
        3: "app.OTHER",
    }


def test_names_come_later_than_their_locks() -> None:
    table = LockTable()
    assert table.is_empty
    table.add(Contention(lock_primitive=[0, 1], lock_address=[0, 0x10]), STRINGS)
    assert table.get(0) == LockFacts()
    assert table.get(1) == LockFacts("Lock", 0x10)
    named = Contention(named_lock=[1], named_name=[2], named_site=[3], named_wait=[0])
    table.add(named, STRINGS)
    assert table.get(1) == LockFacts("Lock", 0x10, "app.CACHE", "/srv/app.py:3")
    table.add(named._replace(named_settled=[1]), STRINGS)
    assert table.get(1) == LockFacts("Lock", 0x10, "app.CACHE", "/srv/app.py:3", "", True)


@pytest.mark.parametrize(
    "columns",
    [
        {"lock_primitive": [9], "lock_address": [1]},
        {"named_lock": [5], "named_name": [1], "named_site": [0], "named_wait": [0]},
        {"named_lock": [0], "named_name": [9], "named_site": [0], "named_wait": [0]},
    ],
)
def test_what_refers_to_nothing_is_refused(columns: dict[str, Any]) -> None:
    with pytest.raises(WireError):
        LockTable().add(Contention(**columns), STRINGS)
    with pytest.raises(WireError):
        LockTable().get(1)
