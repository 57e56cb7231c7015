"""Layout of a call graph: callers above callees, edges around boxes.

The library graphlay places boxes and edges. It holds the GIL while it works, and may take seconds
if many edges cross. So it runs in a process of its own (``graph_layout_child``).

A live graph is laid out again and again, and its boxes should keep their order. So graphlay is
given boxes from left to right as they were placed last. It keeps most of that order: in trials 5 to
29 % of the pairs in a row changed sides from one layout to the next, in an order of its own 35 to
54 %. It is not given the old positions: with them the graph became two to four times as wide within
a few layouts.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import inf
from pathlib import Path
from typing import Any, NamedTuple

from stackglass_viewer.model.child_process import wait_for
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.graph import graph_layout_child

_TIMEOUT_S, _POLL_S = 20.0, 0.01
_THOROUGH_UP_TO = 120  # boxes; the layout of more takes seconds
_OPTIONS: dict[str, Any] = {
    "direction": "topbottom",
    "spacing": {
        "layer_gap": 40,
        "node_gap": 22,
        "dummy_gap": 14,
        "port_gap": 10,
        "port_stroke_clear": 8,
        "stub": 10,
        "edge_label_margin": 6,
        "edge_label_stack_gap": 2,
        "isolated_gap": 22,
    },
    "self_loops": {"size": 26.0},
    # Moving the ends of arrows apart took seconds for 200 arrows of one box, and changed nothing.
    "tuning": {"routing": {"port_relax_rounds": 0}},
}
_FEWER = "choose fewer functions below the graph, or leave out more calls"
_MAX_WEIGHT = 100.0  # graphlay draws the edges with the largest weights straight and short

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class BoxSize:
    """A box to be placed."""

    width: float
    height: float
    last_x: float | None = None  # of its centre in the last layout; None = it is new


@dataclass(frozen=True, slots=True)
class LayoutEdge:
    """An edge to be routed from box to box."""

    source: int  # box
    target: int  # box; the same one for a loop
    weight: float  # 0 … 1
    label_size: Point = (0.0, 0.0)  # width, height; 0 = no label


@dataclass(frozen=True, slots=True)
class EdgePath:
    """A polyline from the source's border to the target's, and the centre of the label."""

    points: tuple[Point, ...]
    label: Point


@dataclass(frozen=True, slots=True)
class GraphLayout:
    """Places of boxes and edges; y grows downwards, and the upper left corner is (0, 0)."""

    centers: tuple[Point, ...]  # of boxes
    paths: tuple[EdgePath, ...]  # of edges
    width: float
    height: float


def _never() -> bool:
    return False


def lay_out_graph(
    boxes: Sequence[BoxSize],
    edges: Sequence[LayoutEdge],
    is_cancelled: Callable[[], bool] = _never,
) -> GraphLayout:
    """Place boxes and edges. Waits for the child process, so do not call it in the GUI thread.
    Raises ContentError, CancelledError."""
    if not boxes:
        return GraphLayout((), (), 0.0, 0.0)
    given = _give_in_order(boxes, edges)
    made = _ask(_describe(boxes, edges, given), is_cancelled)
    left, top = (made["bounds"]["min"][axis] for axis in "xy")
    right, bottom = (made["bounds"]["max"][axis] for axis in "xy")

    def move(place: dict[str, float]) -> Point:
        return place["x"] - left, place["y"] - top

    centers = {
        box: move(each["center"]) for box, each in zip(given.boxes, made["nodes"], strict=True)
    }
    paths: dict[int, EdgePath] = {}
    for number, each in zip(given.edges, made["edges"], strict=True):
        points = [move(place) for place in each["points"]]
        if number in given.turned:
            points.reverse()
        anchor = each.get("label_anchor")
        label = _find_middle(points) if anchor is None else move(anchor)
        paths[number] = EdgePath(tuple(points), label)
    return GraphLayout(
        tuple(centers[box] for box in range(len(boxes))),
        tuple(paths[number] for number in range(len(edges))),
        right - left,
        bottom - top,
    )


class _Given(NamedTuple):
    """The order in which graphlay is given boxes and edges, and the edges that are reversed."""

    boxes: list[int]
    edges: list[int]
    turned: frozenset[int]  # edges


def _give_in_order(boxes: Sequence[BoxSize], edges: Sequence[LayoutEdge]) -> _Given:
    """Order boxes from left to right as they were placed last, new ones behind them."""

    def last_x(box: int) -> float:
        x = boxes[box].last_x
        return inf if x is None else x

    order = sorted(range(len(boxes)), key=last_x)
    rank = {box: at for at, box in enumerate(order)}

    def ends(number: int) -> tuple[int, int]:
        return rank[edges[number].source], rank[edges[number].target]

    return _Given(order, sorted(range(len(edges)), key=ends), find_upward(len(boxes), edges))


def find_upward(n_boxes: int, edges: Sequence[LayoutEdge]) -> frozenset[int]:
    """Return the numbers of the edges that lead back to a box above: the back edges of a
    depth-first search from the entries, heavy calls first. Without them the graph has no cycles."""
    callees: list[list[int]] = [[] for _ in range(n_boxes)]
    is_called = [False] * n_boxes
    for number, edge in enumerate(edges):
        if edge.source != edge.target:
            callees[edge.source].append(number)
            is_called[edge.target] = True
    for numbers in callees:
        numbers.sort(key=lambda number: -edges[number].weight)
    is_seen, is_open = [False] * n_boxes, [False] * n_boxes
    upward: set[int] = set()
    entries = [box for box in range(n_boxes) if not is_called[box]]
    for entry in (*entries, *range(n_boxes)):
        if is_seen[entry]:
            continue
        is_seen[entry] = is_open[entry] = True
        path = [(entry, iter(callees[entry]))]
        while path:
            box, left = path[-1]
            number = next(left, -1)
            if number < 0:
                is_open[box] = False
                path.pop()
                continue
            target = edges[number].target
            if is_open[target]:
                upward.add(number)
            elif not is_seen[target]:
                is_seen[target] = is_open[target] = True
                path.append((target, iter(callees[target])))
    return frozenset(upward)


def _describe(
    boxes: Sequence[BoxSize], edges: Sequence[LayoutEdge], given: _Given
) -> dict[str, Any]:
    """Return the request to graphlay. Reversed edges are those that would not lead down."""
    rank = {box: at for at, box in enumerate(given.boxes)}
    nodes = [
        {"size": {"width": boxes[box].width, "height": boxes[box].height}} for box in given.boxes
    ]
    arrows: list[dict[str, Any]] = []
    for number in given.edges:
        edge = edges[number]
        source, target = rank[edge.source], rank[edge.target]
        if number in given.turned:
            source, target = target, source
        arrows.append(
            {"source": source, "target": target, "weight": 1.0 + edge.weight * _MAX_WEIGHT}
        )
        if edge.label_size[0] > 0:
            arrows[-1]["label_size"] = {"width": edge.label_size[0], "height": edge.label_size[1]}
    effort = "balanced" if len(boxes) <= _THOROUGH_UP_TO else "fast"
    return {"graph": {"nodes": nodes, "edges": arrows}, "options": {**_OPTIONS, "effort": effort}}


def _ask(request: dict[str, Any], is_cancelled: Callable[[], bool]) -> dict[str, Any]:
    """Run the child process with a request and return its answer. Both go through temporary files,
    not pipes, so that neither side waits for the other to read."""
    spec = importlib.util.find_spec("graphlay")
    if spec is None or spec.origin is None:
        raise ContentError(
            "The call graph cannot be laid out, as graphlay is not installed",
            "pip install 'stackglass[viewer]'",
        )
    folder = str(Path(spec.origin).parent.parent)
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as answered:
        asked.write(json.dumps(request).encode())
        asked.seek(0)
        child = subprocess.Popen(
            [sys.executable, "-I", "-S", graph_layout_child.__file__, folder],
            stdin=asked,
            stdout=answered,
            stderr=subprocess.DEVNULL,
        )
        try:
            if not wait_for(child, is_cancelled, _TIMEOUT_S, _POLL_S):
                raise ContentError("The call graph is too tangled to be laid out", _FEWER)
        finally:
            child.kill()
            child.wait()
        answered.seek(0)  # a child that failed may have written half an answer
        made: dict[str, Any] = {} if child.returncode else json.loads(answered.read() or b"{}")
    if "error" in made or not made:
        # The child ends without an answer at the limits of its time and memory.
        reason = made.get("error") or "the layout ended early"
        raise ContentError(f"The call graph cannot be laid out ({reason})", _FEWER)
    return made


def _find_middle(points: Sequence[Point]) -> Point:
    """Return the middle of the longest segment of a path."""
    if len(points) < 2:
        return points[0] if points else (0.0, 0.0)
    (x0, y0), (x1, y1) = max(
        pairwise(points),
        key=lambda ends: abs(ends[1][0] - ends[0][0]) + abs(ends[1][1] - ends[0][1]),
    )
    return (x0 + x1) / 2, (y0 + y1) / 2
