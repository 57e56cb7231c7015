"""Allocation-rate chart: stacked bars over the visible time, one part for each large group.

The trace's index divides time into spans of equal length. A bar joins a power of two of them,
enough for its least width. Its numbers are sums of the table's, so they stay the same while the
picture moves.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int64s, freeze
from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.memory_trace.heap_map import MapWindow
from stackglass_viewer.model.memory_trace.rate_table import RateTable
from stackglass_viewer.model.memory_trace.trace_profiles import say_time
from stackglass_viewer.model.units import format_count, format_quantity, format_share, format_value
from stackglass_viewer.presenter.memory_trace.map_groups import Colouring, Group
from stackglass_viewer.presenter.memory_trace.map_picture import MapLegend, MapLegendEntry
from stackglass_viewer.presenter.memory_trace.rate_groups import (
    choose_colours,
    choose_others_colour,
    name_group,
)

MOST_GROUPS = 8
_BAR_PX = 3  # the least width of a bar


class RateMeasure(Enum):
    """What a rate counts."""

    BYTES = "bytes"
    OBJECTS = "objects"


class RateWish(NamedTuple):
    """What a chart is to show."""

    grouping: Colouring  # TYPE or SITE
    measure: RateMeasure
    chosen: str = ""  # the highlighted group; "" = none


@dataclass(frozen=True, slots=True, eq=False)
class RateChart:
    """Bars from left to right; the first group is the lowest. Immutable."""

    wish: RateWish
    begin_ns: int  # start of the trace
    edges_ns: Int64s  # (n_bars + 1,)
    n: Int64s  # (n_groups, n_bars) objects
    size: Int64s  # (n_groups, n_bars) bytes
    legend: MapLegend  # an entry for each group

    @property
    def n_bars(self) -> int:
        return len(self.edges_ns) - 1

    @property
    def values(self) -> Int64s:
        """(n_groups, n_bars) bytes or objects, as ``wish.measure`` says."""
        return self.size if self.wish.measure is RateMeasure.BYTES else self.n

    @property
    def per_second(self) -> Float64s:
        """(n_groups, n_bars) bytes or objects per second."""
        return self.values / np.maximum(np.diff(self.edges_ns), 1) * 1e9

    @property
    def top(self) -> float:
        """The height of the highest bar, per second."""
        return float(self.per_second.sum(axis=0).max()) if self.n_bars else 0.0


def draw_rates(
    table: RateTable, wish: RateWish, window: MapWindow, width_px: int, palette: Palette
) -> RateChart:
    """Return the bars that overlap a window. Any thread."""
    first, end, joined = _choose_bars(table, window, width_px)
    starts = np.arange(first, end, joined)
    edges = table.begin_ns + table.span_ns * np.append(starts, end).astype(np.int64)
    rows = table.rows
    n, size = (
        np.array([getattr(row, name)[first:end] for row in rows], dtype=np.int64).reshape(
            len(rows), end - first
        )
        for name in ("n", "size")
    )
    n, size = (np.add.reduceat(values, starts - first, axis=1) for values in (n, size))
    counted = (size if wish.measure is RateMeasure.BYTES else n).sum(axis=1)
    order = np.argsort(-counted, kind="stable")
    listed = order[:MOST_GROUPS]
    listed = listed[(counted[listed] > 0) | (n[listed].sum(axis=1) > 0)]
    rest = np.setdiff1d(order, listed)
    rest = rest[n[rest].sum(axis=1) > 0]
    colours = choose_colours(listed.tolist(), [row.name for row in rows], palette)
    groups = [name_group(rows[at]) for at in listed.tolist()]
    n, size = _gather(n, listed, rest), _gather(size, listed, rest)
    if len(rest):
        groups.append(Group("others", f"{format_count(len(rest))} others, each with less"))
        colours.append(choose_others_colour(palette))
    total = max(int(counted.sum()), 1)
    shares = (size if wish.measure is RateMeasure.BYTES else n).sum(axis=1) / total
    entries = tuple(map(MapLegendEntry, groups, colours, shares.tolist()))
    freeze(edges, n, size)
    legend = MapLegend(wish.grouping, entries, 0, 0.0, wish.chosen)
    return RateChart(wish, table.begin_ns, edges, n, size, legend)


def _choose_bars(table: RateTable, window: MapWindow, width_px: int) -> tuple[int, int, int]:
    """Return the first span, the span after the last, and the number of spans in a bar.

    That number is a power of two, and bars begin at multiples of it.
    """
    first = min(max((window.begin_ns - table.begin_ns) // table.span_ns, 0), table.n_spans - 1)
    end = -(-(window.end_ns - table.begin_ns) // table.span_ns)
    end = min(max(end, first + 1), table.n_spans)
    per_px = (window.end_ns - window.begin_ns) / max(width_px, 1)
    joined = 1
    while table.span_ns * joined < _BAR_PX * per_px and joined < table.n_spans:
        joined *= 2
    first -= first % joined
    return first, min(-(-end // joined) * joined, table.n_spans), joined


def _gather(values: Int64s, listed: Int64s, rest: Int64s) -> Int64s:
    others = [values[rest].sum(axis=0, keepdims=True)] if len(rest) else []
    return np.concatenate((values[listed], *others))


def find_bar(chart: RateChart, time_ns: int) -> int:
    """Return the bar at a time; -1 = there is none."""
    bar = int(np.searchsorted(chart.edges_ns, time_ns, side="right")) - 1
    return bar if 0 <= bar < chart.n_bars else -1


def find_group(chart: RateChart, bar: int, per_second: float) -> int:
    """Return the group at a height of a bar; -1 = the height is above the bar."""
    tops = np.cumsum(chart.per_second[:, bar])
    group = int(np.searchsorted(tops, per_second, side="right"))
    return group if group < len(tops) else -1


def name_bar(chart: RateChart, bar: int) -> str:
    """Return the time of a bar since the trace began: ``2.500000 s to 2.750000 s``."""
    begin, end = (int(each) - chart.begin_ns for each in chart.edges_ns[bar : bar + 2])
    return f"{say_time(begin)} to {say_time(end)}"


def describe_bar(chart: RateChart, bar: int, group: int = -1) -> str:
    """Return the rates of a bar, or of one group in it (``group`` >= 0): ``12.0 MiB/s, 4 000
    objects/s: 3.00 MiB in 1 000 objects``."""
    rows = slice(None) if group < 0 else slice(group, group + 1)
    size, n = (int(values[rows, bar].sum()) for values in (chart.size, chart.n))
    seconds = max(int(chart.edges_ns[bar + 1] - chart.edges_ns[bar]), 1) / 1e9
    return (
        f"{format_value(size / seconds, 'bytes')}/s, {format_count(round(n / seconds))} objects/s: "
        f"{format_value(size, 'bytes')} in {format_quantity(n, 'object')}"
    )


def find_largest_group(chart: RateChart, bar: int) -> int:
    """Return the largest group of a bar; -1 = nothing was allocated."""
    values = chart.values[:, bar]
    return int(np.argmax(values)) if len(values) and values.max() > 0 else -1


def describe_group(chart: RateChart, bar: int, group: int) -> str:
    """Return a group and its share of a bar: ``dict, 61.2%``."""
    values = chart.values[:, bar]
    entry = chart.legend.entries[group].group
    return f"{entry.about or entry.text}, {format_share(values[group] / max(values.sum(), 1))}"
