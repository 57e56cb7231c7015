"""Transformed tree: a call tree with some frames left out or merged, step by step.

A capture has no list of stacks to transform, only a tree that grows. So the nodes are transformed,
and each node of the old tree is mapped to one of the new tree::

    main ── work ── parse        merge work        main ── parse
        └── save                      ─▶               └── save
    nodes  1     2      3  4                       nodes  1     2  3:  node_of = 0 1 1 2 3

The result has the same paths of function names as ``transform_profile`` makes of the same stacks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, freeze
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues, add_up
from stackglass_viewer.model.graph.tree_merge import MergedTree
from stackglass_viewer.model.patterns import compile_pattern
from stackglass_viewer.model.profile.call_paths import number_path
from stackglass_viewer.model.profile.native_frames import is_native
from stackglass_viewer.model.profile.native_libraries import LibraryFrames
from stackglass_viewer.model.profile.packages import package_or_library
from stackglass_viewer.model.profile.transforms import (
    NOT_OWN,
    PATTERN_KINDS,
    Transform,
    TransformKind,
)
from stackglass_viewer.native import _loops

_MERGES = (
    TransformKind.MERGE,
    TransformKind.MERGE_FILE,
    TransformKind.OWN_CODE,
    TransformKind.PYTHON,
    TransformKind.MERGE_MATCH,
    TransformKind.SHOW_MATCH,
)
_DROPS = (TransformKind.DROP, TransformKind.DROP_MATCH)
_SUBTREES = (TransformKind.SUBTREE, TransformKind.SUBTREE_MATCH, TransformKind.CALL_PATH)


@dataclass(frozen=True, slots=True, eq=False)
class TransformedTree:
    """The new tree, with the frames of the old tree. Nodes keep their numbers while the old tree
    grows."""

    tree: CallTree
    node_of: Int32s  # (n_old_nodes,) node of the new tree; -1 = samples that end there are dropped
    is_merged: Bools  # (n_old_nodes,) the frame was merged into its caller

    def sum_values(self, values: NodeValues) -> NodeValues:
        """Return the values of the old tree, summed into the new one. May run in any thread."""
        stays = self.node_of >= 0
        own = np.zeros(self.tree.n_nodes, dtype=np.int64)
        _loops.sum_own(
            np.ascontiguousarray(self.node_of[stays]),
            np.ascontiguousarray(values.own[stays]),
            own,
        )
        return add_up(self.tree, own, values.unit)

    def find_ends(self, node_of_wire: Int32s, wire_parent: Int32s) -> Int32s:
        """Return the nearest of each of the engine's nodes and its ancestors that was not merged:
        (n_wire_nodes,)."""
        n_nodes = len(node_of_wire)
        own = np.arange(n_nodes, dtype=np.int32)
        is_merged = self.is_merged[node_of_wire]
        return follow_chains(np.where(is_merged, wire_parent[:n_nodes], own).astype(np.int32))


def transform_tree(tree: CallTree, transforms: Sequence[Transform]) -> TransformedTree:
    """Return the tree after all steps. May run in any thread. Raises PatternError."""
    steps = _Steps(tree)
    for each in transforms:
        steps.apply(each)
    return steps.build()


class _Steps:
    """The nodes that remain after each step. The root always remains.

    A removed node counts as its nearest remaining ancestor. Samples that end at a dropped node are
    left out.
    """

    def __init__(self, tree: CallTree) -> None:
        self._tree = tree
        self._parent = np.maximum(tree.parent, 0)
        self._frame = tree.frame
        self._is_kept: Bools = np.ones(tree.n_nodes, dtype=np.bool_)
        self._is_dropped: Bools = np.zeros(tree.n_nodes, dtype=np.bool_)
        self._is_merged: Bools = np.zeros(tree.n_nodes, dtype=np.bool_)

    def apply(self, transform: Transform) -> None:
        kind = transform.kind
        if kind is TransformKind.RECURSION:
            self._collapse_recursion()
            return
        if kind is TransformKind.PACKAGE:
            self._collapse_package(transform.name)
            return
        if kind is TransformKind.LIBRARIES:
            self._merge_libraries()
            return
        is_path = kind is TransformKind.CALL_PATH
        found = self._find_path(transform.name) if is_path else self._find(transform)
        if kind is TransformKind.SHOW_MATCH:
            found = self._is_kept & ~found
            found[0] = False  # the root
        if kind in _MERGES:
            self._is_merged |= found
            self._hide(found)
            return
        is_below = self._mark_below(found)
        self._is_dropped |= is_below if kind in _DROPS else ~is_below
        if kind in _SUBTREES:
            self._is_kept &= is_below
            self._is_kept[0] = True

    def _find(self, transform: Transform) -> Bools:
        """Return the mask of the remaining nodes with a function or file that the step names:
        (n_nodes,)."""
        tree, name = self._tree, transform.name
        is_meant: Callable[[str], bool] = name.__eq__
        if transform.kind is TransformKind.OWN_CODE:
            is_meant = compile_pattern(NOT_OWN)
        elif transform.kind is TransformKind.PYTHON:
            is_meant = is_native
        elif transform.kind in PATTERN_KINDS:
            is_meant = compile_pattern(name)
        pairs = zip(tree.frame_name, tree.frame_file, strict=True)
        frames = [is_meant(each) or is_meant(file) for each, file in pairs]
        of_frame = np.array([*frames, False], dtype=np.bool_)  # the last is the root's
        found: Bools = of_frame[self._frame] & self._is_kept
        return found

    def _find_path(self, path: str) -> Bools:
        """Return the mask of the remaining nodes whose path from the root is ``path``:
        (n_nodes,)."""
        wanted, number_of = number_path(path, self._tree.frame_name)
        number = np.append(number_of, -1)[self._frame]  # the last is the root's
        number[~self._is_kept] = -1
        nodes = np.argsort(number, kind="stable")
        numbers, caller = number[nodes], self._find_kept()[self._parent]
        found: Bools = np.zeros(self._tree.n_nodes, dtype=np.bool_)
        reached = np.zeros(1, dtype=np.int64)  # the root
        for each in wanted:
            found[reached] = True
            named = nodes[np.searchsorted(numbers, each) : np.searchsorted(numbers, each, "right")]
            is_next = found[caller[named]]
            found[reached] = False
            reached = named[is_next]
        found[reached] = True
        return found

    def _hide(self, hidden: Bools) -> None:
        """Merge nodes into their callers. If a path loses all its nodes, its samples are
        dropped."""
        self._is_kept &= ~hidden
        is_gone = self._find_kept() == 0
        is_gone[0] = False
        self._is_dropped |= is_gone

    def _collapse_recursion(self) -> None:
        """Merge direct calls of a function by itself into the outermost call."""
        frame = self._frame
        caller = self._find_kept()[self._parent]
        self._is_kept &= frame[caller] != frame
        self._is_kept[0] = True

    def _collapse_package(self, package: str) -> None:
        """Merge functions of a package into those of it that call them."""
        pairs = zip(self._tree.frame_name, self._tree.frame_file, strict=True)
        inside = [package_or_library(name, file) == package for name, file in pairs]
        is_inside = np.array([*inside, False], dtype=np.bool_)[self._frame]
        is_inner = self._is_kept & is_inside & is_inside[self._find_kept()[self._parent]]
        self._is_kept &= ~is_inner
        self._is_merged |= is_inner

    def _merge_libraries(self) -> None:
        """Replace the functions of a library that call each other by one frame for the library.
        Functions of the interpreter and of the C runtime are merged into their callers."""
        places = LibraryFrames(self._tree.frame_name)
        library = places.library[self._frame]
        is_code = library >= 0
        self._hide(is_code & places.is_runtime[library])
        callers = self._find_kept()[self._parent]
        self._is_kept &= ~(is_code & (library[callers] == library))
        self._is_merged |= is_code
        frame = places.frame[library]
        self._frame = np.where(frame >= 0, frame, self._frame).astype(np.int32)

    def _find_kept(self) -> Int32s:
        """Return for each node the nearest remaining node, itself or an ancestor: (n_nodes,)."""
        own = np.arange(self._tree.n_nodes, dtype=np.int32)
        return follow_chains(np.where(self._is_kept, own, self._parent).astype(np.int32))

    def _mark_below(self, found: Bools) -> Bools:
        """Return whether each node or one of its ancestors is in ``found``: (n_nodes,)."""
        own = np.arange(self._tree.n_nodes, dtype=np.int32)
        ends = follow_chains(np.where(found, own, self._parent).astype(np.int32))
        return found[ends]

    def build(self) -> TransformedTree:
        """Build the new tree from the remaining nodes. Children with the same frame are merged."""
        tree, merged = self._tree, MergedTree(self._tree, marks_recursion=True)
        kept = np.flatnonzero(self._is_kept)[1:]  # without the root
        place = np.zeros(tree.n_nodes, dtype=np.int32)  # 0 = the root, else 1 + position in kept
        place[kept] = np.arange(1, len(kept) + 1, dtype=np.int32)
        nearest = self._find_kept()
        callers = place[nearest[self._parent[kept]]]
        root = np.zeros(1, dtype=np.int32)
        made = np.append(root, merged.grow(callers, self._frame[kept], root))
        node_of = made[place[nearest]].astype(np.int32)
        node_of[self._is_dropped] = -1
        freeze(node_of, self._is_merged)
        return TransformedTree(merged.view(), node_of, self._is_merged)


def follow_chains(target: Int32s) -> Int32s:
    """Return the last element of each chain of targets, which is its own target: (n,). Each round
    doubles the distance (pointer jumping)."""
    while True:
        further = target[target]
        if np.array_equal(further, target):
            return target
        target = further
