"""Callbacks of an event loop whose begin, stacks and end the probe causes one by one."""

import time

from contention import STALL, Contention, core, report

MS = 1_000_000


def wait_until(mono_ns):
    while time.monotonic_ns() < mono_ns:
        time.sleep(0.001)


def look():
    core.asyncio_sample_stalls()


def look_early():
    """Take a stack once, as soon as it is due; then none until five times as much has passed."""
    core.contention_set_rates(0, 0, 0, 20 * MS)
    began_ns = time.monotonic_ns()
    callback = core.asyncio_begin_stall()
    wait_until(began_ns + 15 * MS)
    look()
    wait_until(began_ns + 5 * (time.monotonic_ns() - began_ns))
    return callback


def look_late():
    core.contention_set_rates(0, 0, 0, 200 * MS)
    began_ns = time.monotonic_ns()
    callback = core.asyncio_begin_stall()
    wait_until(began_ns + 200 * MS)
    look()
    return callback


def look_behind_an_inner_one():
    core.contention_set_rates(0, 0, 0, 200 * MS)
    began_ns = time.monotonic_ns()
    callback = core.asyncio_begin_stall()
    wait_until(began_ns + 200 * MS)
    core.asyncio_end_stall(core.asyncio_begin_stall())
    look()
    return callback


def overlap():
    """Run three callbacks of one thread, none inside another; the last is short."""
    core.contention_set_rates(0, 0, 0, 20 * MS)
    began_ns = time.monotonic_ns()
    first = core.asyncio_begin_stall()
    wait_until(began_ns + 25 * MS)
    second = core.asyncio_begin_stall()
    core.asyncio_end_stall(first)
    third = core.asyncio_begin_stall()
    core.asyncio_end_stall(second)
    return third


with Contention() as session:
    facts = {}
    for scene in (look_early, look_late, look_behind_an_inner_one, overlap):
        core.asyncio_end_stall(scene())
        rows = session.read(STALL, only_changed=True)
        facts[scene.__name__] = [[row.names, row.count] for row in rows]
report(**facts)
