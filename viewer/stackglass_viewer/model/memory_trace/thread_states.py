"""States of threads and suspended asyncio tasks over time, from wall samples.

A sample stands for the time since the previous sample. Samples of running threads are dated to
10 ms, or to a second if they are older than 90 s; the oldest have no time and are left out. Waits
are reported together, several times a second, without their order. They fill the gaps between the
running samples, each state with its share of the time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import NamedTuple

import numpy as np

from stackglass.wire.thread_states import RUNNING, SUSPENDED
from stackglass_viewer.model.live.samples import UNIT_NS, Ages, SampleRows
from stackglass_viewer.model.live_profile import WALL, LiveProfile
from stackglass_viewer.model.memory_trace.slices import STATE, TASKS, Slice
from stackglass_viewer.model.profile.label_table import Label

_TASK = "task"
_SECOND = 100  # units of 10 ms


class _Row(NamedTuple):
    """One sample of a thread or a suspended task."""

    tid: int
    end: int  # end of its moment of 10 ms or a second, units of 10 ms
    state: str
    task: str  # name of the suspended task; "" = not known, or a thread
    lasted_ns: int


def list_states(live: LiveProfile) -> Iterator[Slice]:
    """Yield the states of threads and tasks as slices. Neighbouring slices with the same state are
    joined."""
    rows = list(_list_rows(live))
    threads = sorted(row for row in rows if row.state != SUSPENDED)
    for tid, of_thread in groupby(threads, key=lambda row: row.tid):
        yield from _join(_place_thread(tid, list(of_thread)))
    suspended = [row for row in rows if row.state == SUSPENDED]
    suspended.sort(key=lambda row: (row.tid, row.task, row.end))
    for _, of_task in groupby(suspended, key=lambda row: (row.tid, row.task)):
        yield from _join(_place_tasks(of_task))


def _list_rows(live: LiveProfile) -> Iterator[_Row]:
    timed = live.capture_times()
    sets = timed.moment.index_sets(WALL).list_sets()
    for rows in timed.moment.list_rows():
        yield from _read_rows(rows, timed.cpu_ages, sets)
    yield from _read_rows(timed.moment.list_waiting(), timed.wall_ages, sets)


def _read_rows(
    rows: SampleRows, ages: Ages, sets: Mapping[int, tuple[Label, ...]]
) -> Iterator[_Row]:
    """Yield the rows that have a time. ``sets``: the labels of each label set."""
    rows = rows.choose(rows.time >= ages.seconds_from)
    n_units = np.where(rows.time < ages.fine_from, _SECOND, 1)
    columns = (
        rows.tid.tolist(),
        (rows.time + n_units).tolist(),
        n_units.tolist(),
        rows.labels.tolist(),
        rows.count.tolist(),
        rows.cpu_ns.tolist(),
    )
    for tid, end, n, label_set, count, lasted_ns in zip(*columns, strict=True):
        labels = dict(sets.get(label_set, ()))
        state = labels.get(STATE, RUNNING)
        if state != SUSPENDED:
            yield _Row(tid, end, state, "", lasted_ns)
        elif n == 1:  # several tasks of a thread wait in parallel
            yield _Row(tid, end, state, labels.get(_TASK, ""), lasted_ns // max(count, 1))
        else:  # ``count`` counts the tasks' reports in a second, not the tasks
            yield _Row(tid, end, state, labels.get(_TASK, ""), min(lasted_ns, n * UNIT_NS))


def _place_thread(tid: int, rows: list[_Row]) -> Iterator[Slice]:
    """Yield the slices of one thread; none overlap."""
    runs = _list_runs([row for row in rows if row.state == RUNNING])
    free_ns = 0
    waits = groupby((row for row in rows if row.state != RUNNING), key=lambda row: row.end)
    for end, group in waits:
        sums: dict[str, int] = {}
        for row in group:
            sums[row.state] = sums.get(row.state, 0) + max(row.lasted_ns, 0)
        end_ns = end * UNIT_NS
        own = []
        while runs and runs[-1].end_ns <= end_ns:
            own.append(runs.pop())
        begin_ns = max(_find_begin(end_ns, own, sum(sums.values())), min(free_ns, end_ns))
        for left_ns, right_ns, state in _fill((begin_ns, end_ns), own, sums):
            yield Slice(tid, max(left_ns, free_ns), right_ns, STATE, state)
        free_ns = end_ns
    for run in reversed(runs):
        yield Slice(tid, max(run.begin_ns, min(free_ns, run.end_ns)), run.end_ns, STATE, RUNNING)


class _Run(NamedTuple):
    """A span of time in which a thread was running."""

    begin_ns: int
    end_ns: int


def _list_runs(rows: list[_Row]) -> list[_Run]:
    """Return the spans in which a thread was running, the last span first; none overlap."""
    runs: list[_Run] = []
    free_ns = 0
    for end, group in groupby(rows, key=lambda row: row.end):  # one row for each stack
        end_ns = end * UNIT_NS
        lasted_ns = sum(max(row.lasted_ns, 0) for row in group)
        begin_ns = max(end_ns - lasted_ns, min(free_ns, end_ns))
        if begin_ns < end_ns:
            runs.append(_Run(begin_ns, end_ns))
        free_ns = end_ns
    return runs[::-1]


def _find_begin(end_ns: int, runs: list[_Run], waited_ns: int) -> int:
    """Return the begin of a wait of ``waited_ns`` that ended at ``end_ns``, if the thread did not
    wait during ``runs``."""
    for run in reversed(runs):
        gap_ns = end_ns - run.end_ns
        if waited_ns <= gap_ns:
            break
        waited_ns -= gap_ns
        end_ns = run.begin_ns
    return end_ns - waited_ns


def _fill(
    span_ns: tuple[int, int], runs: list[_Run], waits: dict[str, int]
) -> list[tuple[int, int, str]]:
    """Return begin, end and state of slices: the runs, and the waits in the gaps between them, each
    state with its share of the gaps. ``waits``: ns by state."""
    at_ns, end_ns = span_ns
    filled, gaps = [], []
    for run in runs:
        if run.begin_ns > at_ns:
            gaps.append((at_ns, run.begin_ns))
        filled.append((run.begin_ns, run.end_ns, RUNNING))
        at_ns = max(at_ns, run.end_ns)
    gaps.append((at_ns, max(at_ns, end_ns)))
    room_ns, whole_ns = sum(end - begin for begin, end in gaps), max(sum(waits.values()), 1)
    used_ns, seen_ns = 0, 0
    gaps.reverse()
    for state, waited_ns in waits.items():
        seen_ns += waited_ns
        left_ns = seen_ns * room_ns // whole_ns - used_ns
        used_ns += left_ns
        while left_ns > 0:
            begin_ns, gap_end_ns = gaps.pop()
            cut_ns = min(begin_ns + left_ns, gap_end_ns)
            filled.append((begin_ns, cut_ns, state))
            left_ns -= cut_ns - begin_ns
            if cut_ns < gap_end_ns:
                gaps.append((cut_ns, gap_end_ns))
    return sorted(each for each in filled if each[0] < each[1])


def _place_tasks(rows: Iterable[_Row]) -> Iterator[Slice]:
    """Yield the slices of the tasks of one name in one thread."""
    free_ns = 0
    for row in rows:
        end_ns = row.end * UNIT_NS
        begin_ns = max(end_ns - max(row.lasted_ns, UNIT_NS), min(free_ns, end_ns))
        if begin_ns < end_ns:
            yield Slice(row.tid, begin_ns, end_ns, TASKS, row.task or "task")
        free_ns = max(free_ns, end_ns)


def _join(slices: Iterable[Slice]) -> Iterator[Slice]:
    """Yield the slices, with neighbours of the same name joined."""
    last: Slice | None = None
    for each in slices:
        if last is not None and last.name == each.name and each.begin_ns <= last.end_ns:
            last = last._replace(end_ns=max(last.end_ns, each.end_ns))
            continue
        if last is not None:
            yield last
        last = each
    if last is not None:
        yield last
