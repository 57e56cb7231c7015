"""Navigation in a call graph: where arrow keys lead, and what is at a position."""

from __future__ import annotations

from itertools import pairwise

from stackglass_viewer.model.graph.graph_layout import Point
from stackglass_viewer.presenter.document.flame_scene import Direction
from stackglass_viewer.presenter.document.graph_scene import CallGraphScene, GraphBox


def neighbour_box(scene: CallGraphScene, box: int, direction: Direction) -> int:
    """Return the box that an arrow key leads to from ``box``.

    That is the caller or callee with the largest share, or the next box in the row; ``box`` itself
    if there is none. For an invalid ``box`` return the first box, or -1 if there are no boxes.
    """
    if not 0 <= box < len(scene.boxes):
        return 0 if scene.boxes else -1
    if direction is Direction.CALLER:
        ways = [(e.share, e.caller) for e in scene.edges if e.callee == box != e.caller]
    elif direction is Direction.CALLEE:
        ways = [(e.share, e.callee) for e in scene.edges if e.caller == box != e.callee]
    else:
        return _find_beside(scene, box, -1 if direction is Direction.BEFORE else 1)
    return max(ways, default=(0.0, box), key=lambda way: way[0])[1]


def _find_beside(scene: CallGraphScene, box: int, step: int) -> int:
    here = scene.boxes[box]
    beside = [
        (abs(other.center[0] - here.center[0]), at)
        for at, other in enumerate(scene.boxes)
        if _share_row(here, other) and (other.center[0] - here.center[0]) * step > 0
    ]
    return min(beside, default=(0.0, box))[1]


def _share_row(one: GraphBox, other: GraphBox) -> bool:
    return one.top < other.top + other.height and other.top < one.top + one.height


def box_at(scene: CallGraphScene, point: Point) -> int:
    """Return the box at a position in the graph; -1 = there is none."""
    x, y = point
    return next(
        (
            at
            for at, box in enumerate(scene.boxes)
            if box.left <= x < box.left + box.width and box.top <= y < box.top + box.height
        ),
        -1,
    )


def edge_at(scene: CallGraphScene, point: Point, reach: float) -> int:
    """Return the nearest edge within ``reach`` of a position; -1 = there is none."""
    found, nearest = -1, reach
    for at, edge in enumerate(scene.edges):
        for begin, end in pairwise(edge.path.points):
            if not _is_near(begin, end, point, nearest):
                continue
            distance = _measure_distance(begin, end, point)
            if distance <= nearest:
                found, nearest = at, distance
    return found


def _is_near(begin: Point, end: Point, point: Point, reach: float) -> bool:
    """Whether a position lies in the rectangle around a line, extended by ``reach``."""
    return all(
        min(begin[axis], end[axis]) - reach <= point[axis] <= max(begin[axis], end[axis]) + reach
        for axis in (0, 1)
    )


def _measure_distance(begin: Point, end: Point, point: Point) -> float:
    """Return the distance from a position to the line from ``begin`` to ``end``."""
    along_x, along_y = end[0] - begin[0], end[1] - begin[1]
    length_2 = along_x**2 + along_y**2
    share = 0.0
    if length_2:
        share = ((point[0] - begin[0]) * along_x + (point[1] - begin[1]) * along_y) / length_2
        share = min(max(share, 0.0), 1.0)
    x, y = begin[0] + share * along_x - point[0], begin[1] + share * along_y - point[1]
    return float((x**2 + y**2) ** 0.5)
