"""What a thread did for most of each call."""

from __future__ import annotations

import numpy as np

from harness.timed_stacks import MS, make_stretches
from stackglass_viewer.model.chart.call_kinds import find_call_kinds
from stackglass_viewer.model.chart.stack_chart import build_stack_chart

RUNS, WAITS = 0, 1
TEXT = """
a main;compute 0 10
a main;wait 10 25
a main;compute 25 30
b main;compute 0 30
a main;other 40 42
"""
STRETCHES = make_stretches(TEXT, kinds={"compute": RUNS, "wait": WAITS})


def find(lane: int, *spans_ms: tuple[float, float]) -> list[int]:
    spans = (np.array(spans_ms) * MS).astype(np.int64)
    return list(find_call_kinds(STRETCHES, lane, spans[:, 0], spans[:, 1]))


def test_the_kind_that_covers_most_of_a_call() -> None:
    assert find(0, (0, 10), (10, 25), (0, 25), (5, 16), (20, 30)) == [
        RUNS,
        WAITS,
        WAITS,
        WAITS,
        RUNS,
    ]


def test_parts_of_stretches_count_for_their_length() -> None:
    assert find(0, (3, 16), (3, 18)) == [RUNS, WAITS]


def test_time_without_a_kind() -> None:
    assert find(0, (40, 42), (32, 38), (29, 42), (28, 41)) == [-1, -1, -1, RUNS]


def test_each_lane_has_its_own() -> None:
    assert find(1, (0, 30)) == [RUNS]


def test_before_the_first_stretch() -> None:
    later = make_stretches("a main;wait 10 20", kinds={"wait": WAITS})
    moments = np.array([0, 5 * MS], dtype=np.int64)
    assert find_call_kinds(later, 0, moments, moments + 6 * MS).tolist() == [-1, WAITS]


def test_the_calls_of_a_chart_have_them() -> None:
    chart = build_stack_chart(STRETCHES, 0, 0, 30 * MS)
    names = [chart.calls.frame_name[at] for at in chart.calls.frame[1:]]
    assert list(zip(names, chart.kind[1:].tolist(), strict=True)) == [
        ("main", RUNS), ("compute", RUNS), ("wait", WAITS), ("compute", RUNS),
    ]  # fmt: skip
