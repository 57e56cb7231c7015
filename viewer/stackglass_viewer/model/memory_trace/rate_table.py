"""Allocation rate of each type over the time of a trace."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.memory_trace.profiles import UNKNOWN
from stackglass_viewer.model.memory_trace.source import TraceNames
from stackglass_viewer.model.memory_trace.trace_index import TypeRates


class RateRow(NamedTuple):
    """Allocations of one type. Spans of time are those of the table."""

    name: str
    n: Int64s  # (n_spans,) blocks
    size: Int64s  # (n_spans,) bytes


class RateTable(NamedTuple):
    """Allocations by type and time."""

    begin_ns: int
    span_ns: int  # of each span; the last one may reach past the end of the trace
    n_spans: int
    rows: list[RateRow]  # most bytes first


def list_rates(names: TraceNames, rates: TypeRates, end_ns: int) -> RateTable:
    """The types of a trace that ends at ``end_ns``; spans after its end are left out."""
    begin_ns, next_ns = rates.edges_ns[:2].tolist()
    span_ns = next_ns - begin_ns
    n_spans = min(max(end_ns - begin_ns, 0) // span_ns + 1, rates.n.shape[1])
    rows = [
        RateRow(names.name_type(type_id) or UNKNOWN, n[:n_spans], size[:n_spans])
        for type_id, n, size in zip(rates.type.tolist(), rates.n, rates.size, strict=True)
    ]
    rows.sort(key=lambda row: (-int(row.size.sum()), row.name))
    return RateTable(begin_ns, span_ns, n_spans, rows)


def join_spans(values: Int64s, most: int) -> Int64s:
    """Sums of neighbouring spans, at most ``most`` of them; each value is in one sum."""
    each = -(-len(values) // most)
    return np.add.reduceat(values, np.arange(0, len(values), each))
