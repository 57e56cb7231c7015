"""Chrome's trace events: lanes in which slices only lie in each other."""

from __future__ import annotations

import json
import random
from decimal import Decimal

from stackglass_viewer.model.writers.chrome_trace import write_chrome_trace


def test_slices_that_overlap_are_in_lanes_of_their_own() -> None:
    slices = [
        (7, 0, 100, "state", "running"),
        (7, 10, 60, "region", "a"),
        (7, 20, 80, "region", "b"),  # of another task: it ends later than the one around it
        (7, 30, 40, "region", "in a"),
        (7, 80, 90, "region", "after both"),
        (9, 20, 80, "region", "b"),
    ]
    events = json.loads(write_chrome_trace("x", slices, [], {7: "Main"}))["traceEvents"]
    names = {each["tid"]: each["args"]["name"] for each in events if each["name"] == "thread_name"}
    lanes = [(each["name"], names[each["tid"]]) for each in events if each["ph"] == "X"]
    assert lanes == [
        ("running", "Main"),
        ("a", "Main: region"),
        ("b", "Main: region 2"),
        ("in a", "Main: region"),
        ("after both", "Main: region"),
        ("b", "thread 9: region"),
    ]
    order = {
        each["args"]["sort_index"]: names[each["tid"]]
        for each in events
        if each["name"] == "thread_sort_index"
    }
    assert [order[at] for at in sorted(order)] == [
        "Main",
        "Main: region",
        "Main: region 2",
        "thread 9",
        "thread 9: region",
    ]


def _import(content: bytes) -> tuple[list[tuple[int, int, int, int]], int]:
    """Slices as Perfetto's importer takes them: thread, begin, end, depth; and how many it drops.

    A begin is read as a decimal number; a length is a double, multiplied by 1000 and cut off. A
    slice that begins in an open one and ends after it is dropped.
    """
    events = [
        each
        for each in json.loads(content, parse_float=Decimal)["traceEvents"]
        if each["ph"] in "Xi"
    ]
    taken: list[tuple[int, int, int, int]] = []
    opened: dict[int, list[tuple[int, int]]] = {}  # begin and length, by thread
    n_dropped = 0
    for event in sorted(events, key=lambda each: Decimal(each["ts"])):
        begin = int(Decimal(event["ts"]) * 1000)
        length = int(float(event.get("dur", 0)) * 1000.0)
        stack = opened.setdefault(event["tid"], [])
        while stack and (
            sum(stack[-1]) < begin
            or (sum(stack[-1]) == begin and not (stack[-1][1] == 0 and length == 0))
        ):
            stack.pop()
        if any(begin < at + span < begin + length for at, span in stack):
            n_dropped += 1
            continue
        taken.append((event["tid"], begin, begin + length, len(stack)))
        stack.append((begin, length))
    return taken, n_dropped


def test_perfetto_takes_every_slice_with_its_times() -> None:
    rng = random.Random(1)
    slices: list[tuple[int, int, int, str, str]] = []
    for at in range(2_000):
        begin, end = at * 10_000_000 + 7, at * 10_000_000 + rng.randrange(100, 9_999_999)
        slices.append((7, begin, end, "region", "outer"))
        for _ in range(3):  # they end together, as all that is open does at the end of a trace
            begin = rng.randrange(begin, end + 1)
            slices.append((7, begin, end, "region", "inner"))
        slices.append((7, begin, begin, "log", "text"))
    content = write_chrome_trace("x", slices, [], {7: "Main"})
    taken, n_dropped = _import(content)
    assert n_dropped == 0
    assert sorted((begin, end) for _, begin, end, _ in taken) == sorted(
        (begin, end) for _, begin, end, _, _ in slices
    )
    assert sum(depth == 3 for *_, depth in taken) == 2_000
