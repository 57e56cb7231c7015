"""Text of ``stackglass memory``: findings first, then tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stackglass_viewer.model.memory_trace.findings import SHORT_NS, list_findings, show_line
from stackglass_viewer.model.memory_trace.site_table import list_stack
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.memory_trace.trace_profiles import show_time
from stackglass_viewer.model.units import format_count, format_share, format_value, make_printable
from stackglass_viewer.reports.memory_report import LifetimeReport, LifetimeRow, LiveReport

_MOST_STACKS = 3
_MOST_FRAMES = 12
_BAR_CELLS = 40
_STAMP_NS = 1 << 10


def write_head(trace: MemoryTrace) -> Iterator[str]:
    """Return the lines about the file, its findings and warnings."""
    info, index = trace.info, trace.index
    lasted = format_value(index.end.time_ns - index.begin_ns, "nanoseconds")
    program = f", {info.program}" if info.program else ""
    yield f"{trace.name}: {info.runtime}{program}, {lasted}, {format_count(index.end.event)} events"
    yield from list_findings(trace)
    for warning in trace.warnings:
        yield f"Note: {warning}."


def write_live(trace: MemoryTrace, report: LiveReport, n_rows: int) -> Iterator[str]:
    """Return the lines about sites, with the stacks of the largest. ``n_rows`` 0 = all rows."""
    yield ""
    yield (
        f"{report.title}, {show_time(trace, report.moment)}: "
        f"{format_value(report.total_bytes, 'bytes')} in {format_count(report.n_objects)} objects"
    )
    if report.n_uncertain:
        n = format_count(report.n_uncertain)
        yield f"{n} of them may have been freed by events that were lost"
    rows = [
        (
            format_value(site.size, "bytes"),
            format_share(site.size / report.total_bytes if report.total_bytes else 0.0),
            f"{format_count(site.n)}",
            show_line(site.line),
            site.type_name if site.type_name != site.line.function else "",
        )
        for site in report.sites
    ]
    yield from write_table(
        ("bytes", "share", "objects", "allocated by", "mostly of type"), rows, n_rows
    )
    shown = 0
    for site in report.sites:
        lines = list_stack(trace.names, site.stack)
        if len(lines) < 2 or shown == _MOST_STACKS:
            continue
        shown += 1
        yield ""
        yield f"{format_value(site.size, 'bytes')} by {show_line(lines[0])}, most of it called by"
        yield from (f"    {show_line(line)}" for line in lines[1 : 1 + _MOST_FRAMES])
        if len(lines) > 1 + _MOST_FRAMES:
            yield f"    … {len(lines) - 1 - _MOST_FRAMES} more"


def write_types(trace: MemoryTrace, report: LiveReport, n_rows: int) -> Iterator[str]:
    """Return the lines about types. ``n_rows`` 0 = all rows."""
    yield ""
    yield f"{report.title}, {show_time(trace, report.moment)}, by type"
    rows = [
        (
            format_value(row.size, "bytes"),
            format_share(row.size / report.total_bytes if report.total_bytes else 0.0),
            f"{format_count(row.n)}",
            row.name,
        )
        for row in report.types
    ]
    yield from write_table(("bytes", "share", "objects", "type"), rows, n_rows)


def write_lifetimes(report: LifetimeReport, n_rows: int) -> Iterator[str]:
    """Return the lines about lifetimes and sites of short-lived blocks. ``n_rows`` 0 = all rows."""
    yield ""
    n_freed, n_allocated = format_count(report.n_freed), format_count(report.n_allocated)
    yield f"Lifetimes of {n_freed} freed blocks, of {n_allocated} allocated"
    if report.n_born_before:
        n = format_count(report.n_born_before)
        yield f"{n} more were born before the trace: lifetime unknown"
    shown = _join_shortest(report.rows)
    most = max((row.n for row in shown), default=1)
    rows = [
        (
            f"< {format_value(row.below_ns, 'nanoseconds')}",
            f"{format_count(row.n)}",
            format_value(row.size, "bytes"),
            "█" * max(round(_BAR_CELLS * row.n / most), 1),
        )
        for row in shown
    ]
    yield from write_table(("lived", "objects", "bytes", ""), rows, 0)
    yield ""
    yield f"Allocations that lived less than {format_value(SHORT_NS, 'nanoseconds')}"
    short = [
        (
            f"{format_count(row.n_short)}",
            format_share(row.n_short / row.n if row.n else 0.0),
            format_value(row.bytes_short, "bytes"),
            show_line(row.line),
        )
        for row in report.garbage
        if row.n_short
    ]
    yield from write_table(("objects", "of its own", "bytes", "allocated by"), short, n_rows)


def _join_shortest(rows: list[LifetimeRow]) -> list[LifetimeRow]:
    """Join the classes below a microsecond: several events share one time stamp."""
    short = [row for row in rows if row.below_ns <= _STAMP_NS]
    if not short:
        return rows
    n, size = (sum(row[column] for row in short) for column in (1, 2))
    return [LifetimeRow(_STAMP_NS, n, size), *rows[len(short) :]]


def write_table(heads: Sequence[str], rows: Sequence[Sequence[str]], n_rows: int) -> Iterator[str]:
    """Return the lines of a table. The first three columns are aligned right, others left.
    ``n_rows`` 0 or below it = all rows."""
    shown = rows[:n_rows] if n_rows > 0 else rows
    cells = [[make_printable(cell) for cell in row] for row in (heads, *shown)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(heads))]
    for row in cells:
        parts = [
            cell.rjust(width) if column < 3 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        yield "  ".join(parts).rstrip()
    if len(shown) < len(rows):
        yield f"… {format_count(len(rows) - len(shown))} more rows; -n 0 prints all"
