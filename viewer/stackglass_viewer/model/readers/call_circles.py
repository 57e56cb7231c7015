"""Functions that call each other in circles: strongly connected components, by Tarjan."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import Int32s


def find_circles(n_functions: int, caller: Int32s, callee: Int32s) -> tuple[Int32s, int]:
    """(n_functions,) int32: a number that functions of one circle share; and how many functions
    are in circles with others. ``caller`` and ``callee`` are ordered by caller."""
    start = np.searchsorted(caller, np.arange(n_functions + 1)).tolist()
    callees = callee.tolist()
    order = [0] * n_functions  # when a function was first seen, from 1
    low = [0] * n_functions  # the first that can be reached from it
    circle = [-1] * n_functions
    waiting: list[int] = []  # functions whose circle is not known yet
    n_seen = n_in_circles = 0
    for root in range(n_functions):
        if order[root]:
            continue
        path = [root]
        following = [start[root]]
        while path:
            at = path[-1]
            if not order[at]:
                n_seen += 1
                order[at] = low[at] = n_seen
                waiting.append(at)
            if following[-1] < start[at + 1]:
                other = callees[following[-1]]
                following[-1] += 1
                if not order[other]:
                    path.append(other)
                    following.append(start[other])
                elif circle[other] < 0:
                    low[at] = min(low[at], order[other])
                continue
            path.pop()
            following.pop()
            if path:
                low[path[-1]] = min(low[path[-1]], low[at])
            if low[at] == order[at]:
                n_in_circles += _close(at, waiting, circle)
    return np.array(circle, dtype=np.int32), n_in_circles


def _close(first: int, waiting: list[int], circle: list[int]) -> int:
    """Give all since ``first`` its number. Returns how many, 0 if it is alone."""
    n = 0
    while True:
        last = waiting.pop()
        circle[last] = first
        n += 1
        if last == first:
            return n if n > 1 else 0
