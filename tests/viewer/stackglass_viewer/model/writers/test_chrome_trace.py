"""Chrome's trace events: lanes in which slices only lie in each other."""

from __future__ import annotations

import json

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
