"""Sessions that come and go while many threads wait, make and drop locks, and the program forks:
its results must not change."""

import os
import queue
import random
import sys
import threading
import time

from contention import Contention, core, report

N_THREADS, N_SESSIONS, N_FORKS = 60, 30, 3
shared, reentrant = threading.Lock(), threading.RLock()
items, semaphore = queue.Queue(4), threading.Semaphore(3)
counts = {"shared": 0, "reentrant": 0, "taken": 0, "given": 0}
stop = threading.Event()
done = []


class Account:
    """An object with locks, used once."""

    def __init__(self):
        self.lock = threading.Lock()
        self.sum = 0

    def add(self, n):
        for _ in range(n):
            with self.lock:
                self.sum += 1


def count_shared():
    n = 0
    while not stop.is_set():
        with shared:
            counts["shared"] += 1
        with reentrant, reentrant:
            counts["reentrant"] += 1
        n += 1
    done.append(n)


def give():
    n = 0
    while not stop.is_set():
        with semaphore:
            items.put(n)
        n += 1
    with reentrant:
        counts["given"] += n


def take():
    n = 0
    while items.get() is not None:
        n += 1
    with reentrant:
        counts["taken"] += n


def use_accounts():
    while not stop.is_set():
        account = Account()
        pair = [threading.Thread(target=account.add, args=(20,)) for _ in range(2)]
        for thread in pair:
            thread.start()
        for thread in pair:
            thread.join(timeout=20)
        wrong.append(account.sum != 40)


wrong = []
takers = [threading.Thread(target=take) for _ in range(10)]
others = [
    threading.Thread(target=work)
    for work in (count_shared, give, use_accounts)
    for _ in range((N_THREADS - len(takers)) // 3)
]
interval = sys.getswitchinterval()
sys.setswitchinterval(1e-4)
for thread in takers + others:
    thread.start()
rng = random.Random(1)
n_events = n_read = n_names = 0
children = []
for i in range(N_SESSIONS):
    with Contention(rng.choice((1, 1000)), rng.choice((1, 10))) as session:
        assert core.lock_install() is None
        for _ in range(rng.randrange(1, 6)):
            time.sleep(0.005)
            n_read += len(core.contention_read(True)) + len(core.contention_events())
            core.lock_names_go_on(500_000, 10**9)
            core.lock_waits()
        if i % (N_SESSIONS // N_FORKS) == 0:
            child = os.fork()
            if child == 0:
                core.lock_after_fork()
                core.contention_after_fork()
                with threading.Lock():
                    os._exit(len(core.contention_read()))
            children.append(os.waitpid(child, 0)[1])
        status = core.contention_status()
        n_events += status["n_events"]
        core.lock_names_forget()
        core.lock_remove()
stop.set()
sys.setswitchinterval(interval)
for thread in others:
    thread.join()
for _ in takers:
    items.put(None)
for thread in takers:
    thread.join()
report(
    is_right=counts["shared"] == counts["reentrant"] == sum(done)
    and counts["given"] == counts["taken"],
    n_wrong=sum(wrong),
    n_counted=counts["shared"],
    n_accounts=len(wrong),
    n_events=n_events,
    n_read=n_read,
    children=children,
    bad_walks=status["n_bad_walks"],
)
