"""Call tree: a prefix tree of stacks, in which stacks with a common beginning share a path.

A tree's shape and its values are separate, so that the values of another sample type, span of time
or thread need only one pass over the nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, TypeId, freeze
from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.profile.frames import name_frames
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.native import _loops

NO_SAMPLES = np.empty(0, dtype=np.int32)
"""``CallTree.sample_node`` of a tree that is not of samples."""
freeze(NO_SAMPLES)


def _go_on(_share: float) -> bool:
    return True


@dataclass(frozen=True, slots=True, eq=False)
class CallTree:
    """Nodes in an order in which parents come before their children; node 0 is the root.

    ``frame`` numbers the functions by name, as pprof's granularity "functions" does. A frame that
    occurs twice on a path is recursion.
    """

    parent: Int32s  # (n_nodes,) node; -1 for the root
    frame: Int32s  # (n_nodes,) index into the frame columns; -1 for the root
    depth: Int32s  # (n_nodes,) 0 for the root
    is_recursive: Bools  # (n_nodes,) an ancestor has the same frame
    frame_name: Sequence[str]  # (n_frames,)
    frame_file: Sequence[str]  # (n_frames,) "" = unknown
    sample_node: Int32s  # (n_samples,) the node where each sample ends
    # (n_frames,) the line where each function is defined; 0 = unknown; None = all unknown
    frame_line: Int64s | None = None

    @property
    def n_nodes(self) -> int:
        return len(self.parent)


@dataclass(frozen=True, slots=True, eq=False)
class NodeValues:
    """One value column summed into a tree."""

    own: Int64s  # (n_nodes,) flat: sum over samples that end at the node
    total: Int64s  # (n_nodes,) cum: sum over samples that end at the node or below
    unit: str


def build_call_tree(profile: Profile, progress: Callable[[float], bool] = _go_on) -> CallTree:
    """Build the tree of a profile's stacks at pprof's granularity "functions".

    Functions with the same name are one frame; inlined calls are frames of their own. Frames are
    numbered in the order of the functions in the profile. May run in any thread; its loop runs
    without the GIL. ``progress`` receives the share done and returns whether to go on. Raises
    CancelledError, ContentError.
    """
    frames = name_frames(profile)
    samples = profile.samples
    try:
        columns = _loops.build_tree(
            samples.stack_start,
            samples.stack,
            frames.line_start,
            frames.line_frame,
            len(frames.name),
            progress,
        )
    except InterruptedError:
        raise CancelledError from None
    except OverflowError:
        raise ContentError("its inlined calls make its stacks too large to show") from None
    return CallTree(
        parent=np.asarray(columns["parent"]),
        frame=np.asarray(columns["frame"]),
        depth=np.asarray(columns["depth"]),
        is_recursive=np.asarray(columns["is_recursive"]),
        frame_name=frames.name,
        frame_file=frames.file,
        sample_node=np.asarray(columns["sample_node"]),
        frame_line=frames.line,
    )


def sum_values(tree: CallTree, weights: Int64s, unit: str) -> NodeValues:
    """Sum a column of values, (n_samples,) int64 in ``unit``, into the tree."""
    own = np.zeros(tree.n_nodes, dtype=np.int64)
    _loops.sum_own(tree.sample_node, np.ascontiguousarray(weights), own)
    return add_up(tree, own, unit)


def sum_type(tree: CallTree, profile: Profile, sample_type: TypeId) -> NodeValues:
    """Sum the values of one of the profile's sample types into the tree."""
    unit = profile.sample_types[sample_type].unit
    return sum_values(tree, profile.samples.values[sample_type], unit)


def add_up(tree: CallTree, own: Int64s, unit: str) -> NodeValues:
    """Compute the totals of nodes from their own values, (n_nodes,) int64, which become
    read-only."""
    total = own.copy()
    _loops.add_up(tree.parent, total)
    freeze(own, total)
    return NodeValues(own, total, unit)
