"""Kept order: keeps boxes of a growing tree in place from one layout to the next.

Ordered by cost alone, two boxes of about equal size would change places at every refresh. So a box
keeps its place among its siblings until one behind it is clearly larger: by a fifth, and either by
more than sampling noise or by a sixteenth of the whole. The estimate of the noise takes the size of
the smallest box for one sample. ``native/layout.c`` compares the boxes.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from stackglass_viewer.model.columns.index import Int32s
from stackglass_viewer.model.graph.call_tree import CallTree
from stackglass_viewer.model.graph.flame_layout import FlameLayout
from stackglass_viewer.model.graph.tree_merge import MergedTree

_ROOT = np.zeros(1, dtype=np.int32)


class KeptOrder:
    """The order of boxes that the next layout keeps. For one thread."""

    def __init__(self) -> None:
        self._subject: Hashable = None
        self._tree: CallTree | None = None
        self._layout: FlameLayout | None = None

    def find(self, tree: CallTree, subject: Hashable) -> Int32s | None:
        """Return the box of each node in the last layout: (at most n_nodes,); -1 = none, and none
        for nodes beyond the end. None = order boxes exactly by cost, since ``subject`` is None or
        not the last one."""
        before, layout = self._tree, self._layout
        if subject is None or subject != self._subject or before is None or layout is None:
            return None
        if _is_grown(before, tree):
            return layout.box_of_node
        return _follow(before, layout.box_of_node, tree)

    def keep(self, tree: CallTree, layout: FlameLayout, subject: Hashable) -> None:
        """Remember a layout for the next ``find`` of this subject."""
        is_kept = subject is not None
        self._subject = subject
        self._tree, self._layout = (tree, layout) if is_kept else (None, None)


def _is_grown(before: CallTree, tree: CallTree) -> bool:
    """Whether ``tree`` has all nodes of ``before`` under the same numbers, as in a capture."""
    n_nodes, n_frames = before.n_nodes, len(before.frame_name)
    return (
        np.array_equal(before.parent, tree.parent[:n_nodes])
        and np.array_equal(before.frame, tree.frame[:n_nodes])
        and before.frame_name == tree.frame_name[:n_frames]
    )


def _follow(before: CallTree, boxes: Int32s, tree: CallTree) -> Int32s:
    """Return the box of each node of ``tree``, found by the names and files on its path:
    (n_nodes,); -1 = none."""
    names = list(zip(tree.frame_name, tree.frame_file, strict=True))
    number = {name: frame for frame, name in enumerate(names)}
    known = [
        number.setdefault(name, len(number) + len(names))
        for name in zip(before.frame_name, before.frame_file, strict=True)
    ]
    merged = MergedTree(tree)
    frames = np.array(known, dtype=np.int32)[before.frame[1:]]
    old = merged.grow(before.parent[1:], frames, _ROOT)
    new = merged.grow(tree.parent[1:], tree.frame[1:], _ROOT)
    places = np.full(1 + len(old) + len(new), -1, dtype=np.int32)
    places[0], places[old] = boxes[0], boxes[1:]
    return np.concatenate((places[:1], places[new]))
