"""Waiters and holders at one moment: what is known of holders, and what must not be reported."""

import gc
import os
import signal
import sys
import threading
import time

from locks import Locks, await_waiters, core, report, start

assert "_queue" not in sys.modules
before = threading.Lock()  # taken before the first session
before.acquire()
recursive_before = threading.RLock()
recursive_before.acquire()
me = threading.get_native_id()


def waits_for(lock):
    """Return (primitive, holder) of a waiter for the lock, and its thread."""
    known = {wait[0] for wait in core.lock_waits()}
    thread = start(lock.acquire)
    while True:
        for tid, primitive, number, since, holder in core.lock_waits():
            if tid not in known:
                age_ns = time.monotonic_ns() - since
                return [primitive, holder, number > 0, 0 <= age_ns < 60_000_000_000], thread
        time.sleep(0.001)


def lock_each_other():
    """Lock two locks by two threads in opposite order; a time-out ends it."""
    first, second = threading.Lock(), threading.Lock()
    both = threading.Barrier(2)
    tids = {}

    def take(name, one, other):
        tids[name] = threading.get_native_id()
        with one:
            both.wait()
            if other.acquire(timeout=30):
                other.release()

    threads = [start(take, "a", first, second), start(take, "b", second, first)]
    waits = await_waiters(2, "Lock.acquire")
    while any(wait[4] == 0 for wait in waits):  # one of them is at the barrier still
        waits = await_waiters(2, "Lock.acquire")
    found = {wait[0]: wait[4] for wait in waits}
    is_cycle = found == {tids["a"]: tids["b"], tids["b"]: tids["a"]}
    first.release()
    for thread in threads:
        thread.join(1)
    return is_cycle


def lock_oneself_out():
    lock = threading.Lock()

    def take():
        lock.acquire()
        lock.acquire()

    thread = start(take)
    tid, _, _, _, holder = await_waiters(1, "Lock.acquire")[0]
    lock.release()
    thread.join()
    return tid == holder


def join():
    """Join a thread, which is a wait for it."""
    done = threading.Event()
    thread = start(done.wait)
    await_waiters(1)
    joiner = start(thread.join)
    waits = {wait[0]: wait[4] for wait in await_waiters(2)}
    done.set()
    joiner.join()
    return waits[joiner.native_id] == thread.native_id


def wait_for_a_sign():
    """Wait for a condition, which has no holder, and whose waiter does not wait for itself."""
    event = threading.Event()
    thread = start(event.wait)
    _, primitive, number, _, holder = await_waiters(1)[0]
    event.set()
    thread.join()
    return [primitive, number, holder]


def find_number(lock):
    thread = start(lock.acquire)
    number = await_waiters(1)[0][2]
    lock.release()
    thread.join()
    return number


def use_an_address_again():
    """Free and make locks. Returns (times that an address was reused, times that the new lock had
    an old number or holder)."""
    seen, n_again, n_wrong = {}, 0, 0
    for _ in range(300):
        lock = threading.Lock()
        n_wrong += core.lock_holder(lock) != 0
        lock.acquire()
        number = find_number(lock)
        if id(lock) in seen:
            n_again += 1
            n_wrong += number in seen[id(lock)]
        seen.setdefault(id(lock), set()).add(number)
        del lock  # held, as Condition's are
        gc.collect(0)
    return [n_again > 0, n_wrong]


def hold_those_alike():
    """Locks at the same place of different pools, held together: (are there any, how many of them
    have a holder that is not known)."""
    alike = {}
    for lock in [threading.Lock() for _ in range(20_000)]:
        alike.setdefault(id(lock) & 0xFFFF, []).append(lock)
    n_unknown = 0
    for locks in alike.values():
        for lock in locks:
            lock.acquire()
        n_unknown += sum(core.lock_holder(lock) != me for lock in locks)
        for lock in locks:
            lock.release()
    return [len(alike) < 20_000, n_unknown]


def fork_in_mid_wait():
    """Fork in a handler during acquire; the child must return from it."""
    lock = threading.Lock()
    lock.acquire()
    children = []

    class Out(Exception):
        pass

    def handle(*_):
        children.append(os.fork())
        if children[0] == 0:
            core.lock_after_fork()
            core.contention_after_fork()
            core.cpu_after_fork()
        raise Out

    signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        lock.acquire()
    except Out:
        if children[0] == 0:
            with Locks() as locks:
                is_well = not lock.acquire(timeout=0.001) and not core.lock_waits()
                os._exit(0 if is_well and len(locks.read("block")) == 1 else 1)
    return os.waitstatus_to_exitcode(os.waitpid(children[0], 0)[1]), core.lock_waits()


facts = {}
with Locks():
    waited, thread = waits_for(before)
    facts["before"] = waited
    before.release()
    thread.join()
    facts["is_known_since"] = core.lock_holder(before) == thread.native_id
    before.release()
    facts["free"] = core.lock_holder(before)
    before.acquire()
    facts["now"], thread = waits_for(before)
    facts["is_main"] = facts["now"][1] == me
    before.release()
    thread.join()
    waited, thread = waits_for(recursive_before)
    facts["recursive"] = [waited[0], waited[1] == me]
    recursive_before.release()
    thread.join()
    facts["is_cycle"] = lock_each_other()
    facts["is_locked_out"] = lock_oneself_out()
    facts["is_joined"] = join()
    facts["sign"] = wait_for_a_sign()
    facts["again"] = use_an_address_again()
    facts["alike"] = hold_those_alike()
    import queue  # late

    core.lock_learn()
    numbers = queue.SimpleQueue()
    thread = start(numbers.get)
    facts["late"] = await_waiters(1)[0][1]
    numbers.put(1)
    thread.join()
    facts["forked"] = fork_in_mid_wait()
    facts["rest"] = core.lock_waits()
report(**facts)
