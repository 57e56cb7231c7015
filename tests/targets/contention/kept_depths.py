"""Number of frames kept of a stack of 1500: by default, with the least and the most possible depth,
and beyond; recorded at once, or deferred to the holder of the claim. And of the stacks of holders
of the GIL."""

import sys

from contention import BLOCK, GIL, MUTEX, PRIMITIVES, Contention, core, report

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


def measure_holder(depth, n_frames):
    """Of a stack with another code object in each frame."""
    codes = [compile("", "", "exec").replace(co_name=f"f{i}") for i in range(n_frames)]
    with Contention(depth=depth) as session:
        core.contention_note_gil(41, [core.code_id(code) for code in codes], 1, 500)
        (row,) = session.read(GIL)
        return [len(row.names), row.names[-1], row.names[-2]]


report(
    holders=[measure_holder(0, n_frames) for n_frames in (191, 192, 193, 300)],
    kept=[measure(asked, late) for asked in (0, 1, 300, 1024, 5000) for late in (False, True)],
)
