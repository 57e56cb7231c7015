"""Rates: which waits are kept, with which weight, also after a change. Random draws are seeded."""

from contention import BLOCK, MUTEX, OTHER, PAIR, PRIMITIVES, STALL, TASK, Contention, core, report

ACQUIRE = PRIMITIVES["Lock.acquire"]
RELEASE = PRIMITIVES["Lock.release"]
LOCK = 0x1000


def wait(delay_ns, times=1, kind=BLOCK):
    core.contention_note_wait(kind, ACQUIRE, LOCK, delay_ns, 0, times)


def wait_long():
    wait(1000, 10_000)


def wait_briefly():
    wait(100, 100_000)


def release(delays, times=1):
    core.contention_note_mutex(RELEASE, LOCK, [(0, delay) for delay in delays], times)


def sums(session, kind):
    rows = session.read(kind)
    return [sum(row.count for row in rows), sum(row.total_ns for row in rows)]


facts = {}
with Contention(1000) as session:
    wait_long()
    wait_briefly()
    facts["bias"] = {
        row.names[2]: [row.count, row.total_ns, row.max_ns, row.delays] for row in session.read()
    }

with Contention(1) as session:
    for delay in (5, 0, -3, 1, 2, 3, 1 << 40):
        wait(delay)
    (row,) = session.read()
    facts["exact"] = [row.count, row.total_ns, row.max_ns, row.delays]
    facts["whole"] = [core.contention_whole(value) for value in (0.0, 0.3, 1.9, 1e30)]
    core.contention_set_rates(0, 0, 0)
    wait(1000)
    release([1000])
    core.contention_note_wait(STALL, ACQUIRE, 0, 1000)
    (after,) = session.read()
    facts["off"] = after == row

with Contention((1 << 40) + 1) as session:  # beyond 32 bits: a coin of 32 would keep all or none
    wait(1 << 39, 4000)
    facts["wide"] = sums(session, BLOCK)
    facts["n_wide"] = core.contention_status()["n_events"]

with Contention(1, 2) as session:
    release([300, 700], 10_000)
    facts["fraction"] = [sums(session, MUTEX), sums(session, PAIR)]
    core.contention_set_rates(1, 50, 0)
    facts["unchanged"] = [sums(session, MUTEX), sums(session, PAIR)] == facts["fraction"]
    core.contention_set_rates(0, 1, 0)
    release([])
    facts["nobody_waited"] = sums(session, MUTEX) == facts["fraction"][0]
    wait(10)
    facts["block_off"] = sums(session, BLOCK)

with Contention(10) as session:
    for kind in (BLOCK, OTHER, TASK, STALL):
        wait(1, 1000, kind)
    facts["kinds"] = [sums(session, kind) for kind in (BLOCK, OTHER, TASK, STALL)]

report(**facts)
