"""Call trees: samples with a common beginning share a path from the root.

A tree's shape does not depend on which values are looked at: shape and values are separate, so
that another sample type, another span of time or another thread is one pass over the nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from stackglass_viewer.model.index import Bools, Int32s, Int64s


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
