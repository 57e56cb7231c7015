"""Labels in contention's buckets: those of waiters and holders, and more than there is room for."""

import sys
import threading
from pathlib import Path

from locks import KINDS, Locks, await_waiters, core, report, start

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "core"))

import stackglass
from stackglass.api import labels

BLOCK, ACQUIRE, BUCKETS, MOST_SETS = 0, 1, 1 << 16, 40_000
LABELS = slice(10, 12)


def wait_under(label_set):
    core.contention_note_wait(BLOCK, ACQUIRE, 0, 10, stack, 1, label_set)


def read(kind):
    """Return count, and the two label sets, of each row."""
    rows = [row for row in core.contention_read() if KINDS[row[1]] == kind]
    return [(row[6], *row[LABELS]) for row in rows]


facts = {}
with Locks():
    stack = core.contention_take_stack(ACQUIRE)
    for label_set in (3, 4, 3, 0):
        wait_under(label_set)
    facts["by_labels"] = sorted([own, count] for count, own, _ in read("block"))
    for label_set in range(1, MOST_SETS):
        wait_under(label_set)
    rows = read("block")
    facts["filled"] = [len(rows) < BUCKETS // 2 + 10, sum(count for count, *_ in rows)]
    facts["known"] = [count for count, own, _ in rows if own in (0, 3, 4)]
    facts["others"] = [own for count, own, _ in rows if count > 3]

with Locks():
    lock = threading.Lock()

    def wait():
        with stackglass.labels(role="waiter"), lock:
            pass

    with stackglass.labels(role="holder"):
        holder = labels._current.get()
        core.labels_learn()
        with lock:
            waiter = start(wait)
            await_waiters(1)
    waiter.join()
    numbers = [int(holder), int(holder) + 1]
    facts["numbers"] = numbers
    for kind in ("block", "mutex", "pair"):
        rows = [row for row in read(kind) if row[1]]
        facts[kind] = [list(row[1:]) for row in rows]
    # With more waiters than rows, the last row has all further waiters, and no labels.
    waiting = []
    with stackglass.labels(role="waiter"):
        for n_waiters in (256, 257):
            while len(waiting) < n_waiters:
                waiting.append(core.lock_wait_begin(1 << 20, 0))
            label_sets = core.lock_wait_labels(1 << 20, 0, 10)
            facts[str(n_waiters)] = [len(label_sets), label_sets.count(2), label_sets[-1]]
    for entry in waiting:
        core.lock_wait_end(entry)
report(**facts)
