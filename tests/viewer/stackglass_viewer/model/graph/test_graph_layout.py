"""Where boxes and arrows of a call graph are put."""

from __future__ import annotations

import importlib.util
import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import pytest

from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.model.graph import graph_layout, graph_layout_child
from stackglass_viewer.model.graph.graph_layout import (
    BoxSize,
    GraphLayout,
    LayoutEdge,
    Point,
    find_upward,
    lay_out_graph,
)

BOX = BoxSize(80, 30)


def edge(source: int, target: int, weight: float = 1.0) -> LayoutEdge:
    return LayoutEdge(source, target, weight, (40, 12))


def is_on_border(place: Point, center: Point, box: BoxSize) -> bool:
    x, y = abs(place[0] - center[0]), abs(place[1] - center[1])
    across, down = box.width / 2, box.height / 2
    is_inside = x <= across + 0.5 and y <= down + 0.5
    return is_inside and (abs(x - across) <= 0.5 or abs(y - down) <= 0.5)


def check(layout: GraphLayout, boxes: Sequence[BoxSize], edges: Sequence[LayoutEdge]) -> None:
    """No box over another, all within the bounds, arrows from border to border."""
    for (one, a), (other, b) in combinations(zip(layout.centers, boxes, strict=True), 2):
        assert (
            abs(one[0] - other[0]) >= (a.width + b.width) / 2
            or abs(one[1] - other[1]) >= (a.height + b.height) / 2
        )
    for (x, y), box in zip(layout.centers, boxes, strict=True):
        assert box.width / 2 - 0.5 <= x <= layout.width - box.width / 2 + 0.5
        assert box.height / 2 - 0.5 <= y <= layout.height - box.height / 2 + 0.5
    for path, each in zip(layout.paths, edges, strict=True):
        begin, end = path.points[0], path.points[-1]
        assert is_on_border(begin, layout.centers[each.source], boxes[each.source])
        assert is_on_border(end, layout.centers[each.target], boxes[each.target])


def test_callers_are_above_callees() -> None:
    boxes = [BOX, BoxSize(120, 60), BOX]
    edges = [edge(0, 1), edge(0, 2), edge(1, 2)]
    layout = lay_out_graph(boxes, edges)
    check(layout, boxes, edges)
    top, middle, bottom = (y for _, y in layout.centers)
    assert top < middle < bottom


def test_a_cycle_hangs_from_where_it_is_entered() -> None:
    """The call that closes it leads up."""
    boxes = [BOX] * 4
    edges = [edge(2, 3), edge(3, 1), edge(1, 2, 0.5), edge(0, 2, 0.1)]
    assert find_upward(4, edges) == {2}
    layout = lay_out_graph(boxes, edges)
    check(layout, boxes, edges)
    heights = [layout.centers[box][1] for box in (0, 2, 3, 1)]
    assert heights == sorted(heights)
    assert layout.paths[2].points[0][1] > layout.paths[2].points[-1][1]


def test_a_call_of_itself_is_a_loop() -> None:
    edges = [edge(0, 0)]
    layout = lay_out_graph([BOX], edges)
    check(layout, [BOX], edges)
    assert len(layout.paths[0].points) > 2


def test_boxes_keep_their_order() -> None:
    boxes = [BOX] * 9
    edges = [edge(0, box) for box in range(1, 8)]
    before = lay_out_graph(boxes[:8], edges)
    order = sorted(range(1, 8), key=lambda box: -before.centers[box][0])
    last = [BoxSize(BOX.width, BOX.height, -x) for x, _ in before.centers]
    after = lay_out_graph([*last, BOX], [*edges, edge(order[3], 8)])
    assert sorted(range(1, 8), key=lambda box: after.centers[box][0]) == order


def test_a_live_graph_is_as_compact_as_a_new_one() -> None:
    """Small functions come and go, so that it is laid out again and again."""
    chance = random.Random(1)
    n_boxes = 45
    callers = [-1, -1, *(chance.randrange(max(0, box - 12), box) for box in range(2, n_boxes))]
    weights = [1.0, 0.1]
    for caller in callers[2:]:
        weights.append(weights[caller] * chance.random())
    boxes = [BoxSize(chance.choice((150, 180, 230)), 60) for _ in range(n_boxes)]
    last: dict[int, float] = {}
    for _ in range(8):
        kept: dict[int, int] = {}
        for box, caller in enumerate(callers):
            is_called = caller < 0 or caller in kept
            if is_called and (weights[box] > 0.06 or chance.random() < 0.65):
                kept[box] = len(kept)
        edges = [
            edge(kept[callers[box]], at, weights[box])
            for box, at in kept.items()
            if callers[box] >= 0
        ]
        new = [boxes[box] for box in kept]
        known = [replace(boxes[box], last_x=last.get(box)) for box in kept]
        layout = lay_out_graph(known, edges)
        check(layout, known, edges)
        last = {box: layout.centers[at][0] for box, at in kept.items()}
    assert layout.width <= 1.25 * lay_out_graph(new, edges).width


def test_any_graph_is_laid_out() -> None:
    chance = random.Random(7)
    for n_boxes in (1, 2, 13, 60):
        boxes = [BoxSize(chance.randint(30, 200), chance.randint(20, 80)) for _ in range(n_boxes)]
        edges = [
            edge(chance.randrange(n_boxes), chance.randrange(n_boxes), chance.random())
            for _ in range(n_boxes * 2)
        ]
        edges = list({(each.source, each.target): each for each in edges}.values())
        check(lay_out_graph(boxes, edges), boxes, edges)


def test_nothing_takes_no_room() -> None:
    assert lay_out_graph([], []) == GraphLayout((), (), 0.0, 0.0)


def test_what_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_layout, "_TIMEOUT_S", 0.0)
    monkeypatch.setattr(graph_layout, "_POLL_S", 0.0)
    with pytest.raises(ContentError, match=r"too tangled to be laid out: choose fewer functions"):
        lay_out_graph([BOX], [])


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda _: None)
    with pytest.raises(ContentError, match=r"graphlay is not installed: pip install '.+'$"):
        lay_out_graph([BOX], [])


def test_what_is_no_longer_wanted_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(graph_layout, "_POLL_S", 0.0)
    with pytest.raises(CancelledError):
        lay_out_graph([BOX], [], lambda: True)


def test_the_reason_of_a_failure_is_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(graph_layout._OPTIONS, "direction", "sideways")
    with pytest.raises(
        ContentError, match=r"^The call graph cannot be laid out \(.+\): "
    ) as caught:
        lay_out_graph([BOX], [])
    assert "\n" not in str(caught.value)
    assert caught.value.remedy.startswith("choose fewer functions")


def test_half_an_answer_is_a_failure(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The child has run out of memory while it wrote."""
    script = tmp_path / "child.py"
    script.write_text("print('{\"nodes\": [')\nraise SystemExit(1)\n")
    monkeypatch.setattr(graph_layout_child, "__file__", str(script))
    with pytest.raises(ContentError, match=r"the layout ended early.*: choose fewer functions"):
        lay_out_graph([BOX], [])
