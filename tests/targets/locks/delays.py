"""Known waits, with the charged thread and the charged time.

Each case has the recorded time, and the least and the most that it may be by the program's own
clock: a wait has certainly begun once ``lock_waits`` lists it.
"""

import queue
import signal
import sys
import threading
import time

from locks import Locks, await_waiters, core, report, start


class Interrupted(Exception):
    pass


def wait_for_it(lock, log=None):
    with lock:
        if log is not None:
            log.append(time.monotonic_ns())


def let_go(lock):
    lock.release()


def let_go_again(lock):
    lock.release()


def hold_for(seconds):
    time.sleep(seconds)


def hold_while_others_wait(lock, n, seconds=0.05):
    """Return (least, most) time that one of ``n`` waiters has waited for this holder."""
    lock.acquire()
    began = time.monotonic_ns()
    threads = [start(wait_for_it, lock) for _ in range(n)]
    await_waiters(n)
    seen = time.monotonic_ns()
    hold_for(seconds)
    least = time.monotonic_ns() - seen
    let_go(lock)
    most = time.monotonic_ns() - began
    for thread in threads:
        thread.join()
    return least, most


def charge_holder(locks, lock, n=5):
    """Checklist 70 and 71: a holder is charged with the waits of all waiters."""
    least, most = hold_while_others_wait(lock, n)
    waited = locks.read("block", "wait_for_it")
    return dict(
        least=n * least,
        most=n * most,
        mutex=locks.total("mutex", "let_go"),
        pairs=locks.total("pair", "let_go"),
        others=sorted({row.other[:2] for row in locks.read("pair", "let_go")}),
        leaves=sorted({row.names[:2] for row in locks.read("mutex", "let_go")}),
        n_waits=sum(row.count for row in waited),
        wait_leaves=sorted({row.names[:2] for row in waited}),
        waited=sum(row.total_ns for row in waited),
        n_locks=len({row.lock for row in waited}),
        is_numbered=all(row.lock for row in waited),
        rest=core.lock_waits(),
    )


def hold_second(lock, log, seconds):
    lock.acquire()
    log.append(time.monotonic_ns())
    hold_for(seconds)
    log.append(time.monotonic_ns())
    let_go_again(lock)
    log.append(time.monotonic_ns())


def charge_each_holder(locks):
    """Checklist 75: a fast and a slow holder, and a waiter for both. Trap 6: charged once."""
    lock = threading.Lock()
    lock.acquire()
    began = time.monotonic_ns()
    log, end = [], []
    second = start(hold_second, lock, log, 0.1)
    await_waiters(1)
    last = start(wait_for_it, lock, end)
    await_waiters(2)
    seen = time.monotonic_ns()
    hold_for(0.02)
    first_least = 2 * (time.monotonic_ns() - seen)
    let_go(lock)
    released = time.monotonic_ns()
    second.join()
    last.join()
    is_in_order = bool(end) and end[0] >= log[1]
    return dict(
        is_in_order=is_in_order,  # the probe cannot choose the order
        first=[locks.total("mutex", "let_go")[1], first_least, 2 * (released - began)],
        second=[locks.total("mutex", "let_go_again")[1], log[1] - log[0], log[2] - seen],
        n_pairs=[locks.total("pair", "let_go")[0], locks.total("pair", "let_go_again")[0]],
    )


def use_free_locks(locks):
    """Checklist 65."""
    lock, recursive = threading.Lock(), threading.RLock()
    for _ in range(2000):
        with lock, recursive, recursive:
            lock.acquire(False)
            lock.acquire(timeout=0)
        recursive.acquire(blocking=False)
        recursive.release()
    return len(locks.read("block")) + len(locks.read("mutex"))


def wait_while_off(locks):
    """Checklist 62 and 63."""
    lock = threading.Lock()
    lock.acquire()
    locks.set_rates(0, 0)
    thread = start(wait_for_it, lock)
    await_waiters(1)
    locks.set_rates(1, 1)
    let_go(lock)
    thread.join()
    return len(locks.read("block", "wait_for_it")) + len(locks.read("mutex", "let_go"))


def time_out(lock, seconds):
    return lock.acquire(timeout=seconds)


def wait_in_vain(locks):
    """Checklist 67."""
    found = []
    for lock in (threading.Lock(), threading.RLock()):
        start(lock.acquire).join()
        began = time.monotonic_ns()
        result = time_out(lock, 0.03)
        most = time.monotonic_ns() - began
        found.append([result, most])
    count, total_ns = locks.total("block", "time_out")
    return dict(
        results=[result for result, _ in found],
        count=count,
        total_ns=total_ns,
        most=sum(most for _, most in found),
    )


def wait_for_signal(lock):
    lock.acquire()


def interrupt_wait(locks):
    def ring(*_):
        raise Interrupted

    lock = threading.Lock()
    lock.acquire()
    signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, 0.02)
    try:
        wait_for_signal(lock)
    except Interrupted:
        is_raised = True
    rest = core.lock_waits()
    return dict(is_raised=is_raised, count=locks.total("block", "wait_for_signal")[0], rest=rest)


def release_outer(lock):
    lock.release()


def release_inner(lock):
    lock.release()


def release_twice(locks):
    """An RLock that is released but still owned delays threads as long."""
    lock = threading.RLock()
    lock.acquire()
    lock.acquire()
    thread = start(wait_for_it, lock)
    await_waiters(1)
    release_inner(lock)
    release_outer(lock)
    thread.join()
    return [locks.total("mutex", "release_inner")[0], locks.total("mutex", "release_outer")[0]]


def release_for_another(lock):
    lock.release()


def blame_releaser(locks):
    """Checklist 72: the holder and the releasing thread may differ."""
    lock = threading.Lock()
    lock.acquire()
    thread = start(wait_for_it, lock)
    await_waiters(1)
    start(release_for_another, lock).join()
    thread.join()
    return [row.names for row in locks.read("mutex", "release_for_another")]


def consume(get):
    return get()


def produce(put):
    put(1)


def hand_over(locks):
    """Checklist 66: a queue's wait is one event, and a producer delays no thread.

    It would if it had to give up the GIL between its notification and its release of the queue's
    mutex, for which the consumer wakes: so no thread has to."""
    found = {}
    interval_s = sys.getswitchinterval()
    sys.setswitchinterval(60.0)
    for make in (queue.Queue, queue.SimpleQueue):
        numbers = make()
        thread = start(consume, numbers.get)
        await_waiters(1)
        produce(numbers.put)
        thread.join()
        rows = locks.read("block", "consume")
        found[make.__name__] = [
            sum(row.count for row in rows),
            sorted({row.names[:2] for row in rows}),
            sum(row.count for row in locks.read("mutex", "produce")),
        ]
        locks.restart()
    sys.setswitchinterval(interval_s)
    return found


def join_it(thread):
    thread.join()


def join(locks):
    done = threading.Event()
    thread = start(done.wait)
    joiner = start(join_it, thread)
    await_waiters(2)
    done.set()
    joiner.join()
    rows = locks.read("block", "join_it")
    return [sum(row.count for row in rows), sorted({row.names[0] for row in rows})]


class Restartable(Locks):
    def restart(self):
        self.__exit__()
        self.__enter__()


old_lock, old_recursive = threading.Lock(), threading.RLock()
for _ in range(200):  # warm call sites
    hold_for(0)
    wait_for_it(old_lock)
facts = {}
with Restartable() as locks:
    for name, case in {
        "old_lock": lambda: charge_holder(locks, old_lock),
        "old_recursive": lambda: charge_holder(locks, old_recursive),
        "new_lock": lambda: charge_holder(locks, threading.Lock()),
        "many": lambda: charge_holder(locks, threading.Lock(), 100),
        "each_holder": lambda: charge_each_holder(locks),
        "n_free": lambda: use_free_locks(locks),
        "n_off": lambda: wait_while_off(locks),
        "in_vain": lambda: wait_in_vain(locks),
        "interrupted": lambda: interrupt_wait(locks),
        "twice": lambda: release_twice(locks),
        "releaser": lambda: blame_releaser(locks),
        "hand_over": lambda: hand_over(locks),
        "join": lambda: join(locks),
    }.items():
        facts[name] = case()
        locks.restart()
with Restartable(is_try_first=True) as locks:
    for name, case in {
        "tried_lock": lambda: charge_holder(locks, old_lock),
        "tried_recursive": lambda: charge_holder(locks, old_recursive),
        "n_tried_free": lambda: use_free_locks(locks),
        "tried_hand_over": lambda: hand_over(locks),
    }.items():
        facts[name] = case()
        locks.restart()
report(**facts)
