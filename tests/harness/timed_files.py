"""Files with times of samples, made from lines like ``worker main;load 10 25`` (ms)."""

from __future__ import annotations

import json
from pathlib import Path

TWO_THREADS = """
main run;load 0 100
main run;save 100 150
main run;load 150 300
work spin 50 100
work wait 200 250
"""


def write_trace(path: Path, text: str = TWO_THREADS) -> Path:
    """Write a Chrome trace with complete events, and a thread for each name."""
    rows = [line.split() for line in text.strip().splitlines()]
    threads = list(dict.fromkeys(row[0] for row in rows))
    events: list[dict[str, object]] = [
        {"ph": "M", "name": "thread_name", "pid": 1, "tid": tid, "args": {"name": name}}
        for tid, name in enumerate(threads, 1)
    ]
    for thread, stack, begin, end in rows:
        for depth, name in enumerate(stack.split(";")):
            inset_us = depth * 0.001  # a call begins inside its caller
            events.append(
                {
                    "ph": "X",
                    "name": name,
                    "pid": 1,
                    "tid": threads.index(thread) + 1,
                    "ts": float(begin) * 1000 + inset_us,
                    "dur": (float(end) - float(begin)) * 1000 - 2 * inset_us,
                }
            )
    path.write_text(json.dumps({"traceEvents": events}))
    return path
