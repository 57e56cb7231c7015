"""A recursion with a `with` block of a lock in each frame. A function in its middle may have
released any lock by hand, so only the blocks inside of it are known to hold theirs."""

import threading
import time

from locks import Locks, core, look, report
from standing import begin, stay, tids

DEPTH, MIDDLE = 300, 150
ASKED = (0, MIDDLE, MIDDLE + 1, DEPTH - 1)
locks = [threading.Lock() for _ in range(DEPTH)]


def nest(say, depth):
    with locks[depth]:
        if depth == DEPTH - 1:
            say()
            stay()
        elif depth == MIDDLE:
            nest_after_release(say, depth + 1)
        else:
            nest(say, depth + 1)


def nest_after_release(say, depth):
    if depth < 0:
        locks[0].release()
    nest(say, depth)


def enter(say, depth):
    say()
    with locks[depth]:
        pass


def find_holders():
    """Return for each depth that is asked for whether the lock's holder is known by its block."""
    waiters = {tids[f"waiter {depth}"]: depth for depth in ASKED}
    patience = time.monotonic() + 20
    while time.monotonic() < patience:
        found = {
            waiters[tid]: holder == tids["nested"] and bool(is_inside)
            for tid, _call, _lock, _since, holder, is_inside in look(10**9)
            if tid in waiters
        }
        if len(found) == len(ASKED):
            return [found[depth] for depth in ASKED]
        time.sleep(0.01)
    return None


begin("nested", nest, 0)
for depth in ASKED:
    begin(f"waiter {depth}", enter, depth)
assert core.lock_source() == ""
with Locks():
    holders = find_holders()
report(holders=holders)
