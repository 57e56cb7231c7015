"""Waiters, holds and releases, step by step, with made-up locks and times."""

import threading

from locks import Locks, core, report

LOCK = 0x5500_0000_0000
ALIKE = LOCK + (1024 << 4)  # in the same chain of waiters
TIMED, CHARGED, NEXT_CHARGED = 2, 8, 16
facts = {}

with Locks(1, 1):
    entry = core.lock_wait_begin(LOCK, 100)
    other = core.lock_wait_begin(ALIKE, 100)
    facts["charges"] = [
        core.lock_wait_charge(LOCK, 0, 600),  # since the wait began
        core.lock_wait_charge(LOCK, 1000, 1500),  # earlier holders are charged by themselves
        core.lock_wait_charge(LOCK, 0, 1700),  # since the release before
        core.lock_wait_charge(LOCK, 1600, 2000),  # a hold cannot have begun before that
    ]
    facts["of_another_lock"] = core.lock_wait_charge(ALIKE, 0, 2000)
    core.lock_wait_end(entry)
    core.lock_wait_end(other)
    facts["after_the_end"] = core.lock_wait_charge(LOCK, 0, 3000)
    entries = [core.lock_wait_begin(LOCK, 0) for _ in range(300)]
    many = core.lock_wait_charge(LOCK, 0, 10)
    facts["many"] = [len(many), sum(many), min(many), sorted(many)[-2]]
    for entry in entries:
        core.lock_wait_end(entry)


def hold_one_of_two():
    """Return the holders of two locks that share a place in the table: [held lock, other lock]."""
    by_place, kept = {}, []
    while True:
        lock = threading.Lock()
        kept.append(lock)
        place = (id(lock) ^ id(lock) >> 16) >> 4 & 0xFFFF
        other = by_place.setdefault(place, lock)
        if other is not lock:
            with other:
                return [
                    core.lock_holder(other) == threading.get_native_id(),
                    core.lock_holder(lock),
                ]


def release_often(fraction, n):
    """Release a lock with waiters. Returns (draw, begin, previous release) of each release."""
    core.lock_hold_first(LOCK)
    rows = []
    for i in range(n):
        draw, began = core.lock_hold_release(LOCK, fraction, 10 * (i + 1))
        rows.append((draw, began, 10 * i))
    return rows


def describe(fraction, n):
    rows = release_often(fraction, n)
    later = rows[1:]
    return [
        sum(bool(draw & CHARGED) for draw, _, _ in rows),
        rows[0][1],  # its waiters know when they began
        sum(bool(draw & CHARGED) != (began == before) for draw, began, before in later),
        sum(not draw & CHARGED and began != -1 for draw, began, _ in later),
        sum(
            bool(draw & NEXT_CHARGED) != bool(after[0] & CHARGED)
            for (draw, _, _), after in zip(rows, later)
        ),
    ]


with Locks(1, 1):
    facts["holders"] = hold_one_of_two()
    core.contention_seed(7)
    facts["every"] = describe(1, 100)
    facts["one_in_four"] = describe(4, 20_000)
    facts["none"] = describe(0, 100)
    weights = [core.lock_hold_weight(1000, 1000 + 50, 4) for _ in range(100_000)]
    facts["short"] = [sorted(set(weights)), sum(weights) / len(weights)]
    facts["long"] = [core.lock_hold_weight(1000, 1000 + 5000, 4) for _ in range(3)]
    facts["unknown"] = core.lock_hold_weight(0, 10, 4)
    facts["short_of_every"] = core.lock_hold_weight(1000, 1001, 1)
report(**facts)
