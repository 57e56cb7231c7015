"""Lanes of the timeline: related metrics as lines or stacked layers, thinned to the pixels.

::

    threads   ▒ running ▒ for the GIL ▒ for a lock ▒ in a system call    stacked layers
    tasks     ▒ running ▒ ready ▒ suspended                              stacked layers
    waits     ─ for the GIL ─ for a processor ─ for locks ┄ as sampled   lines: number of threads
    queue     ─ mean wait for a processor per turn                       ns
    collections  ▒ generation 0 ▒ 1 ▒ 2                                  stacked, a second
    pauses    ▒ generation 0 ▒ 1 ▒ 2                                     stacked, % of the time
    arenas    ─ of Python's own allocator
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, freeze
from stackglass_viewer.model.live.samples import UNIT_NS
from stackglass_viewer.model.metrics.history import N_GENERATIONS, MetricsRecord
from stackglass_viewer.model.metrics.sums import Sums, average

LaneKey = Literal["threads", "tasks", "waits", "queue", "collections", "pauses", "arenas"]
Unit = Literal["threads", "tasks", "nanoseconds", "per second", "percent", "arenas"]


@dataclass(frozen=True, slots=True, eq=False)
class LaneTrace:
    """One line, or one of the stacked layers."""

    key: str
    time: Float64s  # (n,) units of 10 ms since the session's start, ascending
    value: Float64s  # (n,) in the unit of the lane
    top: Float64s  # (n,) the value plus those of all layers below


@dataclass(frozen=True, slots=True, eq=False)
class LanePicture:
    """A lane drawn for a span."""

    key: LaneKey
    unit: Unit
    is_stacked: bool
    traces: tuple[LaneTrace, ...]  # the lowest layer first
    note: str = ""  # what is missing

    @property
    def highest(self) -> float:
        return max((float(each.top.max()) for each in self.traces if len(each.top)), default=0.0)

    @property
    def is_empty(self) -> bool:
        return not any(len(each.time) for each in self.traces)


_THREADS = (("running", 1), ("gil", 2), ("lock", 3), ("call", 4), ("unknown", 0))
_TASKS = (("running", 0), ("ready", 1), ("suspended", 2))
_GENERATIONS = (("0", 0), ("1", 1), ("2", 2))
_NS_PER_S = 1e9

NO_LOCK_WAITS = "No lock waits recorded."
"""The note of a session that has never recorded locks."""


def draw_lane(
    record: MetricsRecord, key: LaneKey, left: float, right: float, n_px: int
) -> LanePicture:
    """Draw the span from ``left`` to ``right``, in units, for ``n_px`` pixels. Any thread."""
    return _DRAW[key](record, left * UNIT_NS, right * UNIT_NS, n_px)


def read_lane(picture: LanePicture, time: float) -> dict[str, float]:
    """Return for each line the value nearest to ``time``, in units; lines without values are left
    out."""
    found = {}
    for trace in picture.traces:
        if len(trace.time):
            at = int(np.searchsorted(trace.time, time))
            near = slice(max(at - 1, 0), at + 1)
            nearest = int(np.argmin(np.abs(trace.time[near] - time)))
            found[trace.key] = float(trace.value[near][nearest])
    return found


def _draw_threads(record: MetricsRecord, left: float, right: float, n_px: int) -> LanePicture:
    time, values = average(record.threads, left, right, n_px)
    return LanePicture("threads", "threads", True, _stack(_THREADS, time, values))


def _draw_tasks(record: MetricsRecord, left: float, right: float, n_px: int) -> LanePicture:
    time, values = average(record.tasks, left, right, n_px)
    note = "" if record.are_tasks_whole else "There are too many tasks to count all."
    return LanePicture("tasks", "tasks", True, _stack(_TASKS, time, values), note)


def _draw_waits(record: MetricsRecord, left: float, right: float, n_px: int) -> LanePicture:
    sources = (
        ("gil", record.threads, 2),
        ("processor", record.queue, 0),
        ("locks", record.locks, 0),
        ("sampled", record.locks, 1),
    )
    traces = tuple(_draw_line(key, sums, row, (left, right), n_px) for key, sums, row in sources)
    note = "" if len(record.locks.time_ns) else NO_LOCK_WAITS
    return LanePicture("waits", "threads", False, traces, note)


def _draw_queue(record: MetricsRecord, left: float, right: float, n_px: int) -> LanePicture:
    time, (waited, turns) = average(record.queue, left, right, n_px)
    is_known = turns > 0
    return LanePicture(
        "queue",
        "nanoseconds",
        False,
        (_make_trace("turn", time[is_known], waited[is_known] / turns[is_known]),),
    )


def _draw_collections(record: MetricsRecord, left: float, right: float, n_px: int) -> LanePicture:
    time, values = average(record.collector, left, right, n_px)
    traces = _stack(_GENERATIONS, time, values[:N_GENERATIONS] * _NS_PER_S)
    return LanePicture("collections", "per second", True, traces, _find_unseen(record))


def _draw_pauses(record: MetricsRecord, left: float, right: float, n_px: int) -> LanePicture:
    time, values = average(record.collector, left, right, n_px)
    traces = _stack(_GENERATIONS, time, values[N_GENERATIONS:] * 100)
    return LanePicture("pauses", "percent", True, traces, _find_unseen(record))


def _find_unseen(record: MetricsRecord) -> str:
    """Return a note if the engine sends other metrics but no collections; "" = it sends all."""
    is_unseen = len(record.tasks.time_ns) > 1 and not len(record.collector.time_ns)
    return "The collections of this process cannot be seen." if is_unseen else ""


def _draw_arenas(record: MetricsRecord, left: float, right: float, n_px: int) -> LanePicture:
    """Draw the number of arenas as steps: a number holds until the next one."""
    time_ns, n_arenas = record.arena_time_ns, record.n_arenas
    end_ns = max(record.now * UNIT_NS, int(time_ns.max(initial=0)))
    until_ns = np.append(time_ns, end_ns)[1:]
    is_shown = (n_arenas >= 0) & (until_ns >= left) & (time_ns <= right)
    time = np.stack((time_ns[is_shown], until_ns[is_shown]), axis=1).reshape(-1)
    value = np.repeat(n_arenas[is_shown], 2).astype(np.float64)
    is_unknown = bool(len(n_arenas)) and bool(n_arenas[-1] < 0)
    note = "Number of arenas: not known, or too large to count quickly." if is_unknown else ""
    trace = _make_trace("arenas", time.astype(np.float64), value)
    return LanePicture("arenas", "arenas", False, (trace,), note)


def _draw_line(
    key: str, sums: Sums, row: int, span_ns: tuple[float, float], n_px: int
) -> LaneTrace:
    time, values = average(sums, *span_ns, n_px)
    return _make_trace(key, time, values[row])


def _stack(
    layers: tuple[tuple[str, int], ...], time: Float64s, values: Float64s
) -> tuple[LaneTrace, ...]:
    top = np.zeros(len(time))
    traces = []
    for key, row in layers:
        top = top + values[row]
        traces.append(_make_trace(key, time, values[row], top))
    return tuple(traces)


def _make_trace(
    key: str, time_ns: Float64s, value: Float64s, top: Float64s | None = None
) -> LaneTrace:
    time: Float64s = time_ns / UNIT_NS
    top = value if top is None else top
    freeze(time, value, top)
    return LaneTrace(key, time, value, top)


_DRAW: dict[LaneKey, Callable[[MetricsRecord, float, float, int], LanePicture]] = {
    "threads": _draw_threads,
    "tasks": _draw_tasks,
    "waits": _draw_waits,
    "queue": _draw_queue,
    "collections": _draw_collections,
    "pauses": _draw_pauses,
    "arenas": _draw_arenas,
}
