"""Waits and holders from before the hooks: which are found, and which must not be reported.

Each case names its threads, waiters and holders: (waiter, call, holder or "", whether the holder is
known by a `with` block). All threads are in their last wait before anything is hooked.
"""

import queue
import sys
import threading
import time

from locks import Locks, core, find_types, look, report
from standing import begin, case, cases, make_ring, stay, tids

assert core.lock_source() == ""
generators = []


@case
def plain():
    make_ring("plain", [threading.Lock(), threading.Lock()])
    call = "Lock.__enter__"
    return [["plain 0", call, "plain 1", 1], ["plain 1", call, "plain 0", 1]]


@case
def recursive():
    make_ring("recursive", [threading.RLock(), threading.RLock()])
    call = "RLock.__enter__"
    return [["recursive 0", call, "recursive 1", 0], ["recursive 1", call, "recursive 0", 0]]


@case
def ring():
    make_ring("ring", [threading.Lock(), threading.RLock(), threading.Lock()])
    return [
        ["ring 0", "RLock.__enter__", "ring 1", 0],
        ["ring 1", "Lock.__enter__", "ring 2", 1],
        ["ring 2", "Lock.__enter__", "ring 0", 1],
    ]


@case
def itself():
    """A thread that waits for its own lock: in one function, through another, and by `acquire`."""

    def nest(say, lock):
        with lock:
            say()
            with lock:
                pass

    def call(say, lock):
        def again():
            say()
            with lock:
                pass

        with lock:
            again()

    def acquire(say, lock):
        with lock:
            say()
            lock.acquire(timeout=1000)

    expected = []
    for function, called in (
        (nest, "Lock.__enter__"),
        (call, "Lock.__enter__"),
        (acquire, "Lock.acquire"),
    ):
        name = f"itself {function.__name__}"
        begin(name, function, threading.Lock())
        expected.append([name, called, name, 1])
    return expected


def enter(say, lock):
    say()
    with lock:
        pass


def acquire(say, lock):
    say()
    lock.acquire()


def acquire_bound(say, lock):
    take = lock.acquire
    say()
    take(True, -1)


def hold(say, lock):
    with lock:
        say()
        stay()


def hold_by_hand(say, lock):
    lock.acquire()
    say()
    stay()


@case
def crowd():
    """No cycle: two threads wait for a thread that sleeps in its block."""
    lock = threading.Lock()
    begin("crowd holder", hold, lock)
    begin("crowd 1", enter, lock)
    begin("crowd 2", acquire, lock)
    begin("crowd 3", acquire_bound, lock)
    return [
        ["crowd 1", "Lock.__enter__", "crowd holder", 1],
        ["crowd 2", "Lock.acquire", "crowd holder", 1],
        ["crowd 3", "Lock.acquire", "crowd holder", 1],
    ]


@case
def by_acquire():
    lock = threading.Lock()
    begin("by acquire holder", hold_by_hand, lock)
    begin("by acquire", enter, lock)
    return [["by acquire", "Lock.__enter__", "", 0]]


@case
def left():
    """The holder's stack still contains a reference of a block that was left."""
    lock = threading.Lock()

    def leave(say, lock):
        with lock:
            pass
        say()
        stay()

    def leave_raising(say, lock):
        try:
            with lock:
                raise KeyError
        except KeyError:
            say()
            stay()

    begin("left", leave, lock)
    begin("left raising", leave_raising, lock)
    begin("left holder", hold_by_hand, lock)
    begin("left waiter", enter, lock)
    return [["left waiter", "Lock.__enter__", "", 0]]


@case
def let_go():
    """Released by hand within the block, taken by another thread: otherwise a false cycle."""
    first, second = threading.Lock(), threading.Lock()

    def let_go(say, first, second):
        with first:
            first.release()
            say()
            second.acquire()

    begin("let go second", lambda say: (second.acquire(), say(), stay()))
    begin("let go", let_go, first, second)
    begin("let go holder", hold_by_hand, first)
    begin("let go waiter", enter, first)
    return [["let go", "Lock.acquire", "", 0], ["let go waiter", "Lock.__enter__", "", 0]]


@case
def released_in_the_round_before():
    """Released by hand in a loop, below the current line."""
    first, second = threading.Lock(), threading.Lock()

    def release_late(say, first, second):
        with first:
            is_released = False
            while True:
                if is_released:
                    say()
                    second.acquire()
                first.release()
                is_released = True

    begin("round second", lambda say: (second.acquire(), say(), stay()))
    begin("round", release_late, first, second)
    begin("round holder", hold_by_hand, first)
    begin("round waiter", enter, first)
    return [["round", "Lock.acquire", "", 0], ["round waiter", "Lock.__enter__", "", 0]]


@case
def released_after_the_loop():
    """The thread is in a loop, and has not reached the release after it."""
    lock = threading.Lock()

    def hold_in_a_loop(say, lock):
        with lock:
            for _ in range(2):
                say()
                stay()
        lock.release()

    begin("loop", hold_in_a_loop, lock)
    begin("loop waiter", enter, lock)
    return [["loop waiter", "Lock.__enter__", "loop", 1]]


@case
def let_go_below():
    """Released by a called function that has not returned; another thread takes it in a `with`."""
    lock, other = threading.Lock(), threading.Lock()

    def release(say):
        lock.release()
        say()
        stay()

    def let_go(say):
        with lock:
            release(say)

    def hold_two(say):
        with lock, other:
            say()
            stay()

    begin("below", let_go)
    begin("below holder", hold_two)
    begin("below waiter", enter, lock)
    return [["below waiter", "Lock.__enter__", "below holder", 1]]


@case
def two_inside():
    """Two threads are in blocks of the lock; one of them has released it unseen."""
    lock = threading.Lock()
    release = [lock.release]

    def let_go(say):
        with lock:
            release[0]()
            say()
            stay()

    begin("two", let_go)
    begin("two holder", hold, lock)
    begin("two waiter", enter, lock)
    return [["two waiter", "Lock.__enter__", "", 0]]


@case
def conditions():
    """A thread that waits for a condition has released its lock, and no other."""
    lock, outer = threading.Lock(), threading.Lock()
    condition, sign = threading.Condition(lock), threading.Condition(threading.Lock())
    numbers = queue.Queue()

    def wait(say):
        with condition:
            say()
            condition.wait()

    def wait_within(say):
        with outer, sign:
            say()
            sign.wait()

    def hold_queue(say):
        with numbers.not_empty:
            say()
            stay()

    begin("condition", wait)
    begin("condition holder", lambda say: (lock.acquire(), say(), stay()))
    begin("condition waiter", enter, condition)
    begin("monitor", wait_within)
    begin("monitor waiter", enter, outer)
    begin("queue holder", hold_queue)
    begin("queue waiter", lambda say: (say(), numbers.put(1)))
    return [
        ["condition waiter", "Lock.__enter__", "", 0],
        ["monitor waiter", "Lock.__enter__", "monitor", 1],
        ["queue waiter", "Lock.__enter__", "queue holder", 1],
    ]


@case
def suspended():
    """A suspended generator in the block is on no stack."""
    lock = threading.Lock()

    def generate():
        with lock:
            yield

    generators.append(generate())
    next(generators[-1])
    begin("suspended waiter", enter, lock)
    return [["suspended waiter", "Lock.__enter__", "", 0]]


@case
def others():
    """Waits for other things than locks, and threads that do not wait."""
    numbers = queue.SimpleQueue()
    begin("numbers", lambda say: (say(), numbers.get()))
    begin("sleep", lambda say: (say(), time.sleep(1000)))
    return [["numbers", "SimpleQueue.get", "", 0]]


@case
def joins():
    """A joining thread waits for the joined one, which may wait for the joiner's lock."""
    lock = threading.Lock()
    done = begin("joined", lambda say: (say(), stay()))
    begin("joiner", lambda say: (say(), done.join()))

    def join(say):
        with lock:
            waiter = begin("join waiter", enter, lock)
            say()
            waiter.join()

    begin("join holder", join)
    call = "Thread.join" if sys.version_info >= (3, 13) else "Lock.acquire"
    return [
        ["joiner", call, "joined", 0],
        ["join waiter", "Lock.__enter__", "join holder", 1],
        ["join holder", call, "join waiter", 0],
    ]


moving = threading.Lock()
moving.acquire()
mover = begin("mover", enter, moving)
names = {tid: name for name, tid in tids.items()}
expected = sorted(wait for waits in cases.values() for wait in waits)
n_expected = len(expected) + 1


def read(looked):
    """Return rows in the form of the cases, for threads of a case that do not sleep."""
    types = find_types()
    return sorted(
        [names[tid], call, names.get(holder, ""), inside]
        for tid, call, lock, since, holder, inside in looked
        if tid in names and types.get(lock) in ("Lock", "RLock", "SimpleQueue", "Thread")
    )


def look_at_all(budget_ns):
    """Take snapshots until every thread has reached its last wait."""
    patience = time.monotonic() + 20
    while True:
        looked = look(budget_ns)
        rows = read(looked)
        if len(rows) == n_expected or time.monotonic() > patience:
            return looked, rows
        time.sleep(0.01)


facts = {}
with Locks():
    looked, rows = look_at_all(10**9)
    facts["sinces"] = sorted({row[3] for row in looked})
    facts["mover"] = [row for row in rows if row[0] == "mover"]
    facts["rows"] = [row for row in rows if row[0] != "mover"]
    facts["sliced"] = [row for row in look_at_all(0)[1] if row[0] != "mover"]
    facts["waits"] = core.lock_waits()
    moving.release()
    mover.join()
    facts["moved"] = [row for row in read(look(10**9)) if row[0] == "mover"]
    held = threading.Lock()
    begin("late holder", hold, held)  # with the hooks: a known holder
    begin("late waiter", enter, held)
    names.update({tid: name for name, tid in tids.items()})
    while not core.lock_waits():
        time.sleep(0.001)
    facts["late"] = [row for row in read(look(10**9)) if row[0] == "late waiter"]
# A second session: waits of the first are from before it.
with Locks():
    rows = read(look(10**9))
    facts["again"] = [row for row in rows if row[0] not in ("late waiter", "mover")]
    facts["late_again"] = [row for row in rows if row[0] == "late waiter"]
report(expected=expected, **facts)
