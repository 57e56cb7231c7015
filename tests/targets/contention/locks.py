"""Waits for every primitive, and releases with waiters: locks from before the hooks, warm call
sites. The recorded values are compared with the program's own measurements."""

import concurrent.futures
import queue
import sys
import threading
import time
from _queue import SimpleQueue

from contention import BLOCK, MUTEX, PAIR, Contention, core, report

N_WARM, PAUSE_S, PATIENCE_S = 500, 0.03, 30
measured = {}  # site → ns, of the whole call
least = {}  # site → ns of certain waiting


def now():
    return time.perf_counter_ns()


def until(condition):
    end = time.monotonic() + PATIENCE_S
    while not condition():
        if time.monotonic() > end:
            raise TimeoutError(condition)
        time.sleep(0.001)


def n_waiting():
    return len(core.lock_waits())


# ---- Sites: each waits once ----


def wait_lock(lock):
    lock.acquire()


def wait_with(lock):
    with lock:
        pass


def wait_rlock(lock):
    lock.acquire()


def wait_condition(condition):
    with condition:
        condition.wait()


def wait_event(event):
    event.wait()


def wait_semaphore(semaphore):
    semaphore.acquire()


def wait_barrier(barrier):
    barrier.wait()


def wait_queue(items):
    items.get()


def wait_full(items):
    items.put(1)


def wait_done(items):
    items.join()


def wait_simple(items):
    items.get()


def wait_thread(thread):
    thread.join()


def wait_future(future):
    future.result()


def wait_in_vain(lock):
    lock.acquire(True, 3 * PAUSE_S)


def wait_in_vain_by_name(lock):
    lock.acquire(timeout=3 * PAUSE_S)


class Future(concurrent.futures.Future):
    pass


def make_done():
    future = Future()
    future.set_result(1)
    return future


def make_queue(n, n_most=0):
    items = queue.Queue(n_most)
    for i in range(n):
        items.put(i)
    return items


def make_simple(n):
    items = SimpleQueue()
    for i in range(n):
        items.put(i)
    return items


def notify(condition):
    with condition:
        condition.notify()


def make_locked():
    lock = threading.Lock()
    lock.acquire()
    return lock


gate = threading.Event()
sleeper = threading.Thread(target=gate.wait)
held = threading.RLock()
locked, with_locked, dead_locked = make_locked(), make_locked(), make_locked()
condition, event, barrier = threading.Condition(), threading.Event(), threading.Barrier(2)
semaphore, empty, full = threading.Semaphore(0), make_queue(0), make_queue(1, 1)
unfinished, simple, future = make_queue(1), SimpleQueue(), Future()

# site, what it waits for, what wakes it, how it is warmed up
free = threading.Lock()
SITES = [
    (wait_lock, locked, lambda: locked.release(), lambda: (wait_lock(free), free.release())),
    (wait_with, with_locked, lambda: with_locked.release(), lambda: wait_with(free)),
    (wait_rlock, held, lambda: held.release(), lambda: (wait_rlock(held), held.release())),
    (wait_condition, condition, lambda: notify(condition), lambda: None),
    (wait_event, event, lambda: event.set(), lambda: wait_event(passed)),
    (wait_semaphore, semaphore, lambda: semaphore.release(), lambda: wait_semaphore(plenty)),
    (wait_barrier, barrier, lambda: barrier.wait(), lambda: wait_barrier(alone)),
    (wait_queue, empty, lambda: empty.put(1), lambda: wait_queue(rich)),
    (wait_full, full, lambda: full.get(), lambda: wait_full(roomy)),
    (wait_done, unfinished, lambda: unfinished.task_done(), lambda: wait_done(done)),
    (wait_simple, simple, lambda: simple.put(1), lambda: wait_simple(rich_simple)),
    (wait_thread, sleeper, lambda: gate.set(), lambda: wait_thread(finished)),
    (wait_future, future, lambda: future.set_result(1), lambda: wait_future(resolved)),
    (wait_in_vain, dead_locked, lambda: None, lambda: (wait_in_vain(free), free.release())),
    (
        *(wait_in_vain_by_name, dead_locked, lambda: None),
        lambda: (wait_in_vain_by_name(free), free.release()),
    ),
]
passed, plenty, alone = threading.Event(), threading.Semaphore(N_WARM), threading.Barrier(1)
passed.set()
rich, roomy, done, rich_simple = (
    make_queue(N_WARM),
    make_queue(0),
    make_queue(0),
    make_simple(N_WARM),
)
finished, resolved = threading.Thread(target=int), make_done()
finished.start()
finished.join()


def measure(site, target):
    begun = now()
    site(target)
    measured[site.__name__] = now() - begun


def run_site(site, target, let_go):
    n_before = n_waiting()
    thread = threading.Thread(target=measure, args=(site, target))
    thread.start()
    until(lambda: n_waiting() > n_before or site.__name__ in measured)
    waits_since = now()
    time.sleep(PAUSE_S)
    least[site.__name__] = now() - waits_since
    let_go()
    until(lambda: site.__name__ in measured)
    thread.join()


# ---- Releases ----


def wait_in_line(lock):
    with lock:
        pass


def let_go(lock):
    lock.release()


def hold(lock, n_waiters, release, pause_s):
    """Return bounds of the release's charge: ns summed over all waiters."""
    begun = now()
    lock.acquire()
    threads = [threading.Thread(target=wait_in_line, args=(lock,)) for _ in range(n_waiters)]
    for thread in threads:
        thread.start()
    until(lambda: n_waiting() >= n_waiters)
    all_waited = now()
    time.sleep(pause_s)
    least = now() - all_waited
    release(lock)
    most = now() - begun
    for thread in threads:
        thread.join()
    return n_waiters * least, n_waiters * most


def let_go_elsewhere(lock):
    thread = threading.Thread(target=unlock_for_another, args=(lock,))
    thread.start()
    thread.join()


def unlock_for_another(lock):
    lock.release()


def let_go_late(lock):
    lock.release()


def let_go_soon(lock):
    lock.release()


def blame(session, site):
    """Return the releases in `site`: [count, ns, and of their pairs: count, ns, waiters]."""
    found = []
    for kind in (MUTEX, PAIR):
        rows = [row for row in session.read(kind) if row.names[1] == site]
        found += [sum(row.count for row in rows), sum(row.total_ns for row in rows)]
        waiters = sorted({row.others[:2] for row in rows if row.others})
    return [*found, waiters]


def total(bounds):
    return [sum(low for low, _ in bounds), sum(high for _, high in bounds)]


for _ in range(N_WARM):
    for _, _, _, warm_up in SITES:
        warm_up()
    wait_in_line(free)
    for release in (let_go, unlock_for_another, let_go_late, let_go_soon):
        free.acquire()
        release(free)
held.acquire()
sleeper.start()

facts = {"sites": {}}
with Contention() as session:
    facts["problem"] = core.lock_install()
    if "blind" in sys.argv:
        core.lock_forget_words()
    facts["source"] = core.lock_source()
    for _ in range(1000):
        wait_in_line(free)
        free.acquire()
        let_go(free)
        wait_lock(free)
        free.release()
    facts["uncontended"] = len(session.read())
    for site, target, release, _ in SITES:
        run_site(site, target, release)
    for row in session.read(BLOCK):
        for site, *_ in SITES:
            if site.__name__ in row.names[:2]:
                facts["sites"].setdefault(site.__name__, []).append(
                    [row.names[0], row.count, row.total_ns, row.lock != 0]
                )
    facts["bounds"] = {site: [least[site], measured[site]] for site in measured}

    facts["five"] = [hold(free, 5, let_go, 0.1), blame(session, "let_go")]
    facts["other"] = [
        hold(free, 2, let_go_elsewhere, PAUSE_S),
        blame(session, "unlock_for_another"),
    ]
    late, soon = [], []
    for _ in range(5):
        late.append(hold(free, 1, let_go_late, 0.05))
        soon.append(hold(free, 1, let_go_soon, 0.001))
    facts["late"] = [total(late), blame(session, "let_go_late")]
    facts["soon"] = [total(soon), blame(session, "let_go_soon")]
    core.contention_set_rates(0, 0, 0)
    facts["off"] = [hold(free, 2, let_go, PAUSE_S)[0] > 0, blame(session, "let_go")[:2]]
    core.contention_set_rates(1, 1, 0)
    session.read(only_changed=True)
    hundred = threading.Lock()
    facts["hundred"] = [hold(hundred, 100, let_go, 0.1)]
    rows = [row for row in session.read(MUTEX, only_changed=True) if row.names[1] == "let_go"]
    facts["hundred"].append([[row.count, row.total_ns] for row in rows if row.lock])
    facts["n_bad_walks"] = core.contention_status()["n_bad_walks"]
    facts["n_lost"] = core.contention_status()["n_lost"]
    core.lock_remove()
    n_events = core.contention_status()["n_events"]
    hold_quietly = threading.Thread(target=wait_in_line, args=(with_locked,))
    with_locked.acquire()
    hold_quietly.start()
    time.sleep(PAUSE_S)
    with_locked.release()
    hold_quietly.join()
    facts["after"] = core.contention_status()["n_events"] - n_events
report(**facts)
