"""Kinds of calls: what a thread did for most of each call, as the legend of a chart names it."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.chart.stretches import Stretches
from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, freeze

_PIECE = 1 << 18  # calls measured at once: a chart has up to three million, each takes 80 bytes


def find_call_kinds(
    stretches: Stretches, lane: int, call_begin: Int64s, call_end: Int64s
) -> Int32s:
    """Return (n_calls,) the kind of stretch that covers most of each call; -1 = those without a
    kind cover most of it. Times in ns. Makes one pass over the calls per kind. Any thread."""
    rows = stretches.slice_lane(lane)
    begin, end, kind = stretches.begin_ns[rows], stretches.find_ends(rows), stretches.kind[rows]
    main = np.full(len(call_begin), -1, dtype=np.int32)
    kinds = np.unique(kind[kind >= 0]).tolist()
    before = {each: _sum_before(kind == each, begin, end) for each in kinds}
    unknown = _sum_before(kind < 0, begin, end)
    for first in range(0, len(main) if kinds else 0, _PIECE):
        piece = slice(first, first + _PIECE)
        edges = _Edges(begin, end, call_begin[piece]), _Edges(begin, end, call_end[piece])
        most = _measure(kind < 0, unknown, edges)
        for each in kinds:
            covered = _measure(kind == each, before[each], edges)
            main[piece][covered > most] = each
            most = np.maximum(most, covered)
    freeze(main)
    return main


class _Edges:
    """Moments, each with the rows that have begun by then."""

    def __init__(self, begin: Int64s, end: Int64s, moments: Int64s) -> None:
        self.n_begun = np.searchsorted(begin, moments, side="right")
        self.last = np.maximum(self.n_begun - 1, 0)
        self.open_ns = np.where(self.n_begun > 0, np.maximum(end[self.last] - moments, 0), 0)
        """Of the row that is there at the moment, the part after it."""


def _sum_before(is_kind: Bools, begin: Int64s, end: Int64s) -> Int64s:
    """Return (n_rows + 1,) ns, the time that rows of a kind cover before each row."""
    before = np.zeros(len(begin) + 1, dtype=np.int64)
    np.cumsum(np.where(is_kind, end - begin, 0), out=before[1:])
    return before


def _measure(is_kind: Bools, before: Int64s, edges: tuple[_Edges, _Edges]) -> Int64s:
    """Return (n_calls,) ns, the time that rows of a kind cover between the edges."""
    left, right = (before[at.n_begun] - at.open_ns * is_kind[at.last] for at in edges)
    covered: Int64s = right - left
    return covered
