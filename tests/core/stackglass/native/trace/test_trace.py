"""The memory trace's begin and end, whatever the program's threads do meanwhile, and its losses."""

from __future__ import annotations

import base64
from typing import Any

import numpy as np

from harness.matrix import each_python
from harness.naive_replay import NaiveReplay
from harness.probes import run_probe
from harness.pythons import Python
from stackglass_viewer.model.memory_trace.events import Domain, EventKind
from stackglass_viewer.native import _loops

UNCERTAIN = 4


@each_python
def test_a_trace_begins_after_one_that_a_thread_kept(python: Python) -> None:
    """The end of an earlier trace cannot discard it while a thread is inside a hook. Once that
    thread has left, the next trace does so; a trace that records is never discarded."""
    reported = run_probe(python, "heap/busy_lane.py")
    assert not reported["is_discarded"]
    assert not reported["is_settled"]
    assert reported["settles"]
    assert "has not ended yet" in reported["while_busy"]
    assert reported["afterwards"] is None
    assert "has not ended yet" in reported["twice"]
    assert reported["is_ended"]


def list_events(blocks: list[tuple[str, int, int]]) -> list[dict[str, int]]:
    """Return the events of blocks, in their order."""
    events: list[dict[str, int]] = []
    for payload, packing, raw_bytes in blocks:
        block = _loops.decode_event_block(base64.b64decode(payload), packing, raw_bytes)
        columns: dict[str, Any] = {name: np.asarray(column) for name, column in block.items()}
        order = np.argsort(columns["time_ns"], kind="stable")
        rows = zip(*(column[order].tolist() for column in columns.values()), strict=True)
        events += [dict(zip(columns, row, strict=True)) for row in rows]
    return events


@each_python
def test_blocks_that_threads_without_a_lane_freed_are_uncertain(python: Python) -> None:
    """320 threads that live at the same time free a block each; at most 256 have a lane. The frees
    of the others are lost, so the trace says that they may have freed what it shows as live."""
    reported = run_probe(python, "heap/lost_frees.py")
    assert reported["is_ended"]
    events = list_events(reported["blocks"])
    replay = NaiveReplay()
    replay.apply(events)
    left = [replay.live[0, each] for each in reported["addresses"] if (0, each) in replay.live]
    assert len(left) >= 320 - 256
    assert all(replay.flags(block) & UNCERTAIN for block in left)
    lost = [event for event in events if event["kind"] == EventKind.LOST]
    assert {event["domain"] for event in lost} == {Domain.NATIVE}
    assert sum(event["size"] for event in lost) == len(left)
