"""Number of frames kept of a stack of 1500: by default, with the least and the most possible depth,
and beyond; recorded at once, or deferred to the holder of the claim."""

import sys

from contention import BLOCK, MUTEX, PRIMITIVES, Contention, core, report

ACQUIRE, RELEASE = PRIMITIVES["Lock.acquire"], PRIMITIVES["Lock.release"]
sys.setrecursionlimit(5000)


def descend(n):
    if n:
        return descend(n - 1)
    core.contention_note_wait(BLOCK, ACQUIRE, 4096, 10)
    core.contention_note_mutex(RELEASE, 4096, [(0, 10)])
    return None


def measure(depth, is_deferred):
    with Contention(depth=depth) as session:
        if is_deferred:
            core.contention_claim(True)
        descend(1500)
        if is_deferred:
            core.contention_claim(False)
        found = [row.names for kind in (BLOCK, MUTEX) for row in session.read(kind)]
        return [[len(names), names[-1], names[-2]] for names in found]


report(kept=[measure(asked, late) for asked in (0, 1, 300, 1024, 5000) for late in (False, True)])
