"""Allocation rates of a memory trace by type, as JSON and as a table."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.memory_trace.rate_table import join_spans, list_rates
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.units import format_value
from stackglass_viewer.reports.memory_text import write_table

_CURVE_CELLS = 32
_HEIGHTS = " ▁▂▃▄▅▆▇█"


def describe_rates(trace: MemoryTrace) -> dict[str, Any]:
    """For JSON: what each span of time allocated, of each type."""
    table = list_rates(trace.names, trace.index.rates, trace.index.end.time_ns)
    return {
        "span_ns": table.span_ns,
        "n_spans": table.n_spans,
        "types": [
            {"name": row.name, "n_objects": row.n.tolist(), "bytes": row.size.tolist()}
            for row in table.rows
        ],
    }


def write_rates(trace: MemoryTrace, n_rows: int) -> Iterator[str]:
    """Mean rates by type, with a curve of bytes over time. ``n_rows`` 0 = all."""
    table = list_rates(trace.names, trace.index.rates, trace.index.end.time_ns)
    lasted_ns = trace.index.end.time_ns - table.begin_ns
    yield ""
    yield (
        f"Allocation rate by type, over {format_value(lasted_ns, 'nanoseconds')}; "
        "each curve up to its own highest rate"
    )
    seconds = max(lasted_ns, 1) / 1e9
    rows = [
        (
            f"{format_value(int(row.size.sum()) / seconds, 'bytes')}/s",
            f"{int(row.n.sum()) / seconds:,.0f}/s",
            format_value(int(row.size.sum()), "bytes"),
            f"│{_draw_curve(row.size)}│",
            row.name,
        )
        for row in table.rows
    ]
    yield from write_table(("rate", "objects", "bytes", "over time", "type"), rows, n_rows)


def _draw_curve(size: Int64s) -> str:
    """A character for each piece of time; what is not zero is never blank."""
    pieces = join_spans(size, _CURVE_CELLS).tolist()
    most = max(*pieces, 1)
    return "".join(_HEIGHTS[-(-piece * (len(_HEIGHTS) - 1) // most)] for piece in pieces)
