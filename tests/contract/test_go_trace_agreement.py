"""Traces that Go programs write, decoded to what ``go tool trace -d=wire`` prints of them."""

from __future__ import annotations

import os
import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from harness.go_tool import find_go
from stackglass_viewer.model.memory_trace.events import EventKind, join_events
from stackglass_viewer.model.memory_trace.go_trace import read_go_trace
from stackglass_viewer.model.memory_trace.lanes import list_slices
from stackglass_viewer.model.memory_trace.live_blocks import Space
from stackglass_viewer.model.memory_trace.opening import open_trace
from stackglass_viewer.model.memory_trace.site_table import list_types

PROGRAM = Path(__file__).resolve().parents[1] / "targets/allocating.go"
# The first call lets go build its tools, which it then keeps.
pytestmark = pytest.mark.timeout(900)
_KINDS = {
    "Span": EventKind.SPAN,
    "SpanAlloc": EventKind.SPAN_ALLOC,
    "SpanFree": EventKind.SPAN_FREE,
    "HeapObject": EventKind.OBJECT,
    "HeapObjectAlloc": EventKind.OBJECT_ALLOC,
    "HeapObjectFree": EventKind.OBJECT_FREE,
    "GoroutineStack": EventKind.STACK,
    "GoroutineStackAlloc": EventKind.STACK_ALLOC,
    "GoroutineStackFree": EventKind.STACK_FREE,
    "GCBegin": EventKind.COLLECTION_BEGIN,
    "GCEnd": EventKind.COLLECTION_END,
}
_NO_THREAD = (1 << 64) - 1


class Printed(NamedTuple):
    """An event as Go's tool prints it."""

    ticks: int
    kind: EventKind
    tid: int
    arguments: dict[str, int]


def run_go(*words: str | Path, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [find_go(), *map(str, words)],
        cwd=cwd,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
        timeout=800,
        env={**os.environ, "GOFLAGS": "-mod=mod", "GO111MODULE": "off", **environment},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("go")
    run_go("build", "-o", folder / "allocating", PROGRAM, cwd=folder)
    path = folder / "allocating.trace"
    subprocess.run(
        [folder / "allocating", path],
        check=True,
        timeout=300,
        env={**os.environ, "GODEBUG": "traceallocfree=1"},
    )
    return path


@pytest.fixture(scope="module")
def printed(path: Path) -> list[Printed]:
    """The events by time."""
    text = run_go("tool", "trace", "-d=wire", path, cwd=path.parent)
    events, ticks, tid = [], 0, 0
    for line in text.splitlines():
        name, *rest = line.split()[:8]
        arguments = {
            key: int(value)
            for key, value in (word.split("=", 1) for word in rest if "=" in word)
            if value.isdigit()
        }
        if name == "EventBatch":
            ticks, tid = arguments["time"], arguments["m"]
        elif "dt" in arguments:
            ticks += arguments["dt"]
            if name in _KINDS:
                events.append(Printed(ticks, _KINDS[name], tid, arguments))
    return sorted(events, key=lambda event: event.ticks)


def test_every_event_is_decoded_as_it_is_printed(
    path: Path, printed: list[Printed], tmp_path: Path
) -> None:
    source = read_go_trace(memoryview(path.read_bytes()), lambda _share: None, tmp_path)
    events = join_events([source.decode(block) for block in range(len(source.blocks))])
    events = events.take(
        np.isin(events.kind, list(_KINDS.values())) | (events.kind == EventKind.SHARED)
    )
    expected = printed
    kinds = np.where(events.kind == EventKind.SHARED, np.uint8(EventKind.OBJECT_ALLOC), events.kind)
    assert Counter(kinds.tolist()) == Counter(int(event.kind) for event in expected)
    assert kinds.tolist() == [int(event.kind) for event in expected]
    info = source.info
    for row, event in enumerate(expected):
        ids = event.arguments
        address, size = int(events.address[row]), int(events.size[row])
        if event.kind in (EventKind.COLLECTION_BEGIN, EventKind.COLLECTION_END):
            continue
        assert int(events.tid[row]) == (event.tid if event.tid != _NO_THREAD else 0)
        if event.kind in (EventKind.SPAN, EventKind.SPAN_ALLOC, EventKind.SPAN_FREE):
            assert address == info.minimum_address + ids["id"] * info.pool_bytes
            assert size == ids.get("npages_value", 0) * info.pool_bytes
        elif event.kind in (EventKind.STACK, EventKind.STACK_ALLOC, EventKind.STACK_FREE):
            assert address == info.minimum_address + ids["id"] * 2048
            assert size == (1 << (ids["order"] - 1) if "order" in ids else 0)
        else:  # the slot that has the object
            printed_address = info.minimum_address + ids["id"] * info.alignment
            assert address <= printed_address < address + max(size, 1)
    source.close()


def test_regions_tasks_and_logs_are_those_that_are_printed(path: Path, tmp_path: Path) -> None:
    """By goroutine, as Go's own reader orders them."""
    text = run_go("tool", "trace", "-d=parsed", path, cwd=path.parent)
    expected = []
    for line in text.splitlines():
        found = re.search(r" G=(\d+) (Region|Task)(Begin|End) .*Type=\"([^\"]*)\"", line)
        if found is not None:
            goroutine = f"goroutine {found[1]}" if found[2] == "Region" else ""
            expected.append((found[2].lower(), found[3], goroutine, found[4]))
    trace = open_trace(path, folder=tmp_path)
    events = []
    for each in list_slices(trace):
        if each.category in ("region", "task"):
            head = trace.names.threads.get(each.tid, ""), each.name
            events.append((each.begin_ns, each.category, "Begin", *head))
            events.append((each.end_ns, each.category, "End", *head))
        elif each.category == "log":
            assert each.name == "customer: Ada"
    assert Counter(event[1:] for event in events) == Counter(expected)
    assert Counter(expected)["region", "Begin", "goroutine 1", "first half"] == 1
    assert sum(event[3:] == ("", "order") for event in events) == 2
    trace.close()


def test_frees_are_of_live_blocks_but_for_those_that_go_reports_late(
    path: Path, printed: list[Printed], tmp_path: Path
) -> None:
    """Go's sweeper leaves out the frees of some span that a processor had at hand, and may report
    them at the next collection: their slots have other objects by then, or went with their span.
    So a free of no live block is a late one, of an object that was overwritten or dropped."""
    trace = open_trace(path, folder=tmp_path)
    troubles = trace.index.troubles
    n_frees = sum(event.kind == EventKind.OBJECT_FREE for event in printed)
    assert troubles.n_overwritten < n_frees / 100
    assert troubles.n_unknown_frees < n_frees / 100
    assert troubles.n_unknown_frees <= troubles.n_overwritten + troubles.n_dropped
    trace.close()


def test_what_the_program_keeps_is_what_lives_at_the_end(path: Path, tmp_path: Path) -> None:
    """But for what late frees (see above) take: the object that has the slot by then, one for each
    object that was overwritten at most. Unknown frees may be of dropped objects, so they say
    nothing about these."""
    trace = open_trace(path, folder=tmp_path)
    n_late = trace.index.troubles.n_overwritten
    end = trace.index.end
    kept = {row.name: row for row in list_types(trace.names, trace.sum_live(end))}
    assert 1000 - n_late <= kept["main.Node"].n <= 1000
    assert kept["main.Node"].size == 48 * kept["main.Node"].n
    assert kept.get("main.Garbage", kept["main.Node"]).n <= 1000
    peak = {row.name: row.n for row in list_types(trace.names, trace.sum_live(trace.index.peak))}
    assert peak["main.Garbage"] > 1000
    stacks = trace.list_live(end, Space.STACK)
    assert all(size & (size - 1) == 0 for size in stacks.size.tolist())
    assert re.fullmatch("Go", trace.info.runtime)
    trace.close()
