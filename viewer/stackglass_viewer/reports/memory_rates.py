"""Allocation rates of a memory trace by type and by line of code, as JSON and as tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.memory_trace.rate_table import (
    RateTable,
    join_spans,
    list_line_rates,
    list_rates,
)
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.units import format_count, format_value
from stackglass_viewer.reports.memory_text import write_table

_CURVE_CELLS = 32
_HEIGHTS = " ▁▂▃▄▅▆▇█"


def describe_rates(trace: MemoryTrace) -> dict[str, Any]:
    """Return for JSON what each span of time allocated, by type and by line of code."""
    types, lines = _list_tables(trace)
    return {
        "span_ns": types.span_ns,
        "n_spans": types.n_spans,
        "types": [
            {"name": row.name, "n_objects": row.n.tolist(), "bytes": row.size.tolist()}
            for row in types.rows
        ],
        "site_span_ns": lines.span_ns,
        "n_site_spans": lines.n_spans,
        "sites": [
            {
                "function": row.name if row.line is None else row.line.function,
                "file": "" if row.line is None else row.line.file,
                "line": 0 if row.line is None else row.line.number,
                "n_objects": row.n.tolist(),
                "bytes": row.size.tolist(),
            }
            for row in lines.rows
        ],
    }


def write_rates(trace: MemoryTrace, n_rows: int) -> Iterator[str]:
    """Return the lines: mean rates, and a curve over time, by type and by line of code. ``n_rows``
    0 = all rows."""
    types, lines = _list_tables(trace)
    yield from _write_table(types, ("by type", "type"), n_rows)
    if lines.rows:
        yield from _write_table(lines, ("by line of code", "allocated by"), n_rows)


def _list_tables(trace: MemoryTrace) -> tuple[RateTable, RateTable]:
    names, index = trace.names, trace.index
    return (
        list_rates(names, index.rates, index.end.time_ns),
        list_line_rates(names, index.line_rates, index.end.time_ns),
    )


def _write_table(table: RateTable, words: tuple[str, str], n_rows: int) -> Iterator[str]:
    by, head = words
    lasted_ns = table.end_ns - table.begin_ns
    yield ""
    yield (
        f"Allocation rate {by}, over {format_value(lasted_ns, 'nanoseconds')}; "
        "each curve up to its own highest rate"
    )
    seconds = table.lasted_s
    rows = [
        (
            f"{format_value(int(row.size.sum()) / seconds, 'bytes')}/s",
            f"{format_count(round(int(row.n.sum()) / seconds))}/s",
            format_value(int(row.size.sum()), "bytes"),
            f"│{_draw_curve(row.size)}│",
            row.name,
        )
        for row in table.rows
    ]
    yield from write_table(("rate", "objects", "bytes", "over time", head), rows, n_rows)


def _draw_curve(size: Int64s) -> str:
    """Return a curve, a character for each piece of time. Only a piece of 0 is blank."""
    pieces = join_spans(size, _CURVE_CELLS).tolist()
    most = max(*pieces, 1)
    return "".join(_HEIGHTS[-(-piece * (len(_HEIGHTS) - 1) // most)] for piece in pieces)
