"""Reports of ``stackglass memory`` on a trace, as values and for JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.memory_trace.findings import SHORT_NS, count_uncertain, list_findings
from stackglass_viewer.model.memory_trace.live_blocks import Moment
from stackglass_viewer.model.memory_trace.site_table import (
    GarbageSite,
    Site,
    TypeRow,
    list_garbage,
    list_sites,
    list_stack,
    list_types,
)
from stackglass_viewer.model.memory_trace.trace import MemoryTrace


@dataclass(frozen=True, slots=True)
class LiveReport:
    """The blocks that lived at a moment, by site and by type. Immutable."""

    title: str
    moment: Moment
    n_objects: int
    total_bytes: int
    n_uncertain: int  # blocks that lost events may have freed
    sites: list[Site]
    types: list[TypeRow]


class LifetimeRow(NamedTuple):
    """Freed blocks of one class of lifetimes: 2^(n-1) to 2^n ns."""

    below_ns: int  # 2^n
    n: int
    size: int


@dataclass(frozen=True, slots=True)
class LifetimeReport:
    """Lifetimes of freed blocks, and sites of short-lived ones. Immutable."""

    n_allocated: int
    n_freed: int
    n_born_before: int  # freed blocks born before the trace: their lifetime is not known
    rows: list[LifetimeRow]
    garbage: list[GarbageSite]


def report_live(trace: MemoryTrace, moment: Moment, title: str) -> LiveReport:
    """Report the blocks that lived at a moment."""
    rows = trace.sum_live(moment)
    return LiveReport(
        title=title,
        moment=moment,
        n_objects=int(rows.n.sum()),
        total_bytes=int(rows.size.sum()),
        n_uncertain=count_uncertain(trace, moment) if trace.index.troubles.n_lost else 0,
        sites=list_sites(trace.names, rows),
        types=list_types(trace.names, rows),
    )


def report_leaks(trace: MemoryTrace) -> LiveReport:
    """Report the blocks that were allocated in the trace and live at its end."""
    end = trace.index.end
    rows = trace.sum_survivors(Moment(0, trace.index.begin_ns), end)
    return LiveReport(
        title="Allocated in the trace and live at its end",
        moment=end,
        n_objects=int(rows.n.sum()),
        total_bytes=int(rows.size.sum()),
        n_uncertain=count_uncertain(trace, end) if trace.index.troubles.n_lost else 0,
        sites=list_sites(trace.names, rows),
        types=list_types(trace.names, rows),
    )


def report_lifetimes(trace: MemoryTrace) -> LifetimeReport:
    """Report how long blocks lived, and which sites allocate short-lived ones."""
    lifetimes, sites = trace.index.lifetimes, trace.index.sites
    classes = np.flatnonzero(lifetimes.n)
    return LifetimeReport(
        n_allocated=int(sites.n.sum()),
        n_freed=int(lifetimes.n.sum()),
        n_born_before=lifetimes.n_born_before,
        rows=[
            LifetimeRow(1 << each, int(lifetimes.n[each]), int(lifetimes.size[each]))
            for each in classes.tolist()
        ],
        garbage=list_garbage(trace.names, sites, SHORT_NS),
    )


def describe_head(trace: MemoryTrace) -> dict[str, Any]:
    """Return the head of every report, for JSON."""
    index, info = trace.index, trace.info
    return {
        "file": trace.name,
        "program": info.program or None,
        "runtime": info.runtime,
        "time_unix_ns": info.begin_unix_ns or None,
        "duration_ns": index.end.time_ns - index.begin_ns,
        "n_events": index.end.event,
        "is_whole": info.is_whole,
        "peak": {
            "time_ns": index.peak.time_ns - index.begin_ns,
            "event": index.peak.event,
            "bytes": index.peak_bytes,
        },
        "n_hidden": info.hidden_blocks,
        "n_lost": index.troubles.n_lost,
        "n_unknown_frees": index.troubles.n_unknown_frees,
        "findings": list_findings(trace),
        "warnings": list(trace.warnings),
    }


def describe_live(trace: MemoryTrace, report: LiveReport) -> dict[str, Any]:
    """Return the report for JSON: exact numbers, all rows, with stacks."""
    return {
        "title": report.title,
        "time_ns": report.moment.time_ns - trace.index.begin_ns,
        "n_objects": report.n_objects,
        "bytes": report.total_bytes,
        "n_uncertain": report.n_uncertain,
        "sites": [
            {
                **_describe_line(site.line),
                **{"n_objects": site.n, "bytes": site.size, "type": site.type_name or None},
                "stack": [_describe_line(line) for line in list_stack(trace.names, site.stack)],
            }
            for site in report.sites
        ],
        "types": [
            {"name": row.name, "n_objects": row.n, "bytes": row.size} for row in report.types
        ],
    }


def describe_lifetimes(report: LifetimeReport) -> dict[str, Any]:
    """Return the report for JSON."""
    return {
        "n_allocated": report.n_allocated,
        "n_freed": report.n_freed,
        "n_born_before": report.n_born_before,
        "lifetimes": [
            {"below_ns": row.below_ns, "n_objects": row.n, "bytes": row.size} for row in report.rows
        ],
        "short_ns": SHORT_NS,
        "short_lived": [
            {
                **_describe_line(row.line),
                **{"n_objects": row.n, "bytes": row.size},
                **{"n_short": row.n_short, "bytes_short": row.bytes_short},
            }
            for row in report.garbage
        ],
    }


def _describe_line(line: LineName) -> dict[str, Any]:
    return {"function": line.function, "file": line.file, "line": line.number}
