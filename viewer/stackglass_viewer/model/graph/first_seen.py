"""First sample of each node of a tree, for flame graphs ordered by time."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s
from stackglass_viewer.model.graph.call_tree import CallTree
from stackglass_viewer.model.profile.profile import SampleTimes

_NEVER = np.iinfo(np.int64).max


def find_first_seen(tree: CallTree, times: SampleTimes | None) -> Int64s:
    """Return the time of the first sample at or below each node: (n_nodes,) ns. Without times,
    return that sample's number in the file. A node without samples has the largest int64. May run
    in any thread."""
    node_of_sample: Int32s = tree.sample_node
    first = np.full(tree.n_nodes, _NEVER, dtype=np.int64)
    if times is None:
        np.minimum.at(first, node_of_sample, np.arange(len(node_of_sample)))
    else:
        np.minimum.at(first, node_of_sample[times.sample], times.begin_ns)
    return _spread_up(tree, first)


def _spread_up(tree: CallTree, first: Int64s) -> Int64s:
    """Take the minimum over each node and all below it, row by row, the deepest row first."""
    order = np.argsort(tree.depth, kind="stable")
    starts = np.flatnonzero(np.diff(tree.depth[order], prepend=-1))
    for begin, end in zip(
        starts[::-1].tolist(), [len(order), *starts[:0:-1].tolist()], strict=True
    ):
        nodes = order[begin:end]
        if begin:
            np.minimum.at(first, tree.parent[nodes], first[nodes])
    return first
