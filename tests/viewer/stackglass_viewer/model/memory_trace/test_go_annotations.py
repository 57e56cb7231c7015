"""Regions, tasks and logs of Go's traces: those of a goroutine, whatever thread it is on."""

from __future__ import annotations

import json
import random
from itertools import permutations
from pathlib import Path

import pytest

from harness.go_trace_writer import HEADER, NO_THREAD, batch, clock, events, info, strings
from harness.trace_check import try_open
from stackglass_viewer.model.memory_trace import go_annotations
from stackglass_viewer.model.memory_trace.lanes import list_slices
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.writers.chrome_trace import write_chrome_trace

NAMES = {1: "load", 2: "parse", 3: "order", 4: "customer", 5: "Ada"}
START = HEADER + info() + clock() + strings(names=NAMES)
GO_START, GO_DESTROY, GO_STATUS, GO_SWITCH, GO_SWITCH_DESTROY = 16, 17, 25, 45, 46
TASK, TASK_END, REGION, REGION_END, LOG = 40, 41, 42, 43, 44
RUNNING, WAITING = 2, 4

Found = tuple[str, int, int, str, str]


def open_go(content: bytes, folder: Path) -> MemoryTrace:
    trace = try_open(content, folder)
    assert isinstance(trace, MemoryTrace), trace
    return trace


def read(content: bytes, folder: Path) -> list[Found]:
    """Lane, begin, end, kind and name of all that the lanes show."""
    trace = open_go(content, folder)
    found = [(trace.names.threads.get(each.tid, ""), *each[1:]) for each in list_slices(trace)]
    trace.close()
    return found


def test_regions_nest_in_their_goroutine(tmp_path: Path) -> None:
    content = START + events(
        [
            (GO_START, 0, 18, 1),
            (REGION, 10, 0, 1, 0),
            (REGION, 10, 0, 2, 0),
            (REGION_END, 10, 0, 2, 0),
            (REGION_END, 10, 0, 1, 0),
        ]
    )
    assert read(content, tmp_path) == [
        ("goroutine 18", 10, 40, "region", "load"),
        ("goroutine 18", 20, 30, "region", "parse"),
    ]


def test_a_region_follows_its_goroutine_to_another_thread(tmp_path: Path) -> None:
    """Two goroutines change places; batches come in any order."""
    parts = [
        events([(GO_START, 0, 18, 1), (REGION, 10, 0, 1, 0)], tid=1),
        events([(GO_START, 0, 19, 1), (REGION, 20, 0, 1, 0)], tid=2),
        events([(GO_START, 0, 19, 2), (REGION_END, 30, 0, 1, 0)], tid=1, ticks=2000),
        events([(GO_START, 0, 18, 2), (REGION_END, 40, 0, 1, 0)], tid=2, ticks=2000),
    ]
    rng = random.Random(1)
    for _ in range(10):
        rng.shuffle(parts)
        assert read(START + b"".join(parts), tmp_path) == [
            ("goroutine 18", 10, 1040, "region", "load"),
            ("goroutine 19", 20, 1030, "region", "load"),
        ]


def test_a_goroutine_runs_on_in_the_next_batch_of_its_thread(tmp_path: Path) -> None:
    parts = [
        events([(GO_START, 0, 17, 1), (GO_START, 0, 18, 1)], tid=1),
        events([(REGION, 10, 0, 1, 0)], tid=1, ticks=2000),
        events([(REGION_END, 5, 0, 1, 0), (GO_START, 0, 19, 1)], tid=1, ticks=3000),
    ]
    for order in permutations(parts):
        assert read(START + b"".join(order), tmp_path) == [
            ("goroutine 18", 1010, 2005, "region", "load")
        ]


def test_the_status_of_another_threads_goroutine_is_passed_over(tmp_path: Path) -> None:
    content = START + events(
        [
            (GO_STATUS, 0, 18, 7, RUNNING),
            (GO_STATUS, 1, 19, 8, RUNNING),
            (GO_STATUS, 1, 20, NO_THREAD, WAITING),
            (REGION, 1, 0, 1, 0),
            (REGION_END, 1, 0, 1, 0),
        ],
        tid=7,
    )
    assert read(content, tmp_path) == [("goroutine 18", 3, 4, "region", "load")]


def test_a_region_goes_on_in_the_next_generation_whose_strings_are_others(tmp_path: Path) -> None:
    content = START + events([(GO_START, 0, 18, 1), (REGION, 10, 6, 1, 0)])
    content += clock(2) + strings(2, {1: "parse", 9: "load"})
    content += events(
        [
            (GO_STATUS, 0, 18, 7, RUNNING),
            (REGION, 5, 6, 1, 0),
            (REGION_END, 5, 6, 1, 0),
            (REGION_END, 5, 6, 9, 0),
        ],
        generation=2,
        ticks=3000,
    )
    assert read(content, tmp_path) == [
        ("goroutine 18", 10, 2015, "region", "load"),
        ("goroutine 18", 2005, 2010, "region", "parse"),
    ]


@pytest.mark.parametrize("end", [(GO_DESTROY, 5), (GO_SWITCH_DESTROY, 5, 19, 1)])
def test_what_a_goroutine_leaves_open_ends_with_it(end: tuple[int, ...], tmp_path: Path) -> None:
    content = START + events(
        [
            (GO_START, 0, 18, 1),
            (REGION, 10, 0, 1, 0),
            end,
            (GO_START, 5, 19, 1),
            (REGION, 10, 0, 2, 0),
            (GO_START, 70, 20, 1),
        ]
    )
    assert read(content, tmp_path) == [
        ("goroutine 18", 10, 15, "region", "load"),
        ("goroutine 19", 30, 30, "region", "parse"),  # open at the end of what the trace shows
    ]


def test_a_region_from_before_the_trace_has_no_slice(tmp_path: Path) -> None:
    content = START + events(
        [
            (GO_START, 0, 18, 1),
            (REGION, 10, 0, 2, 0),
            (REGION_END, 5, 0, 2, 0),
            (REGION_END, 5, 0, 1, 0),
        ]
    )
    assert read(content, tmp_path) == [("goroutine 18", 10, 15, "region", "parse")]


def test_tasks_overlap_and_have_no_thread(tmp_path: Path) -> None:
    content = START + events(
        [
            (GO_START, 0, 18, 1),
            (TASK, 10, 1, 0, 3, 0),
            (TASK, 10, 2, 1, 3, 0),
            (GO_SWITCH, 5, 19, 1),
            (TASK_END, 5, 1, 0),
            (TASK_END, 10, 2, 0),
            (TASK_END, 10, 99, 0),  # it began before the trace
        ]
    )
    assert read(content, tmp_path) == [
        ("", 10, 30, "task", "order"),
        ("", 20, 40, "task", "order"),
    ]


def test_logs_are_moments_with_category_and_text(tmp_path: Path) -> None:
    content = START + events([(GO_START, 0, 18, 1), (LOG, 7, 1, 4, 5, 0), (LOG, 1, 1, 99, 5, 0)])
    trace = open_go(content, tmp_path)
    slices = list_slices(trace)
    assert [tuple(each[1:]) for each in slices] == [
        (7, 7, "log", "customer: Ada"),
        (8, 8, "log", "Ada"),
    ]
    written = json.loads(write_chrome_trace("x", slices, [], trace.names.threads))
    rows = [row for row in written["traceEvents"] if row.get("cat") == "log"]
    assert [(row["ph"], row["s"], row["ts"]) for row in rows] == [
        ("i", "t", 0.007),
        ("i", "t", 0.008),
    ]
    assert not any("dur" in row for row in rows)


def test_a_trace_without_memory_events_has_its_regions(tmp_path: Path) -> None:
    listed = [(GO_START, 0, 18, 1), (REGION, 10, 0, 1, 0), (REGION_END, 5, 0, 1, 0)]
    content = HEADER + clock() + strings(names=NAMES)
    trace = open_go(content + events(listed), tmp_path)
    assert [each.name for each in list_slices(trace)] == ["load"]
    assert any(line.startswith("it has no memory events") for line in trace.warnings)
    refusal = try_open(content + events(listed[:1]), tmp_path)
    assert isinstance(refusal, str)
    assert "without memory events, regions, tasks or logs" in refusal


def test_what_is_left_out_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(go_annotations, "MOST", 4)
    listed = [(GO_START, 0, 18, 1)] + [(LOG, 1, 1, 4, 5, 0)] * 7
    trace = open_go(START + events(listed), tmp_path)
    assert len(list_slices(trace)) == 4
    assert any(line.startswith("3 events of regions, tasks and logs") for line in trace.warnings)


@pytest.mark.parametrize(
    ("table", "reason"),
    [
        (b"\x04\x05\x01\x09abc", "a table of strings is cut off"),
        (b"\x04\x05\x01", "a table of strings is cut off"),
        (b"\x04\x09", "a table of strings has other content"),
    ],
)
def test_a_damaged_table_of_strings_is_refused(table: bytes, reason: str, tmp_path: Path) -> None:
    content = HEADER + info() + clock() + batch(table, 1, NO_THREAD, 1000)
    content += events([(GO_START, 0, 18, 1), (REGION, 10, 0, 1, 0)])
    refusal = try_open(content, tmp_path)
    assert isinstance(refusal, str)
    assert reason in refusal
