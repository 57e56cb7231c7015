"""The stack chart: a box for each call, from when to when."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.timed_stacks import MS, make_stretches
from stackglass_viewer.model.chart import stack_chart
from stackglass_viewer.model.chart.stack_chart import StackChart, build_stack_chart
from stackglass_viewer.model.chart.stretches import Lane, StretchRows, arrange_stretches
from stackglass_viewer.model.graph.call_tree import CallTree
from stackglass_viewer.native import _loops

Box = tuple[int, str, float, float]  # row, function, begin and end in ms


def list_boxes(chart: StackChart) -> list[Box]:
    layout, calls = chart.layout, chart.calls
    boxes = []
    for row in range(layout.n_rows):
        for box in range(layout.row_start[row], layout.row_start[row + 1]):
            frame = int(calls.frame[layout.node[box]])
            name = calls.frame_name[frame] if frame >= 0 else "all"
            boxes.append((row, name, layout.left[box] / MS, layout.right[box] / MS))
    return boxes


def draw(
    text: str,
    begin_ms: float,
    end_ms: float,
    gap_ms: float = 0,
    most: int = 999,
    most_calls: int = 999_999,
) -> StackChart:
    stretches = make_stretches(text, gap_ms)
    begin_ns, end_ns = round(begin_ms * MS), round(end_ms * MS)
    return build_stack_chart(stretches, 0, begin_ns, end_ns, most, most_calls)


TEXT = """
a main;load 0 10
a main;load;parse 10 20
a main;work 20 30
a main 40 50
"""


def test_calls_go_on_from_stack_to_stack() -> None:
    chart = draw(TEXT, 0, 60)
    assert list_boxes(chart) == [
        (0, "all", 0, 60),
        (1, "main", 0, 30),
        (1, "main", 40, 50),
        (2, "load", 0, 20),
        (2, "work", 20, 30),
        (3, "parse", 10, 20),
    ]
    names = ["all", *(chart.calls.frame_name[at] for at in chart.calls.frame[1:])]
    totals = dict(zip(names, chart.values.total // MS, strict=True))
    assert totals == {"all": 60, "main": 10, "load": 20, "parse": 10, "work": 10}
    own = dict(zip(names, chart.values.own // MS, strict=True))
    assert own == {"all": 0, "main": 10, "load": 10, "parse": 10, "work": 10}


def test_a_short_pause_ends_no_call() -> None:
    assert (1, "main", 0, 50) in list_boxes(draw(TEXT, 0, 60, gap_ms=10))
    assert (1, "main", 0, 50) not in list_boxes(draw(TEXT, 0, 60, gap_ms=9))


def test_a_span_has_its_part() -> None:
    assert list_boxes(draw(TEXT, 15, 25)) == [
        (0, "all", 0, 10),
        (1, "main", 0, 10),
        (2, "load", 0, 5),
        (2, "work", 5, 10),
        (3, "parse", 0, 5),
    ]


def test_where_nothing_was_there_is_one_box() -> None:
    assert list_boxes(draw(TEXT, 31, 39)) == [(0, "all", 0, 8)]


def test_recursion_has_a_box_a_call() -> None:
    assert list_boxes(draw("a f;f 0 10\na f 10 20", 0, 20)) == [
        (0, "all", 0, 20),
        (1, "f", 0, 20),
        (2, "f", 0, 10),
    ]


def test_of_too_many_stretches_the_longest_stay() -> None:
    text = "\n".join(
        f"a main;{'fg'[at % 2]} {at} {at + (0.9 if at % 2 else 0.1)}" for at in range(100)
    )
    chart = draw(text, 0, 100, most=20)
    assert chart.is_coarse
    boxes = list_boxes(chart)
    assert len(boxes) <= 2 + 2 * 20
    assert {name for _, name, _, _ in boxes} == {"all", "main", "g"}
    assert not draw(text, 0, 100).is_coarse


def make_deep(n: int, depth: int) -> str:
    """Stacks that have nothing in common but their first function."""
    return "\n".join(
        f"a main;{';'.join(f'f{at}_{d}' for d in range(depth))} {at} {at + 1}" for at in range(n)
    )


def test_calls_are_limited_however_deep_the_stacks_are() -> None:
    text = make_deep(100, 20)
    assert draw(text, 0, 100).calls.n_nodes == 2 + 100 * 20
    chart = draw(text, 0, 100, most_calls=400)
    assert chart.is_coarse
    assert 200 < chart.calls.n_nodes <= 400
    assert chart.values.total[1] == 100 * MS  # what is left stands for all of the time
    assert chart.values.own.sum() == 100 * MS


def test_deep_stacks_that_hardly_change_are_no_reason_to_leave_any_out() -> None:
    deep = ";".join(f"f{at}" for at in range(50))
    text = "\n".join(f"a {deep};{'gh'[at % 2]} {at} {at + 1}" for at in range(300))
    chart = draw(text, 0, 300, most_calls=400)
    assert not chart.is_coarse
    assert chart.calls.n_nodes == 1 + 50 + 300


def test_of_many_stretches_some_pieces_tell_how_many_calls_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stack_chart, "_PIECES", 3)
    monkeypatch.setattr(stack_chart, "_PIECE", 10)
    chart = draw(make_deep(400, 5), 0, 400, most_calls=500)
    assert chart.is_coarse
    assert 250 < chart.calls.n_nodes <= 550  # it is an estimate


@given(
    rows=st.lists(
        st.tuples(
            st.lists(st.sampled_from("abc"), max_size=5), st.integers(1, 5), st.integers(0, 3)
        ),
        min_size=1,
        max_size=30,
    ),
    gap=st.integers(0, 3),
)
@settings(max_examples=200, deadline=None)
def test_any_stacks_become_calls_that_nest(
    rows: list[tuple[list[str], int, int]], gap: int
) -> None:
    now, lines, busy = 0, [], 0
    for stack, length, pause in rows:
        lines.append(f"t {';'.join(['main', *stack])} {now} {now + length}")
        now += length + pause
        busy += length
    chart = draw("\n".join(lines), 0, now, gap_ms=gap)
    calls, layout = chart.calls, chart.layout
    left, right = (np.empty(calls.n_nodes) for _ in range(2))
    left[layout.node], right[layout.node] = layout.left, layout.right
    for call in range(1, calls.n_nodes):
        parent = calls.parent[call]
        assert parent < call
        assert left[parent] <= left[call] <= right[call] <= right[parent]
        assert calls.depth[call] == calls.depth[parent] + 1
    for row in range(layout.n_rows):
        chosen = slice(layout.row_start[row], layout.row_start[row + 1])
        assert (layout.left[chosen][1:] >= layout.right[chosen][:-1]).all()
    assert chart.values.own.sum() == busy * MS
    covered = sum(right[each] - left[each] for each in np.flatnonzero(calls.depth == 1))
    assert busy * MS <= covered <= now * MS


@pytest.mark.parametrize(
    "change",
    [
        {"node": [9]},
        {"node": [-1]},
        {"begin": [5], "end": [4]},
        {"depth": [0, 0]},
        {"depth": [1, 1]},
        {"depth": [0, 2]},
        {"depth": [0, -1]},
        {"parent": [-1, 1]},
        {"node": [1, 1], "begin": [0, 0], "end": [2, 2]},
        {"gap": -1},
        {"end": [1, 2]},
    ],
)
def test_what_is_broken_is_refused(change: dict[str, Any]) -> None:
    given: dict[str, Any] = {
        "parent": [-1, 0],
        "depth": [0, 1],
        "node": [1],
        "begin": [0],
        "end": [1],
        "gap": 0,
    }
    given |= change
    parent, depth, node = (
        np.array(given[name], dtype=np.int32) for name in ("parent", "depth", "node")
    )
    begin, end = (np.array(given[name], dtype=np.int64) for name in ("begin", "end"))
    with pytest.raises(ValueError, match="out of range"):
        _loops.list_calls(parent, depth, node, begin, end, given["gap"])


def test_deep_stacks_do_not_recurse() -> None:
    depth = 20_000
    parent = np.arange(-1, depth, dtype=np.int32)
    made = _loops.list_calls(
        parent,
        np.arange(depth + 1, dtype=np.int32),
        np.array([depth, 1, depth], dtype=np.int32),
        np.array([0, 10, 20], dtype=np.int64),
        np.array([10, 20, 30], dtype=np.int64),
        0,
    )
    assert len(np.asarray(made["node"])) == 1 + depth + depth - 1


def test_very_deep_stacks_are_counted_a_few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each stretch of these two stacks makes 5000 calls, so all make sixty times the limit."""
    depth, n, most_calls = 5_000, 2_400, 200_000
    is_second = np.arange(2 * depth + 1) > depth
    tree = CallTree(
        np.concatenate(([-1], np.arange(depth), [0], np.arange(depth + 1, 2 * depth))).astype("i4"),
        is_second.astype(np.int32),
        np.concatenate((np.arange(depth + 1), np.arange(1, depth + 1))).astype(np.int32),
        np.ones(2 * depth + 1, dtype=np.bool_),
        ("f", "g"),
        ("", ""),
        np.empty(0, dtype=np.int32),
    )
    time = np.arange(n, dtype=np.int64) * MS
    rows = StretchRows(
        np.zeros(n, dtype=np.int32),
        np.resize(np.array([depth, 2 * depth], dtype=np.int32), n),
        *(time, time + MS, np.full(n, -1, dtype=np.int32)),
    )
    stretches = arrange_stretches(tree, rows, [Lane("t")], (0, n * MS), 0)
    listed = []

    def list_calls(*arguments: Any) -> dict[str, Any]:
        made = _loops.list_calls(*arguments)
        listed.append(len(np.asarray(made["node"])))
        return made

    monkeypatch.setattr(stack_chart, "_loops", SimpleNamespace(list_calls=list_calls))
    chart = build_stack_chart(stretches, 0, 0, n * MS, most_calls=most_calls)
    assert chart.is_coarse
    assert chart.calls.n_nodes <= most_calls + depth
    assert max(listed) <= 1_000_001
