"""Wait rate: seconds waited in each second of a session.

A wait is reported at its end, with its duration. It is drawn over the time that it took::

    reported        ·        ·  ▌ 3 s
    drawn      ────███──────███████──▶ time
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.columns.index import Float64s, freeze
from stackglass_viewer.model.contention.buckets import ContentionColumn
from stackglass_viewer.model.contention.snapshot import ContentionFilter, ContentionMoment

UNITS_PER_S = 100
SHOWN_S = 300

# Kinds with events that are waits of one thread. (A release has the delay of all its waiters.)
_ONE_AT_A_TIME = (ContentionKind.BLOCK, ContentionKind.OTHER)


@dataclass(frozen=True, slots=True, eq=False)
class WaitingSeries:
    """Seconds waited in each second; 1.0 = one thread waits all the time. Immutable."""

    begin_s: int  # since the session's start
    values: Float64s  # (n,)

    @property
    def end_s(self) -> int:
        return self.begin_s + len(self.values)


def sum_waiting(
    moment: ContentionMoment,
    kind: ContentionKind,
    wanted: ContentionFilter,
    until: int | None = None,
) -> WaitingSeries:
    """Return the wait rate of a kind over the last ``SHOWN_S`` seconds of the session, whatever the
    moment's span; or as it was at ``until``, units of 10 ms since the session's start. Any
    thread."""
    mask = moment.choose(kind, wanted)
    end_s = max(-(-(moment.now if until is None else until) // UNITS_PER_S), 1)
    begin_s = max(end_s - SHOWN_S, 0)
    tids = moment.span.tids
    end_parts, length_parts = [], []
    for rows in moment.events:
        is_wanted = mask[rows.bucket]
        if tids is not None:
            is_wanted &= np.isin(rows.tid, np.array(sorted(tids), dtype=np.int32))
        if until is not None:
            is_wanted &= rows.until <= until
        end_parts.append(rows.until[is_wanted] / UNITS_PER_S)
        length_parts.append(rows.values[ContentionColumn.DELAY][is_wanted] / 1e9)
    end = np.concatenate(end_parts) if end_parts else np.zeros(0)
    length = np.concatenate(length_parts) if length_parts else np.zeros(0)
    edges = np.arange(begin_s, end_s + 1, dtype=np.float64)
    if kind in _ONE_AT_A_TIME:
        values = np.diff(_sum_after(edges, end - length) - _sum_after(edges, end))
    else:
        # A wait that ends at a full second belongs to the second before.
        values = np.histogram(np.nextafter(end, 0), bins=edges, weights=length)[0]
    values = np.maximum(values, 0.0)
    freeze(values)
    return WaitingSeries(begin_s, values)


def _sum_after(edges: Float64s, begin: Float64s) -> Float64s:
    """Return for each edge the sum of max(edge - b, 0) over all begins b: (n_edges,) s.

    The sum for begins minus the sum for ends is the time waited before the edge.
    """
    begin = np.sort(begin)
    n_begun = np.searchsorted(begin, edges)
    sums = np.concatenate((np.zeros(1), np.cumsum(begin)))
    return np.asarray(n_begun * edges - sums[n_begun], dtype=np.float64)
