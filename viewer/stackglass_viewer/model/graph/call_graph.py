"""Call graph, summed from samples: the calls from one frame to another, as in pprof.

A call that is on a stack several times counts once. A frame that calls itself directly has no edge.
Frames that are left out are skipped: an edge leads from the caller of such a frame to its callee.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, freeze
from stackglass_viewer.model.profile.frames import FrameTable
from stackglass_viewer.model.profile.profile import Samples

_FRAMES_AT_A_TIME = 1 << 20


@dataclass(frozen=True, slots=True, eq=False)
class CallGraph:
    """One row per edge between two frames."""

    caller: Int32s  # (n_edges,) frame
    callee: Int32s  # (n_edges,) frame
    weight: Int64s  # (n_edges,)
    count: Int64s | None  # (n_edges,) sum of the divisors, for means; None = no means
    is_inlined: Bools  # (n_edges,) every call of the edge was inlined


class _Edges(NamedTuple):
    """Sums by edge for some of the samples."""

    key: Int64s  # (n_edges,) caller · number of frames + callee
    weight: Int64s  # (n_edges,)
    divisor: Int64s  # (n_edges,)
    n_not_inlined: Int64s  # (n_edges,) samples where the call was not inlined


def build_call_graph(
    samples: Samples,
    frames: FrameTable,
    is_kept: Bools,
    weights: Int64s,
    counts: Int64s | None = None,
) -> CallGraph:
    """Return the edges of samples with a value. ``is_kept``: (n_frames,); ``weights``:
    (n_samples,); ``counts``: (n_samples,) divisors for means; None = no means. May run in any
    thread."""
    divisors = np.zeros_like(weights) if counts is None else counts
    parts = [
        _sum_edges(
            _cut(samples, first, last), frames, is_kept, weights[first:last], divisors[first:last]
        )
        for first, last in _split(samples)
    ]
    edges = _add_up(_Edges(*map(np.concatenate, zip(*parts, strict=True))))
    callers, callees = np.divmod(edges.key, max(len(frames.name), 1))
    graph = CallGraph(
        caller=callers.astype(np.int32),
        callee=callees.astype(np.int32),
        weight=edges.weight,
        count=None if counts is None else edges.divisor,
        is_inlined=edges.n_not_inlined == 0,
    )
    freeze(graph.caller, graph.callee, graph.weight, edges.divisor, graph.is_inlined)
    return graph


def _split(samples: Samples) -> Iterator[tuple[int, int]]:
    """Yield ranges of samples with about a million frames each. This bounds the memory: a frame
    takes some 50 bytes while its edges are summed."""
    n_samples = len(samples.stack_start) - 1
    limits = np.arange(_FRAMES_AT_A_TIME, int(samples.stack_start[-1]), _FRAMES_AT_A_TIME)
    cuts = np.searchsorted(samples.stack_start, limits).tolist()
    yield from pairwise(dict.fromkeys([0, *cuts, n_samples])) if n_samples else [(0, 0)]


def _cut(samples: Samples, first: int, last: int) -> Samples:
    start = samples.stack_start[first : last + 1]
    stack = samples.stack[start[0] : start[-1]]
    start = start - start[0]
    freeze(start)
    return Samples(start, stack, samples.values[:, first:last])


def _sum_edges(
    samples: Samples, frames: FrameTable, is_kept: Bools, weights: Int64s, counts: Int64s
) -> _Edges:
    sample, frame, inlined = _expand(samples, frames, (weights != 0) | (counts != 0), is_kept)
    is_call = (sample[1:] == sample[:-1]) & (frame[1:] != frame[:-1])
    keys = frame[1:][is_call] * len(frames.name) + frame[:-1][is_call]  # stacks begin with the leaf
    inlined, sample = inlined[:-1][is_call], sample[:-1][is_call]
    found, edge = np.unique(keys, return_inverse=True)
    # The call nearest to the root counts, so the last one of each sample.
    pairs = (sample * max(len(found), 1) + edge)[::-1]
    _, chosen = np.unique(pairs, return_index=True)
    chosen = len(pairs) - 1 - chosen
    by_sample = sample[chosen]
    each = _Edges(
        found[edge[chosen]],
        weights[by_sample],
        counts[by_sample],
        (~inlined[chosen]).astype(np.int64),
    )
    return _add_up(each)


def _add_up(edges: _Edges) -> _Edges:
    """Sum the rows with the same key into one row per edge."""
    keys, edge = np.unique(edges.key, return_inverse=True)
    columns = []
    for values in edges[1:]:
        sums = np.zeros(len(keys), dtype=np.int64)
        np.add.at(sums, edge, values)
        columns.append(sums)
    return _Edges(keys, *columns)


def _expand(
    samples: Samples, frames: FrameTable, has_value: Bools, is_kept: Bools
) -> tuple[Int64s, Int64s, Bools]:
    """Return the kept frames of samples with a value, leaf first within a sample: the sample, the
    frame, and whether it was inlined into the next."""
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
