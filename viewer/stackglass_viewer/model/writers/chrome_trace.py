"""Chrome's trace events as JSON, which Perfetto and chrome://tracing open.

A process of its own holds each lane: a thread with what it did, and counters of memory.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

_PID = 1
_NO_THREAD = 0


def write_chrome_trace(
    name: str,
    slices: Iterable[tuple[int, int, int, str, str]],
    counters: Iterable[tuple[int, Mapping[str, int]]],
    threads: Mapping[int, str],
) -> bytes:
    """A file. ``slices``: thread (0 = of none), begin and end in ns, category, name; ``counters``:
    time in ns, and values by name; ``threads``: names of threads by id."""
    events: list[dict[str, Any]] = [_name("process_name", 0, name)]
    tids = set(threads)
    for tid, begin_ns, end_ns, category, what in slices:
        tids.add(tid)
        events.append(
            {
                **{"ph": "X", "pid": _PID, "tid": tid, "cat": category, "name": what},
                **{"ts": begin_ns / 1e3, "dur": (end_ns - begin_ns) / 1e3},
            }
        )
    for time_ns, values in counters:
        for what, value in values.items():
            events.append(
                {
                    **{"ph": "C", "pid": _PID, "ts": time_ns / 1e3, "name": what},
                    "args": {"value": value},
                }
            )
    for tid in sorted(tids):
        known = threads.get(tid) or ("no thread" if tid == _NO_THREAD else f"thread {tid}")
        events.append(_name("thread_name", tid, known))
    return json.dumps({"displayTimeUnit": "ns", "traceEvents": events}).encode()


def _name(kind: str, tid: int, name: str) -> dict[str, Any]:
    return {"ph": "M", "pid": _PID, "tid": tid, "name": kind, "args": {"name": name}}
