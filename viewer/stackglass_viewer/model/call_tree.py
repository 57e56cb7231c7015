"""Call trees: samples with a common beginning share a path from the root.

A tree's shape does not depend on which values are looked at: shape and values are separate, so
that another sample type, another span of time or another thread is one pass over the nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.index import Bools, Int32s, Int64s, freeze
from stackglass_viewer.model.profile import Profile


@dataclass(frozen=True, slots=True, eq=False)
class CallTree:
    """Nodes in an order in which parents come before their children; node 0 is the root.

    ``frame`` numbers what a node stands for: a function's name at pprof's granularity
    "functions"; the same number twice on a path is recursion.
    """

    parent: Int32s  # (n_nodes,) node; -1 for the root
    frame: Int32s  # (n_nodes,) index into the frame columns; -1 for the root
    depth: Int32s  # (n_nodes,) 0 for the root
    is_recursive: Bools  # (n_nodes,) the same frame stands further up this path
    frame_name: Sequence[str]  # (n_frames,)
    frame_file: Sequence[str]  # (n_frames,) "" = unknown
    sample_node: Int32s  # (n_samples,) the node where each sample ends

    @property
    def n_nodes(self) -> int:
        return len(self.parent)


@dataclass(frozen=True, slots=True, eq=False)
class NodeValues:
    """One value column summed into a tree."""

    own: Int64s  # (n_nodes,) flat: of samples that end here
    total: Int64s  # (n_nodes,) cum: of samples that end here or below
    unit: str


def build_call_tree(profile: Profile) -> CallTree:
    p = profile
    children: dict[tuple[int, int], int] = {}
    parent, frame, depth, rec = [-1], [-1], [0], [False]
    names: dict[str, int] = {}
    files: list[str] = []
    ends = []
    for i in range(p.n_samples):
        node = 0
        seen = set()
        stack = p.samples.stack[p.samples.stack_start[i] : p.samples.stack_start[i + 1]]
        for loc in stack[::-1]:
            a, b = p.locations.line_start[loc], p.locations.line_start[loc + 1]
            fs = p.locations.line_function[a:b][::-1] if b > a else [-1]
            for f in fs:
                name = p.strings[p.functions.name[f]] if f >= 0 else "<unknown>"
                file = p.strings[p.functions.filename[f]] if f >= 0 else ""
                if name not in names:
                    names[name] = len(names)
                    files.append(file)
                k = names[name]
                if (node, k) not in children:
                    children[node, k] = len(parent)
                    parent.append(node)
                    frame.append(k)
                    depth.append(depth[node] + 1)
                    rec.append(k in seen)
                seen.add(k)
                node = children[node, k]
        ends.append(node)
    i32 = lambda x: np.array(x, dtype=np.int32)
    return CallTree(i32(parent), i32(frame), i32(depth), np.array(rec), tuple(names), tuple(files), i32(ends))


def sum_values(tree: CallTree, weights: Int64s, unit: str) -> NodeValues:
    """Sum a column of values, (n_samples,) int64 in ``unit``, into the tree."""
    own = np.zeros(tree.n_nodes, dtype=np.int64)
    np.add.at(own, tree.sample_node, weights)
    return add_up(tree, own, unit)


def add_up(tree: CallTree, own: Int64s, unit: str) -> NodeValues:
    """Totals of nodes out of what is their own, (n_nodes,) int64, which is frozen."""
    total = own.copy()
    for node in range(tree.n_nodes - 1, 0, -1):
        total[tree.parent[node]] += total[node]
    freeze(own, total)
    return NodeValues(own, total, unit)
