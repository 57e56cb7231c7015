"""Allocations of the engine's threads at rate 1, beside those of the program."""

import threading

from heap import HEADER, Heap, core, report

OWN, THEIRS, N = 40_000 - HEADER, 80_000 - HEADER, 200
kept = []


def allocate(size):
    kept.extend(bytes(size) for _ in range(N))


def act_as_engine():
    core.heap_adopt()
    allocate(OWN)
    core.heap_note_malloc(1 << 40, 123_456)
    core.heap_disown()


def be_the_program():
    allocate(THEIRS)
    core.heap_note_malloc(1 << 41, 654_321)


def count(least, most):
    return sum(row.live.allocs for row in session.read() if least <= row.size < most)


with Heap(1) as session:
    for target in (act_as_engine, be_the_program):
        thread = threading.Thread(target=target)
        thread.start()
        thread.join()
    report(
        n_own=count(30_000, 45_000),
        n_theirs=count(65_000, 85_000),
        n_own_native=count(110_000, 132_000),
        n_theirs_native=count(500_000, 660_000),
        n_wanted=N,
        names=sorted({name for row in session.read() for name in row.names}),
    )
