"""Tree merge: builds a tree from paths of another tree. A hash table finds the child of a node with
a given frame."""

from __future__ import annotations

import secrets

import numpy as np

from stackglass_viewer.model.columns.growing_column import GrowingColumn
from stackglass_viewer.model.columns.index import Int32s, freeze
from stackglass_viewer.model.graph.call_tree import NO_SAMPLES, CallTree
from stackglass_viewer.native import _loops

_FIRST_SLOTS = 2048


class MergedTree:
    """A tree with the frames of another tree; at first it has only a root. For one thread.

    Recursion is marked only with ``marks_recursion``: finding it takes three times as long as
    merging.
    """

    def __init__(self, source: CallTree, marks_recursion: bool = False) -> None:
        self._source = source
        self._is_recursive = GrowingColumn(np.bool_) if marks_recursion else None
        if self._is_recursive is not None:
            self._is_recursive.extend(np.zeros(1))
        self._parent = GrowingColumn(np.int32)
        self._frame = GrowingColumn(np.int32)
        self._depth = GrowingColumn(np.int32)
        self._slots = np.full(_FIRST_SLOTS, -1, dtype=np.int32)  # hash table of all nodes
        self._seed = secrets.randbits(64)  # random, so that no file can be made to cause collisions
        for column in (self._parent, self._frame):
            column.extend(np.array([-1]))
        self._depth.extend(np.zeros(1))

    def grow(self, parents: Int32s, frames: Int32s, known: Int32s) -> Int32s:
        """Find or make the node of each of n entries, and return the nodes, (n,).

        ``parents``: (n,), each a number: i below ``len(known)`` is the node ``known[i]``, and
        ``len(known) + j`` is entry j, which stands before its children. ``frames``: (n,).
        """
        n_known, n_new = len(known), len(parents)
        nodes = np.empty(n_known + n_new, dtype=np.int32)
        nodes[:n_known] = known
        n_nodes = self._parent.n_rows
        recursive = self._is_recursive
        columns = (self._parent, self._frame, self._depth)
        parent, frame, depth = (column.reserve(n_new) for column in columns)
        table = (parent, frame, depth, None if recursive is None else recursive.reserve(n_new))
        if 2 * (n_nodes + n_new) > len(self._slots):
            n_slots = 1 << (2 * (n_nodes + n_new)).bit_length()
            self._slots = np.full(n_slots, -1, dtype=np.int32)
            _loops.fill_slots(*table, self._slots, n_nodes, self._seed)
        n_nodes = _loops.grow_tree(
            *table, self._slots, n_nodes, self._seed, parents, frames, nodes, n_known
        )
        for column in columns:
            column.n_rows = n_nodes
        if recursive is not None:
            recursive.n_rows = n_nodes
        return nodes[n_known:]

    def view(self) -> CallTree:
        """Return the tree as it is now."""
        if self._is_recursive is not None:
            is_recursive = self._is_recursive.view()
        else:
            is_recursive = np.zeros(self._parent.n_rows, dtype=np.bool_)
            freeze(is_recursive)
        return CallTree(
            self._parent.view(),
            self._frame.view(),
            self._depth.view(),
            is_recursive,
            self._source.frame_name,
            self._source.frame_file,
            NO_SAMPLES,
            self._source.frame_line,
        )
