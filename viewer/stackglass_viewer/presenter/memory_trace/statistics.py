"""Statistics of a memory trace: read once when the tab opens, off the GUI thread."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.memory_trace.findings import SHORT_NS, list_findings
from stackglass_viewer.model.memory_trace.lanes import list_slices
from stackglass_viewer.model.memory_trace.live_blocks import Moment
from stackglass_viewer.model.memory_trace.site_table import (
    GarbageSite,
    Site,
    list_garbage,
    list_sites,
)
from stackglass_viewer.model.memory_trace.slices import COLLECTION, Slice
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.memory_trace.trace_index import Lifetimes
from stackglass_viewer.model.units import format_count, format_quantity, format_value
from stackglass_viewer.presenter.memory_trace.lane_picture import LaneTable, lay_out_lanes
from stackglass_viewer.presenter.memory_trace.turns import Turns
from stackglass_viewer.presenter.tables.delay_bars import DelayBar, DelayBars
from stackglass_viewer.presenter.worker import Worker


@dataclass(frozen=True, slots=True, eq=False)
class TraceStatistics:
    """The statistics of a whole trace. Immutable."""

    findings: tuple[str, ...]
    lifetimes: DelayBars
    garbage: tuple[GarbageSite, ...]
    survivors: tuple[Site, ...]
    lanes: LaneTable
    collections: str  # a sentence about garbage collections


class Statistics(QObject):
    """Reads the statistics of a trace once. GUI thread."""

    changed = Signal(object)  # TraceStatistics
    failed = Signal(str)

    def __init__(
        self, trace: MemoryTrace, turns: Turns, worker: Worker, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._trace = trace
        self._turns = turns
        self._worker = worker
        self.value: TraceStatistics | None = None  # None = not read yet

    def read(self) -> None:
        """Read the statistics; ``changed`` follows."""
        trace, turns = self._trace, self._turns

        def compute() -> TraceStatistics:
            with turns.ask():
                return read_statistics(trace)

        self._worker.submit("statistics", compute, self._take, self._on_failed)

    def _take(self, value: TraceStatistics) -> None:
        self.value = value
        self.changed.emit(value)

    def _on_failed(self, error: Exception) -> None:
        self.failed.emit(" ".join(str(error).split()))

    def forget(self) -> None:
        """Release the statistics, which are large."""
        self.value = None


def read_statistics(trace: MemoryTrace) -> TraceStatistics:
    """Read the statistics. Any thread."""
    index, names = trace.index, trace.names
    survivors = trace.sum_survivors(Moment(0, index.begin_ns), index.end)
    slices = list_slices(trace)
    return TraceStatistics(
        findings=tuple(list_findings(trace)),
        lifetimes=describe_lifetimes(index.lifetimes),
        garbage=tuple(list_garbage(names, index.sites, SHORT_NS)),
        survivors=tuple(site for site in list_sites(names, survivors) if site.size),
        lanes=lay_out_lanes(slices),
        collections=describe_collections(slices),
    )


def describe_lifetimes(lifetimes: Lifetimes) -> DelayBars:
    """Return a bar for each power of two of lifetimes."""
    counts, sizes = lifetimes.n.tolist(), lifetimes.size.tolist()
    used = [index for index, count in enumerate(counts) if count]
    if not used:
        return DelayBars("Lifetimes", (), "No block was allocated and freed in the trace.")
    most = max(counts)
    bars = tuple(
        DelayBar(
            size=index,
            label=_shorten(_floor(index)),
            count=counts[index],
            value=format_count(counts[index]),
            share=counts[index] / most,
            about=f"{_say(_floor(index))} to {_say(1 << index)}: {format_count(counts[index])} "
            f"blocks, {format_value(sizes[index], 'bytes')}",
        )
        for index in range(used[0], used[-1] + 1)
    )
    n_old = lifetimes.n_born_before
    about = f"{format_count(n_old)} freed blocks are older than the trace." if n_old else ""
    return DelayBars("Lifetimes of freed blocks", bars, about)


def _floor(index: int) -> int:
    """Return the shortest lifetime of a class, in ns; see ``Lifetimes``."""
    return 1 << (index - 1) if index else 0


def _say(ns: int) -> str:
    return format_value(ns, "nanoseconds")


def _shorten(ns: int) -> str:
    """Return a lifetime without decimals, ``17 ms`` for ``16.8 ms``: bars are narrow."""
    number, _, unit = _say(ns).partition(" ")
    return f"{float(number):.0f} {unit}" if number.replace(".", "", 1).isdigit() else _say(ns)


def describe_collections(slices: list[Slice]) -> str:
    """Return ``1 978 garbage collections, 312 ms in all; the longest took 4.20 ms.``."""
    lengths = [each.end_ns - each.begin_ns for each in slices if each.category == COLLECTION]
    if not lengths:
        return "No garbage collection was recorded."
    return (
        f"{format_quantity(len(lengths), 'garbage collection')}, {_say(sum(lengths))} in all; "
        f"the longest took {_say(max(lengths))}."
    )
