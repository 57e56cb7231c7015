"""Stack tree: the stacks of a thread whose frames begin and end, as nodes of a tree.

::

    begin main ── begin work ── end work ── begin load        nodes: main, main;work, main;load

Memory grows with the number of events. A list for each stack could take its square, if stacks are
deep.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s
from stackglass_viewer.model.readers.caller_paths import list_caller_paths

EMPTY = 0
"""The stack without frames."""


class StackTree:
    """Nodes by parent and frame. A node's number stands for a stack. Used by one thread."""

    def __init__(self) -> None:
        self._node: dict[int, int] = {}  # by frame and parent
        self._parent, self._frame = array("i", [-1]), array("i", [-1])

    def __len__(self) -> int:
        """Number of nodes, including the empty stack."""
        return len(self._parent)

    def push(self, node: int, frame: int) -> int:
        """Return the stack with one more frame, which is added if it is new. Raises OverflowError
        or TypeError if ``frame`` is not a frame number."""
        key = frame << 32 | node
        found = self._node.get(key)
        if found is None:
            found = self._node[key] = len(self._parent)
            self._parent.append(node)
            self._frame.append(frame)
        return found

    def find_above(self, node: int, n: int) -> int:
        """Return the stack without its ``n`` innermost frames; it must have at least ``n``."""
        for _ in range(n):
            node = self._parent[node]
        return node

    def spread(self, nodes: Iterable[int]) -> tuple[Int64s, Int32s]:
        """Return the sizes of the nodes' stacks, and the frames of all stacks, leaf first. Raises
        ValueError as `list_caller_paths` does."""
        callers, frames = self._list_nodes()
        sizes, stacks = list_caller_paths(callers, np.fromiter(nodes, dtype=np.int64))
        return sizes, frames[stacks]

    def take_nodes(self) -> tuple[Int64s, Int32s]:
        """Return (n_nodes,) the caller of each node (-1 = a root) and its frame, and empty the
        tree."""
        self._node.clear()
        nodes = self._list_nodes()
        self._parent, self._frame = array("i", [-1]), array("i", [-1])
        return nodes

    def _list_nodes(self) -> tuple[Int64s, Int32s]:
        callers = np.array(self._parent, dtype=np.int64)
        callers[callers == EMPTY] = -1
        return callers, np.array(self._frame, dtype=np.int32)
