"""Waits below stacks of all depths, deep ones first: each row must have exactly its own frames."""

import sys

from contention import BLOCK, MUTEX, PAIR, PRIMITIVES, Contention, core, report

ACQUIRE, RELEASE = PRIMITIVES["Lock.acquire"], PRIMITIVES["Lock.release"]
DEPTHS = [150, 3, 90, 1, 40, 2, 150, 0]


def own_names():
    names, frame = [], sys._getframe(1)
    while frame:
        names.append(frame.f_code.co_name)
        frame = frame.f_back
    return names


def descend(depth, lock):
    """Record a wait and a release below ``depth`` frames. Returns the names of these frames."""
    if depth:
        return descend(depth - 1, lock)
    core.contention_note_wait(BLOCK, ACQUIRE, lock, 10)
    core.contention_note_mutex(RELEASE, lock, [(0, 10)])
    return own_names()


with Contention() as session:
    expected = [descend(depth, (i + 1) * 4096) for i, depth in enumerate(DEPTHS)]
    numbers = {address: number for number, _, address, _ in core.contention_locks()}
    by_lock = {
        kind: {row.lock: [list(row.names[1:]), len(row.others)] for row in session.read(kind)}
        for kind in (BLOCK, MUTEX, PAIR)
    }
    wrong = []
    for i, names in enumerate(expected):
        number = numbers[(i + 1) * 4096]
        for kind in (BLOCK, MUTEX):
            if by_lock[kind][number] != [names, 0]:
                wrong.append([DEPTHS[i], kind, by_lock[kind][number]])
        if by_lock[PAIR][number][0] != names:
            wrong.append([DEPTHS[i], PAIR, by_lock[PAIR][number]])
report(wrong=wrong, n=len(expected))
