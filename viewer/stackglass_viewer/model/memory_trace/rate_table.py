"""Allocation rates over the time of a trace, by type or by line of code."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.memory_trace.findings import show_line
from stackglass_viewer.model.memory_trace.profiles import UNKNOWN
from stackglass_viewer.model.memory_trace.site_table import name_location
from stackglass_viewer.model.memory_trace.source import TraceNames
from stackglass_viewer.model.memory_trace.trace_index import NO_LINE, LineRates, TypeRates

NO_STACK = "<no stack>"
OTHERS = "<others>"


class RateRow(NamedTuple):
    """Allocations of one type, or of one line."""

    name: str
    n: Int64s  # (n_spans,) blocks
    size: Int64s  # (n_spans,) bytes
    line: LineName | None = None  # None = the row is a type, or allocations without a line


class RateTable(NamedTuple):
    """Allocations by type or line, and time."""

    begin_ns: int
    end_ns: int  # end of the trace
    span_ns: int  # length of each span; the last one may reach past the end of the trace
    n_spans: int
    rows: list[RateRow]  # most bytes first

    @property
    def lasted_s(self) -> float:
        """The length of the trace, by which means per second are computed."""
        return max(self.end_ns - self.begin_ns, 1) / 1e9


def list_rates(names: TraceNames, rates: TypeRates, end_ns: int) -> RateTable:
    """Return the rates by type. Spans after ``end_ns``, the end of the trace, are left out."""
    rows = [
        RateRow(names.name_type(type_id) or UNKNOWN, n, size)
        for type_id, n, size in zip(rates.type.tolist(), rates.n, rates.size, strict=True)
    ]
    return _make_table(rates.edges_ns, rows, end_ns)


def list_line_rates(names: TraceNames, rates: LineRates, end_ns: int) -> RateTable:
    """Return the rates by line of code; no rows for a trace without stacks."""
    rows = [
        _name_row(names, location, n, size)
        for location, n, size in zip(rates.location.tolist(), rates.n, rates.size, strict=True)
    ]
    return _make_table(rates.edges_ns, rows, end_ns)


def _name_row(names: TraceNames, location: int, n: Int64s, size: Int64s) -> RateRow:
    if location < 0:
        return RateRow(NO_STACK if location == NO_LINE else OTHERS, n, size)
    line = name_location(names, location)
    return RateRow(show_line(line), n, size, line)


def _make_table(edges_ns: Int64s, rows: list[RateRow], end_ns: int) -> RateTable:
    begin_ns, next_ns = edges_ns[:2].tolist()
    span_ns = next_ns - begin_ns
    n_spans = min(max(end_ns - begin_ns, 0) // span_ns + 1, len(edges_ns) - 1)
    cut = [row._replace(n=row.n[:n_spans], size=row.size[:n_spans]) for row in rows]
    cut.sort(key=lambda row: (-int(row.size.sum()), row.name))
    return RateTable(begin_ns, end_ns, span_ns, n_spans, cut)


def join_spans(values: Int64s, most: int) -> Int64s:
    """Sum neighbouring spans so that at most ``most`` are left: (n_spans,) to (n_joined,)."""
    n_in_one = -(-len(values) // most)
    return np.add.reduceat(values, np.arange(0, len(values), n_in_one))
