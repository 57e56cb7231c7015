"""Stack tree: stacks as nodes of a tree, while frames begin and end, in memory of the events.

::

    begin main ── begin work ── end work ── begin load        nodes: main, main;work, main;load

A list for each of the stacks would take the square of them, if they are deep.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s
from stackglass_viewer.model.readers.caller_paths import spread_stacks

EMPTY = 0
"""The stack without frames."""


class StackTree:
    """Numbers of frames on paths from the root. One thread."""

    def __init__(self) -> None:
        self._node: dict[int, int] = {}  # by frame and parent
        self._parent, self._frame = array("i", [-1]), array("i", [-1])

    def __len__(self) -> int:
        """Nodes, of which the empty stack is one."""
        return len(self._parent)

    def push(self, node: int, frame: int) -> int:
        """The stack with one more frame. Raises OverflowError, TypeError for what numbers none."""
        key = frame << 32 | node
        found = self._node.get(key)
        if found is None:
            found = self._node[key] = len(self._parent)
            self._parent.append(node)
            self._frame.append(frame)
        return found

    def find_above(self, node: int, n: int) -> int:
        """The stack without its ``n`` innermost frames, of which it has as many."""
        for _ in range(n):
            node = self._parent[node]
        return node

    def spread(self, nodes: Iterable[int]) -> tuple[Int64s, Int32s]:
        """The stacks of nodes: how many frames each has, and all frames, leaf first. Raises
        ValueError for more than `spread_stacks` allows."""
        callers, frames = self._list_nodes()
        sizes, stacks = spread_stacks(callers, np.fromiter(nodes, dtype=np.int64))
        return sizes, frames[stacks]

    def take_nodes(self) -> tuple[Int64s, Int32s]:
        """(n_nodes,) the caller of each node (-1 = it is a root), and its frame; afterwards the
        tree is empty."""
        self._node.clear()
        nodes = self._list_nodes()
        self._parent, self._frame = array("i", [-1]), array("i", [-1])
        return nodes

    def _list_nodes(self) -> tuple[Int64s, Int32s]:
        callers = np.array(self._parent, dtype=np.int64)
        callers[callers == EMPTY] = -1
        return callers, np.array(self._frame, dtype=np.int32)
