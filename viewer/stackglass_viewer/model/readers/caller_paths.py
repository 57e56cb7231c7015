"""Paths from nodes to their roots, in bounded memory, for formats whose stacks are trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s

DEEPEST = 1 << 16  # limit for the frames of a stack
FREE_FRAMES = 8_000_000  # limit for the frames of all stacks, some 70 MB, with FRAMES_PER_NODE
FRAMES_PER_NODE = 32


class CallerPaths:
    """Lists stacks from the caller of each node. Used by one thread."""

    def __init__(self, find_caller: Callable[[int], int | None], n_nodes: int) -> None:
        """``find_caller``: returns the caller of a node; None = the node is a root."""
        self._find_caller = find_caller
        self._n_left = FREE_FRAMES + FRAMES_PER_NODE * n_nodes

    def list_stack(self, node: int) -> list[int]:
        """List the node and its callers. Raises ValueError for a cycle, or if this stack is too
        deep or all stacks together are too large."""
        stack = [node]
        while (caller := self._find_caller(stack[-1])) is not None:
            stack.append(caller)
            if len(stack) > DEEPEST:
                raise ValueError(f"a stack of more than {DEEPEST} frames, or a cycle")
        self._n_left -= len(stack)
        if self._n_left < 0:
            raise ValueError("its stacks are too many and too deep")
        return stack


def list_caller_paths(callers: Int64s, nodes: Int64s) -> tuple[Int64s, Int32s]:
    """List the stacks of ``nodes``: return (n,) sizes, and the nodes of all stacks, leaf first.

    ``callers``: (n_nodes,) the caller of each node; -1 = the node is a root. Raises IndexError for
    a node that does not exist, and ValueError as `CallerPaths` does.
    """
    if int(callers.min(initial=0)) < -1:
        raise IndexError(f"there is no row {callers.min()}")
    n_left = FREE_FRAMES + FRAMES_PER_NODE * len(callers)
    sizes = np.zeros(len(nodes), dtype=np.int64)
    for n_levels, (rows, _) in enumerate(_list_levels(callers, nodes)):
        n_left -= len(rows)
        if n_levels >= DEEPEST:
            raise ValueError(f"a stack of more than {DEEPEST} frames, or a cycle")
        if n_left < 0:
            raise ValueError("its stacks are too many and too deep")
        sizes[rows] += 1
    starts = np.cumsum(sizes) - sizes
    stacks = np.empty(int(sizes.sum()), dtype=np.int32)
    for level, (rows, found) in enumerate(_list_levels(callers, nodes)):
        stacks[starts[rows] + level] = found
    return sizes, stacks


def _list_levels(callers: Int64s, nodes: Int64s) -> Iterator[tuple[Int64s, Int64s]]:
    """For each depth from the leaf, yield the rows of the stacks that have this depth, and the node
    of each stack there."""
    rows, found = np.arange(len(nodes)), nodes
    while len(rows):
        yield rows, found
        above = callers[found]
        goes_on = above >= 0
        rows, found = rows[goes_on], above[goes_on]
