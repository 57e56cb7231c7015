"""Deferred records, full tables, locks that come and go, and a forked child."""

import os
import sys
import threading

from contention import BLOCK, GIL, MUTEX, PAIR, PRIMITIVES, Contention, core, report

ACQUIRE, RELEASE = PRIMITIVES["Lock.acquire"], PRIMITIVES["Lock.release"]
SITE_LOCKS, NOTES, LOCKS = 64, 512, 1 << 14


def wait(lock, delay_ns=10, stack=0, times=1):
    core.contention_note_wait(BLOCK, ACQUIRE, lock, delay_ns, stack, times)


def wait_elsewhere(lock):
    wait(lock)


def release(lock, waiters):
    core.contention_note_mutex(RELEASE, lock, waiters)


def total(session, kind=BLOCK):
    rows = session.read(kind)
    return [sum(row.count for row in rows), sum(row.total_ns for row in rows)]


facts = {}
with Contention() as session:
    # A deferred record has the same content as a direct one.
    wait(0x1000)
    core.contention_claim(True)
    wait(0x1000)
    core.contention_claim(False)
    rows = session.read(BLOCK)
    facts["noted"] = [sorted(row.count for row in rows), len({row.names for row in rows})]
    core.contention_claim(True)
    wait(0x1000, 10, 0, NOTES + 100)
    core.contention_claim(False)
    facts["overflow"] = [total(session), core.contention_status()["n_lost"]]
    facts["lost"] = [
        [row.names, row.count, row.total_ns] for row in session.read(BLOCK) if len(row.names) == 1
    ]
    facts["n_changed"] = [len(session.read(only_changed=True)) for _ in range(2)]

with Contention() as session:
    # One site, many locks; another site knows a lock that has a number.
    for lock in range(1, 1001):
        wait(lock * 64)
        core.contention_lock_died(lock * 64)
    rows = session.read(BLOCK)
    facts["site"] = [len(rows), total(session), len(core.contention_locks())]
    facts["together"] = [row.count for row in rows if row.lock == 0]
    facts["all_dead"] = all(is_dead for *_, is_dead in core.contention_locks())
    wait_elsewhere(64)
    facts["reborn"] = core.contention_locks()[-1][:1] + core.contention_locks()[-1][2:]
    facts["same"] = core.contention_lock(64, ACQUIRE) == len(core.contention_locks())
    for lock in range(LOCKS):
        last = core.contention_lock((1 << 30) + lock * 64, ACQUIRE)
    facts["too_many"] = [last, len(core.contention_locks())]
    wait_elsewhere(1 << 40)
    facts["for_others"] = len(core.contention_locks())

with Contention() as session:
    # A lock dies while the claim is taken: the next lock at its address gets its own number.
    dead = core.contention_lock(64, ACQUIRE)
    core.contention_claim(True)
    core.contention_lock_died(64)
    core.contention_claim(False)
    facts["after_deferred_death"] = [dead, core.contention_lock(64, ACQUIRE)]

with Contention() as session:
    # Both ends, and the sum of all waits.
    stack = core.contention_take_stack(ACQUIRE)
    release(0x1000, [(stack, 100), (stack, 250), (0, 400)])
    (mutex,) = session.read(MUTEX)
    facts["mutex"] = [mutex.count, mutex.total_ns, mutex.names[:2]]
    facts["pairs"] = sorted(
        [row.count, row.total_ns, row.names == mutex.names, row.others[:2], row.lock == mutex.lock]
        for row in session.read(PAIR)
    )
    events = core.contention_events()
    facts["events"] = [
        len(events),
        sum(count for *_, count, _ in events),
        {tid for _, tid, *_ in events} == {threading.get_native_id()},
    ]
    facts["no_more_events"] = core.contention_events()

with Contention() as session:
    # The GIL's: by code ids, from anywhere.
    wait(0)
    codes = [code for code, _ in core.contention_read()[0][4]][1:]
    session.read(only_changed=True)
    core.contention_note_gil(41, codes, 2, 500)
    core.contention_note_gil(41, codes, 0, 300)
    core.contention_note_gil(41, [], 1, 200)
    facts["gil"] = sorted(
        [row.names[0], row.count, row.total_ns, row.max_ns] for row in session.read(GIL)
    )
    facts["gil_events"] = {tid for _, tid, *_ in core.contention_events() if tid == 41} == {41}

with Contention() as session:
    # Threads record while the claim comes and goes: nothing is lost or reported twice.
    def work():
        for _ in range(2000):
            wait(0x1000)
            release(0x1000, [(0, 5)])

    threads = [threading.Thread(target=work) for _ in range(8)]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    for thread in threads:
        thread.start()
    n_read = 0
    while any(thread.is_alive() for thread in threads):
        n_read += len(session.read(only_changed=True))
    for thread in threads:
        thread.join()
    sys.setswitchinterval(interval)
    facts["threads"] = [total(session), total(session, MUTEX), total(session, PAIR)]
    facts["threads_lost"] = core.contention_status()["n_lost"]
    child = os.fork()
    if child == 0:
        core.contention_after_fork()
        wait(0x1000)
        os._exit(core.contention_status()["is_prepared"] + len(core.contention_read()))
    facts["child"] = os.waitpid(child, 0)[1]
    facts["prepared"] = core.contention_status()["is_prepared"]
    tables = core.contention_status()["table_bytes"]
facts["tables"] = [0 < tables < 64 << 20, core.contention_status()["table_bytes"]]
facts["after"] = core.contention_read()
report(**facts)
