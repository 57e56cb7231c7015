"""Curves of the timeline's plot: lines with few points, and marks for the collector's pauses."""

from __future__ import annotations

from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Float64s
from stackglass_viewer.model.memory.gc_pauses import Pauses
from stackglass_viewer.model.memory.points import PixelTrace
from stackglass_viewer.model.memory.timeline import UNITS_PER_S

HEADROOM = 1.12  # height of a row, relative to its highest value
_SHORTEST_NS, _LONGEST_NS = 1e4, 1e9  # pauses with the lowest and the highest mark
_LOWEST_MARK = 0.12  # height of the lowest mark, as a share of the highest


def find_highest(trace: PixelTrace) -> float:
    return float(trace.high.max()) if len(trace.high) else 0.0


def draw_trace(curve: Any, trace: PixelTrace) -> None:
    """Draw a line that goes through the lowest and the highest value of each pixel."""
    if np.array_equal(trace.low, trace.high):
        curve.setData(trace.time, trace.high)
        return
    time = np.repeat(trace.time, 2)
    values = np.empty(len(time))
    values[0::2], values[1::2] = trace.low, trace.high
    curve.setData(time, values)


def mark_pauses(curve: Any, pauses: Pauses, generation: int, top: float) -> None:
    """Mark pauses of a generation by upright lines, with a height logarithmic in the length."""
    # Python 3.14 has no generation 1. Any generation above 2 is drawn as 2, a full collection.
    chosen = np.minimum(pauses.generation, 2) == generation
    n_marks = int(chosen.sum())
    time: Float64s = np.repeat(pauses.start_ns[chosen] / (1e9 / UNITS_PER_S), 2)
    longest = np.clip(pauses.longest_ns[chosen], _SHORTEST_NS, _LONGEST_NS)
    share = np.log(longest / _SHORTEST_NS) / np.log(_LONGEST_NS / _SHORTEST_NS)
    heights = np.zeros(2 * n_marks)
    heights[1::2] = (_LOWEST_MARK + (1 - _LOWEST_MARK) * share) * top / HEADROOM
    curve.setData(time, heights)
