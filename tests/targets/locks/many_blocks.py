"""A lock with two threads in `with` blocks of it, one of which has released it by hand.

The list of `with` blocks has no room for the other thread's, because threads in between are in more
blocks than it holds. So the listed thread must not be taken for the holder.
"""

import operator
import threading
import time

from locks import Locks, core, look, report
from standing import begin, stay, tids

N_THREADS, DEPTH = 20, 30  # and 8 blocks a frame: 4800
Lock = threading.Lock
hand_back = operator.methodcaller("release")  # no code of a function here names it as an attribute
lock = Lock()
may_enter, has_entered = threading.Event(), threading.Event()


def enter_late(say):
    say()
    may_enter.wait()
    with lock:
        has_entered.set()
        stay()


def nest(say, depth):
    with Lock(), Lock(), Lock(), Lock(), Lock(), Lock(), Lock(), Lock():
        if depth:
            nest(say, depth - 1)
        else:
            say()
            stay()


def leave_by_hand(say):
    with lock:
        hand_back(lock)
        say()
        stay()


def enter(say):
    say()
    with lock:
        pass


def find_holder():
    """Return the waiter's holder: (name of the thread, or ""; whether known by a `with` block)."""
    names = {tid: name for name, tid in tids.items()}
    patience = time.monotonic() + 20
    while time.monotonic() < patience:
        for tid, _call, _lock, _since, holder, is_inside in look(10**9):
            if tid == tids["waiter"]:
                return names.get(holder, ""), is_inside
        time.sleep(0.01)
    return None


# The newest thread is read first, so the block of "inside" finds no room.
begin("inside", enter_late)
for number in range(N_THREADS):
    begin(f"nested {number}", nest, DEPTH - 1)
begin("left", leave_by_hand)
may_enter.set()
has_entered.wait()
begin("waiter", enter)
assert core.lock_source() == ""
with Locks():
    holder = find_holder()
report(holder=holder)
