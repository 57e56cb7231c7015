"""Locks in the rows of a dump whose slices have time for one thread each, of threads that have
waited since before the hooks came: all of them go on waiting, and one of them is woken after its
row was read."""

import os
import threading
import time

from locks import Locks, core, report

N_THREADS = 20
lock = threading.Lock()
first, second = threading.Lock(), threading.Lock()
for each in (lock, first, second):
    each.acquire()
go_on, goer = os.pipe()
passed, begun = [], []


def wait():
    begun.append(threading.get_native_id())
    lock.acquire()


def wait_and_go_on(own):
    """Keeps the lock in a variable; then sleeps in a call that is no wait for a lock."""
    begun.append(threading.get_native_id())
    own.acquire()
    passed.append(own)
    os.read(go_on, 1)


def wake():
    if not passed:
        first.release()
    while not passed:
        time.sleep(0.001)


def find_locks():
    rows = core.dump_threads(1, int)
    return {tid: found for tid, _, _, _, found in rows}


for _ in range(N_THREADS):
    threading.Thread(target=wait, daemon=True).start()
own = [
    threading.Thread(target=wait_and_go_on, args=(each,), daemon=True) for each in (first, second)
]
for thread in own:
    thread.start()
while len(begun) < N_THREADS + len(own):
    time.sleep(0.001)
time.sleep(0.2)  # until all of them sleep
with Locks():
    before = find_locks()
    after = {tid: found for tid, _, _, _, found in core.dump_threads(1, wake)}
waiting = [tid for tid in begun if tid not in {thread.native_id for thread in own}]
report(
    n_waiting=sum(before.get(tid) == id(lock) for tid in waiting),
    before=[before.get(thread.native_id) == id(each) for thread, each in zip(own, (first, second))],
    after=[after.get(thread.native_id) == id(second) for thread in own],
    woken=after.get(own[0].native_id),
)
os.write(goer, b"..")
