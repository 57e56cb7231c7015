"""Call graph: which frames call which, as pprof counts it.

A call counts once for each sample, however often it is on the stack, and a frame that calls itself
directly has no edge. Frames that are left out are skipped: their callers call their callees.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, freeze
from stackglass_viewer.model.graph.frames import FrameTable
from stackglass_viewer.model.profile.profile import Samples


@dataclass(frozen=True, slots=True, eq=False)
class CallGraph:
    """The edges between frames, one row each."""

    caller: Int32s  # (n_edges,) frame
    callee: Int32s  # (n_edges,) frame
    weight: Int64s  # (n_edges,)
    count: Int64s | None  # (n_edges,) the same sum of what means are divided by
    is_inlined: Bools  # (n_edges,) every such call was inlined


def build_call_graph(
    samples: Samples,
    frames: FrameTable,
    is_kept: Bools,
    weights: Int64s,
    counts: Int64s | None = None,
) -> CallGraph:
    """The edges of samples with a value. ``is_kept``: (n_frames,); ``weights`` and ``counts``:
    (n_samples,). Any thread."""
    has_value = weights != 0 if counts is None else (weights != 0) | (counts != 0)
    sample, frame, inlined = _expand(samples, frames, has_value, is_kept)
    is_call = (sample[1:] == sample[:-1]) & (frame[1:] != frame[:-1])
    callee, caller = frame[:-1][is_call], frame[1:][is_call]  # stacks begin with the leaf
    inlined, sample = inlined[:-1][is_call], sample[:-1][is_call]
    n_frames = len(frames.name)
    keys, edge = np.unique(caller * n_frames + callee, return_inverse=True)
    # The call nearest to the root counts, so the last one of each sample.
    pairs = (sample * max(len(keys), 1) + edge)[::-1]
    _, first = np.unique(pairs, return_index=True)
    first = len(pairs) - 1 - first
    edge, inlined, sample = edge[first], inlined[first], sample[first]
    is_inlined: Bools = np.ones(len(keys), dtype=bool)
    is_inlined[edge[~inlined]] = False
    callers, callees = np.divmod(keys, max(n_frames, 1))
    graph = CallGraph(
        caller=callers.astype(np.int32),
        callee=callees.astype(np.int32),
        weight=_sum(edge, weights[sample], len(keys)),
        count=None if counts is None else _sum(edge, counts[sample], len(keys)),
        is_inlined=is_inlined,
    )
    freeze(graph.caller, graph.callee, graph.is_inlined)
    return graph


def _sum(edge: Int64s, values: Int64s, n_edges: int) -> Int64s:
    sums = np.zeros(n_edges, dtype=np.int64)
    np.add.at(sums, edge, values)
    freeze(sums)
    return sums


def _expand(
    samples: Samples, frames: FrameTable, has_value: Bools, is_kept: Bools
) -> tuple[Int64s, Int64s, Bools]:
    """All frames that are kept, leaf first, of samples with a value: the sample, the frame, and
    whether it was inlined into the next."""
    owner = np.repeat(np.arange(len(has_value)), np.diff(samples.stack_start))
    is_meant = has_value[owner]
    owner, stack = owner[is_meant], samples.stack[is_meant]
    first = frames.line_start[stack].astype(np.int64)
    n_lines = frames.line_start[stack + 1] - first
    ends = np.cumsum(n_lines)
    line = np.repeat(first - (ends - n_lines), n_lines) + np.arange(ends[-1] if len(ends) else 0)
    inlined: Bools = np.ones(len(line), dtype=bool)
    inlined[ends - 1] = False
    frame = frames.line_frame[line].astype(np.int64)
    stays = is_kept[frame]
    return np.repeat(owner, n_lines)[stays], frame[stays], inlined[stays]
