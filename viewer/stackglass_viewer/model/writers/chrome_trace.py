"""Writer of Chrome's trace events as JSON, which Perfetto and chrome://tracing open.

The states of a thread are in a lane of its own. Its other slices are in further lanes, which the
format represents as threads: one for each category, and more if slices overlap without being
nested, as regions of tasks may. A log is an instant event. Counters of memory are lanes of the
process.

Times are in microseconds. Perfetto multiplies a length by 1000 and truncates it, and drops a slice
that ends after the one around it. So a length is the least number that truncates to the right
nanoseconds.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import Any

_PID = 1
_NO_THREAD = 0
_STATE, _LOG = "state", "log"
_FIRST_LANE = 1 << 30  # above the ids of threads


def write_chrome_trace(
    name: str,
    slices: Iterable[tuple[int, int, int, str, str]],
    counters: Iterable[tuple[int, Mapping[str, int]]],
    threads: Mapping[int, str],
) -> bytes:
    """Return the file. ``slices``: thread (0 = none), begin and end in ns, category, name;
    ``counters``: time in ns, and values by name; ``threads``: names of threads by ID."""
    events: list[dict[str, Any]] = [_name("process_name", 0, name)]
    lanes = _Lanes(threads)
    for tid, begin_ns, end_ns, category, what in slices:
        lane = lanes.place(tid, category, begin_ns, end_ns)
        event = {"pid": _PID, "tid": lane, "cat": category, "name": what, "ts": begin_ns / 1e3}
        if category == _LOG:
            events.append({"ph": "i", "s": "t", **event})
        else:
            events.append({"ph": "X", **event, "dur": _to_us(end_ns - begin_ns)})
    for time_ns, values in counters:
        for what, value in values.items():
            event = {"ph": "C", "pid": _PID, "ts": time_ns / 1e3, "name": what}
            events.append({**event, "args": {"value": value}})
    events += lanes.list_names()
    return json.dumps({"displayTimeUnit": "ns", "traceEvents": events}).encode()


class _Lanes:
    """Assigns slices to lanes: in one lane of the format, slices may overlap only by nesting."""

    def __init__(self, threads: Mapping[int, str]) -> None:
        self._threads = threads
        self._ends: dict[tuple[int, str], list[list[int]]] = {}  # of open slices, by lane
        self._numbers: dict[tuple[int, str, int], int] = {}  # of a thread's further lanes

    def place(self, tid: int, category: str, begin_ns: int, end_ns: int) -> int:
        """Return the ID of the lane for a slice. Call it in the order of begins, the longest slice
        first."""
        lanes = self._ends.setdefault((tid, category), [])
        for number, ends in enumerate(lanes):
            while ends and ends[-1] <= begin_ns:
                ends.pop()
            if not ends or end_ns <= ends[-1]:
                ends.append(end_ns)
                return self._name_lane(tid, category, number)
        lanes.append([end_ns])
        return self._name_lane(tid, category, len(lanes) - 1)

    def list_names(self) -> list[dict[str, Any]]:
        """Return the events that name and order all lanes; those of a thread are together."""
        tids = sorted({*self._threads, *(tid for tid, _ in self._ends)})
        events = [_name("thread_name", tid, self._name_thread(tid)) for tid in tids]
        for lane, (tid, category, number) in enumerate(self._numbers, _FIRST_LANE):
            text = f"{self._name_thread(tid)}: {category}{f' {number + 1}' if number else ''}"
            events.append(_name("thread_name", lane, text))
        order = [(tid, "", 0, tid) for tid in tids]
        order += [(*key, lane) for lane, key in enumerate(self._numbers, _FIRST_LANE)]
        for place, (*_, lane) in enumerate(sorted(order)):
            row = {"ph": "M", "pid": _PID, "tid": lane, "name": "thread_sort_index"}
            events.append({**row, "args": {"sort_index": place}})
        return events

    def _name_lane(self, tid: int, category: str, number: int) -> int:
        if category == _STATE and not number:
            return tid
        at = self._numbers.setdefault((tid, category, number), len(self._numbers))
        return _FIRST_LANE + at

    def _name_thread(self, tid: int) -> str:
        return self._threads.get(tid) or ("no thread" if tid == _NO_THREAD else f"thread {tid}")


def _to_us(length_ns: int) -> float:
    length_us = length_ns / 1e3
    while int(length_us * 1e3) < length_ns:
        length_us = math.nextafter(length_us, math.inf)
    return length_us


def _name(kind: str, tid: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "pid": _PID, "tid": tid, "name": kind, "args": {"name": name}}
