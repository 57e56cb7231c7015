"""Lanes: what each thread did in each bin of time, as shares, and its innermost function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.chart.stretches import Stretches
from stackglass_viewer.model.columns.index import Float64s, Int32s, Int64s, freeze

Shares = npt.NDArray[np.float32]
_PIECE = 1 << 16  # rows measured at once: a long session has a million, and each takes 40 bytes


@dataclass(frozen=True, slots=True, eq=False)
class LaneActivity:
    """The activity of some threads in each bin of a span."""

    # (n_lanes, n_kinds + 1, n_bins) share of each bin, 0 … 1; the last kind is for all others
    share: Shares
    # (n_lanes, n_bins) the innermost function in the middle of a bin, else the last one in it;
    # -1 = none
    frame: Int32s


def measure_lanes(
    stretches: Stretches,
    lanes: Sequence[int],
    n_kinds: int,
    span_ns: tuple[float, float],
    n_bins: int,
) -> LaneActivity:
    """Measure some lanes in ``n_bins`` equal parts of ``span_ns``. Any thread."""
    edges = np.linspace(*span_ns, n_bins + 1)
    bin_ns = max((span_ns[1] - span_ns[0]) / n_bins, 1e-9)
    share = np.zeros((len(lanes), n_kinds + 1, n_bins), dtype=np.float32)
    frame = np.full((len(lanes), n_bins), -1, dtype=np.int32)
    for row, lane in enumerate(lanes):
        rows = stretches.slice_lane(lane)
        if rows.start == rows.stop:
            continue
        covered = np.zeros((n_kinds + 1, n_bins + 1))
        for first in range(rows.start, rows.stop, _PIECE):
            piece = slice(first, min(first + _PIECE, rows.stop))
            begin, end = stretches.begin_ns[piece], stretches.find_ends(piece)
            kind = stretches.kind[piece]
            for each in np.unique(kind).tolist():
                is_kind = kind == each
                place = each if 0 <= each < n_kinds else n_kinds
                covered[place] += _measure_covered(begin[is_kind], end[is_kind], edges)
        share[row] = np.diff(covered, axis=1) / bin_ns
        frame[row] = _find_frames(stretches, rows, edges)
    made = LaneActivity(np.clip(share, 0.0, 1.0), frame)
    freeze(made.share, made.frame)
    return made


def _measure_covered(begin: Int64s, end: Int64s, edges: Float64s) -> Float64s:
    """Return the time that rows cover before each edge: (n_edges,) ns."""
    before = np.concatenate(([0], np.cumsum(end - begin))).astype(np.float64)
    at = np.searchsorted(begin, edges, side="right")  # rows that have begun
    last = np.maximum(at - 1, 0)
    open_ns = np.maximum(end[last] - edges, 0.0)  # the part of the last row after the edge
    covered: Float64s = np.where(at > 0, before[at] - open_ns, 0.0)
    return covered


def _find_frames(stretches: Stretches, rows: slice, edges: Float64s) -> Int32s:
    """Return the innermost function of a lane's rows in each bin: (n_bins,); -1 = none. It is the
    one in the middle of the bin, or the last one if the thread was idle then."""
    middles = (edges[:-1] + edges[1:]) / 2
    found = _find_last(stretches, rows, middles, middles)
    is_idle = found < 0
    last_ns = np.ceil(edges[1:]) - 1  # a row that begins at the right edge is in the next bin
    found[is_idle] = _find_last(stretches, rows, last_ns[is_idle], edges[:-1][is_idle])
    return found


def _find_last(
    stretches: Stretches, rows: slice, begun_by: Float64s, ended_after: Float64s
) -> Int32s:
    """Return the innermost function of the last row that begins before each of some moments, if it
    ends after another moment: (n_moments,); -1 = it does not."""
    begin = stretches.begin_ns[rows]
    # As integers: for floats, searchsorted would convert all of the column.
    at = np.searchsorted(begin, np.floor(begun_by).astype(np.int64), side="right") - 1
    row = np.maximum(at, 0)
    is_there = (at >= 0) & (begin[row] + stretches.length_ns[rows][row] > ended_after)
    frames = stretches.tree.frame[stretches.node[rows][row]]
    return np.where(is_there, frames, -1).astype(np.int32)
