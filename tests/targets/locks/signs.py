"""Waits for objects other than locks: queues, events, conditions, barriers, futures.

A thread from before the hooks and a later thread wait for each. The report must have the kind of
the object, the object and its name. The program is stopped and continued meanwhile.
"""

import concurrent.futures
import os
import queue
import subprocess
import sys
import threading
import time

from locks import Locks, core, find_types, look, report, start

JOBS, FULL, LEFT = queue.Queue(), queue.Queue(1), queue.Queue()
FULL.put(1)
LEFT.put(1)
FIRST = queue.PriorityQueue()
READY = threading.Event()
CHANGED = threading.Condition()
SLOTS, BOUNDED = threading.Semaphore(0), threading.BoundedSemaphore(1)
BOUNDED.acquire()
TOGETHER = threading.Barrier(100)
RESULT = concurrent.futures.Future()
SIMPLE = queue.SimpleQueue()
PLAIN = threading.Lock()
PLAIN.acquire()


def wait_changed():
    with CHANGED:
        CHANGED.wait()


def wait_until():
    with CHANGED:
        CHANGED.wait_for(lambda: False)


WAITS = {
    "JOBS": (JOBS.get, JOBS),
    "FULL": (lambda: FULL.put(2), FULL),
    "LEFT": (LEFT.join, LEFT),
    "FIRST": (lambda: FIRST.get(timeout=1000), FIRST),
    "READY": (READY.wait, READY),
    "READY in time": (lambda: READY.wait(1000), READY),
    "CHANGED": (wait_changed, CHANGED),
    "CHANGED until": (wait_until, CHANGED),
    "SLOTS": (SLOTS.acquire, SLOTS),
    "BOUNDED": (BOUNDED.__enter__, BOUNDED),
    "TOGETHER": (TOGETHER.wait, TOGETHER),
    "RESULT": (RESULT.result, RESULT),
    "SIMPLE": (SIMPLE.get, SIMPLE),
    "PLAIN": (PLAIN.acquire, PLAIN),
    "several": (lambda: concurrent.futures.wait([RESULT, concurrent.futures.Future()]), None),
}
tids = {}  # of each that waits: (when it began, what for, its ident)


def begin(when):
    for name, (wait, _) in WAITS.items():

        def run(name=name, wait=wait):
            tids[threading.get_native_id()] = when, name, threading.get_ident()
            wait()

        start(run)


def read(looked):
    """Return rows [when, name, kind, whether it is this object, holder], and whether all exist."""
    addresses = {lock: address for lock, _, address, _ in core.contention_locks()}
    types = find_types()
    rows = []
    for tid, _, lock, since, holder, _ in looked:
        if tid in tids:
            when, name, _ = tids[tid]
            wanted = WAITS[name][1]
            is_it = addresses.get(lock, 0) == (0 if wanted is None else id(wanted))
            rows.append([when, name, types.get(lock, ""), is_it, holder, since > 0])
    return sorted(rows)


def look_at_all(n, budget_ns):
    """Take a snapshot once all threads are in their last wait."""
    patience = time.monotonic() + 20
    while True:
        rows = read(look(budget_ns))
        if len(rows) == n or time.monotonic() > patience:
            return rows
        time.sleep(0.01)


def send_lost(when):
    """Send waiting threads that were not reported: [name, functions (leaf first), system call]."""
    found = {tid for tid, *_ in look(10**9)}
    frames = sys._current_frames()
    lost = []
    for tid, (began, name, ident) in tids.items():
        if tid not in found and began == when:
            names, frame = [], frames.get(ident)
            while frame:
                names.append(frame.f_code.co_name)
                frame = frame.f_back
            lost.append([name, names, read_file(f"/proc/self/task/{tid}/syscall")])
    return lost


def read_file(path):
    try:
        with open(path) as file:
            return file.read()
    except OSError as error:
        return str(error)


def rest():
    """Wait until all threads sleep, not in a wait for the GIL, from which they wake again."""
    before = None
    while True:
        now = {tid: find_switches(tid) for tid in tids}
        if now == before:
            return
        before = now
        time.sleep(0.05)


STOP = """
kill -STOP $1
while grep -L '^State:.T' /proc/$1/task/*/status | grep -q .; do :; done
kill -CONT $1
"""


def stop_for_a_moment():
    """Stop every thread for a moment, as Ctrl-Z does."""
    subprocess.run(["sh", "-c", STOP, "sh", str(os.getpid())], check=True)


def find_switches(tid):
    lines = read_file(f"/proc/self/task/{tid}/status").splitlines()
    return [line for line in lines if line.startswith(("State", "voluntary", "nonvoluntary"))]


def name_all():
    while core.lock_names_go_on(10**9, 10**9):
        pass
    return sorted({core.lock_name(lock) for lock, *_ in core.contention_locks()})


begin("before")
while len(tids) < len(WAITS):
    time.sleep(0.001)
rest()
stop_for_a_moment()
rest()
facts = {}
with Locks():
    facts["before"] = look_at_all(len(WAITS), 10**9)
    facts["lost"] = send_lost("before")
    begin("after")
    facts["after"] = look_at_all(2 * len(WAITS), 10**9)
    facts["lost"] += send_lost("after")
    facts["sliced"] = look_at_all(2 * len(WAITS), 0)
    facts["names"] = name_all()
    n_locks = len(core.contention_locks())
    look(10**9)
    facts["n_more"] = len(core.contention_locks()) - n_locks
report(**facts)
