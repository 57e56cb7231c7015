"""Cycles of calls, beside a search that takes every path."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from stackglass_viewer.model.readers.call_cycles import find_cycles

N = 7


def reach(edges: set[tuple[int, int]], start: int) -> set[int]:
    found: set[int] = set()
    waiting = [start]
    while waiting:
        at = waiting.pop()
        for caller, callee in edges:
            if caller == at and callee not in found:
                found.add(callee)
                waiting.append(callee)
    return found


@given(st.sets(st.tuples(st.integers(0, N - 1), st.integers(0, N - 1)), max_size=20))
def test_functions_share_a_number_if_each_reaches_the_other(edges: set[tuple[int, int]]) -> None:
    ordered = np.array(sorted(edges), dtype=np.int32).reshape(-1, 2)
    cycle, n_in_cycles = find_cycles(N, ordered[:, 0], ordered[:, 1])
    reached = [reach(edges, each) for each in range(N)]
    for one in range(N):
        for other in range(N):
            is_shared = one == other or (other in reached[one] and one in reached[other])
            assert (cycle[one] == cycle[other]) == is_shared
    sizes = np.bincount(cycle, minlength=N)[cycle]
    assert n_in_cycles == (sizes > 1).sum()


def test_a_long_chain_takes_no_stack() -> None:
    n = 100_000
    caller = np.arange(n - 1, dtype=np.int32)
    cycle, n_in_cycles = find_cycles(n, caller, caller + 1)
    assert len(set(cycle.tolist())) == n
    assert n_in_cycles == 0
