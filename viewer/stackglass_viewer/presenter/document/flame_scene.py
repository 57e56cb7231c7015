"""Flame graph scene: boxes with values and colours, ready to be painted, and queries on them.

A query takes a node of the call tree, or finds one at a position. Positions are a row, counted
from the root, and a fraction of the root's width.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int64s, UInt32s
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues
from stackglass_viewer.model.graph.flame_layout import FlameLayout, box_at
from stackglass_viewer.model.graph.name_parts import drop_module
from stackglass_viewer.model.profile.call_paths import write_path


@dataclass(frozen=True, slots=True)
class OverTime:
    """The thread and the time of a graph with time from left to right."""

    begin_ns: int
    end_ns: int
    name: str  # name of the thread
    is_coarse: bool = False  # short calls are left out


@dataclass(frozen=True, slots=True, eq=False)
class FlameScene:
    """A tree with its values, boxes and colours. Built by a worker; read by the GUI thread."""

    tree: CallTree
    values: NodeValues
    layout: FlameLayout
    colours: UInt32s  # (n_frames,) 0xAARRGGBB
    root_colour: int  # 0xAARRGGBB
    is_idle: bool = False  # no thread used the CPU: values count threads by their current stacks
    change_colours: UInt32s | None = None  # (n_nodes,) a colour for each box of a difference
    frame_line: Int64s | None = (
        None  # (n_frames,) the costliest line; 0 = unknown; None = the line of the definition
    )
    is_inverted: bool = False  # callees first: the parent of a box is its callee
    is_split: bool = False  # below the root are the values of a label
    box_colours: UInt32s | None = None  # (n_nodes,) by a label; None = by function
    base: int = 0  # what 100 % is, for a part of a graph; 0 = the graph is the whole
    before: Int64s | None = None  # (n_nodes,) totals in the base of a comparison; None = not known
    over_time: OverTime | None = None  # each node is a call; None = calls are added up

    @property
    def total(self) -> int:
        return int(self.values.total[0]) if self.tree.n_nodes else 0

    @property
    def is_difference(self) -> bool:
        """Whether values may be below zero: boxes are as wide as their change without sign."""
        return self.change_colours is not None

    @property
    def own_colours(self) -> UInt32s | None:
        """(n_nodes,) a colour for each box; None = boxes have the colours of their functions."""
        return self.box_colours if self.change_colours is None else self.change_colours

    @property
    def whole(self) -> int:
        """What 100 % is: the total, or for a difference the sum of all changes without signs."""
        if self.base:
            return self.base
        return round(self.layout.extent) if self.is_difference else self.total

    @property
    def unit(self) -> str:
        return self.values.unit


@dataclass(frozen=True, slots=True, eq=False)
class Highlight:
    """The functions that are highlighted: matches of the search, and the selected one."""

    matches: Bools | None = None  # (n_frames,) found by the search; None = there is no search
    frame: int = -1  # the selected function; -1 = none


@dataclass(frozen=True, slots=True)
class FrameDetails:
    """What the bar below the graph shows about one box."""

    name: str
    place: str  # its file; "" = unknown
    own: int
    total: int
    share: float  # of the whole, 0 … 1
    parent_share: float  # of the caller, 0 … 1
    unit: str
    is_change: bool = False  # values are differences and shown with their signs
    relation: str = "Of caller"  # text before ``parent_share``; "" = it is not shown
    before: int | None = None  # the total in the base of a comparison; None = not known


class Direction(Enum):
    """The neighbour that an arrow key leads to: the root is on top, so up is the caller."""

    CALLER = "up"
    CALLEE = "down"
    BEFORE = "left"
    AFTER = "right"


def root_name(scene: FlameScene) -> str:
    """Return the text of the root's box. The text says if the graph is inverted, since its shape
    does not, and the choice is kept from one run to the next."""
    if scene.over_time is not None:
        return scene.over_time.name
    whole = "all threads" if scene.is_idle else "all"
    return f"{whole}, callees first" if scene.is_inverted else whole


def name_of(scene: FlameScene, node: int) -> str:
    frame = int(scene.tree.frame[node])
    return root_name(scene) if frame < 0 else scene.tree.frame_name[frame]


def short_name_of(scene: FlameScene, node: int) -> str:
    """Return the name of a node's function without package and module."""
    frame = int(scene.tree.frame[node])
    if frame < 0:
        return root_name(scene)
    return drop_module(scene.tree.frame_name[frame], scene.tree.frame_file[frame])


def sign_of(scene: FlameScene, node: int) -> str:
    """Return ``+`` or ``−`` for a box of a difference; "" = unchanged, or no difference."""
    if not scene.is_difference:
        return ""
    total = int(scene.values.total[node])
    return "+" if total > 0 else "−" if total < 0 else ""


def file_of(scene: FlameScene, node: int) -> str:
    """Return the file of a node, and its line if known: ``shop.py``, ``shop.py:12``."""
    return place_of(scene, int(scene.tree.frame[node]))


def place_of(scene: FlameScene, frame: int) -> str:
    """Return file and line of a function; "" for the root."""
    if frame < 0:
        return ""
    file = scene.tree.frame_file[frame]
    lines = scene.tree.frame_line if scene.frame_line is None else scene.frame_line
    line = int(lines[frame]) if lines is not None else 0
    return f"{file}:{line}" if file and line else file


def node_at(scene: FlameScene, row: int, fraction: float) -> int:
    """Return the node of the box in ``row`` at ``fraction`` of the root; -1 = there is none."""
    box = box_at(scene.layout, row, fraction * scene.layout.extent)
    return int(scene.layout.node[box]) if box >= 0 else -1


def extent_of(scene: FlameScene, node: int) -> tuple[float, float, int] | None:
    """Return left and right edge as fractions of the root, and the row; None = there is no box."""
    if not 0 <= node < len(scene.layout.box_of_node) or scene.layout.extent <= 0:
        return None
    box = int(scene.layout.box_of_node[node])
    if box < 0:
        return None
    row = int(scene.tree.depth[node])
    return (
        float(scene.layout.left[box]) / scene.layout.extent,
        float(scene.layout.right[box]) / scene.layout.extent,
        row,
    )


def anchor_of(scene: FlameScene, left: float, right: float) -> int:
    """Return the node in view: the narrowest box that covers all of ``left`` … ``right``.

    Of a caller and callees of the same width the caller is returned: its only callee may get
    siblings at the next refresh.
    """
    anchor, narrowest = 0, 1.0
    middle = (left + right) / 2
    for row in range(1, scene.layout.n_rows):
        below = node_at(scene, row, middle)
        extent = extent_of(scene, below) if below >= 0 else None
        if extent is None or extent[0] > left + 1e-12 or extent[1] < right - 1e-12:
            break
        width = extent[1] - extent[0]
        if width < narrowest - 1e-12:
            anchor, narrowest = below, width
    return anchor


def details_of(scene: FlameScene, node: int) -> FrameDetails:
    """Return what the details bar shows about the box of a node."""
    total = int(scene.values.total[node])
    parent = int(scene.tree.parent[node])
    parent_total = _size_of(scene, parent if parent >= 0 else node)
    return FrameDetails(
        name=name_of(scene, node),
        place=file_of(scene, node),
        own=int(scene.values.own[node]),
        total=total,
        share=total / scene.whole if scene.whole else 0.0,
        parent_share=total / parent_total if parent_total else 0.0,
        unit=scene.unit,
        is_change=scene.is_difference,
        relation=_name_relation(scene) if parent >= 0 else "",
        before=int(scene.before[node]) if scene.before is not None else None,
    )


def _name_relation(scene: FlameScene) -> str:
    return "Of callee" if scene.is_inverted else "Of caller"


def _size_of(scene: FlameScene, node: int) -> int:
    """Return the width of a node's box in value units: its total, or its change without sign."""
    if not scene.is_difference:
        return int(scene.values.total[node])
    box = int(scene.layout.box_of_node[node])
    return round(scene.layout.right[box] - scene.layout.left[box]) if box >= 0 else 0


def neighbour(scene: FlameScene, node: int, direction: Direction) -> int:
    """Return the box that an arrow key leads to; ``node`` itself if there is none."""
    layout = scene.layout
    extent = extent_of(scene, node)
    if extent is None:
        return node
    box, row = int(layout.box_of_node[node]), extent[2]
    if direction is Direction.CALLER:
        parent = int(scene.tree.parent[node])
        return parent if parent >= 0 else node
    if direction is Direction.CALLEE:
        return _widest_callee(scene, node, row)
    step = -1 if direction is Direction.BEFORE else 1
    if layout.row_start[row] <= box + step < layout.row_start[row + 1]:
        return int(layout.node[box + step])
    return node


def _widest_callee(scene: FlameScene, node: int, row: int) -> int:
    layout = scene.layout
    if row + 1 >= layout.n_rows:
        return node
    box = int(layout.box_of_node[node])
    first, last = int(layout.row_start[row + 1]), int(layout.row_start[row + 2])
    row_left = layout.left[first:last]
    begin = first + int(np.searchsorted(row_left, layout.left[box], side="left"))
    end = first + int(np.searchsorted(row_left, layout.right[box], side="left"))
    if begin >= end:
        return node
    widths = layout.right[begin:end] - layout.left[begin:end]
    return int(layout.node[begin + int(np.argmax(widths))])


def find_widest(scene: FlameScene, frame: int) -> int:
    """Return the node of a function with the largest value; -1 = it has none. O(n_nodes)."""
    nodes = np.flatnonzero(scene.tree.frame == frame)
    return int(nodes[np.argmax(np.abs(scene.values.total[nodes]))]) if len(nodes) else -1


def find_present(scene: FlameScene, nodes: Int64s | slice) -> Bools:
    """Return whether anything goes through each of some nodes. In a difference, its values may
    cancel out to 0; then it still has a box."""
    has_value = scene.values.total[nodes] != 0
    present: Bools = has_value | (scene.layout.box_of_node[nodes] >= 0)
    return present


def has_box(scene: FlameScene, frame: int) -> bool:
    """Whether a function has a box; not for -1, the root. O(n_boxes)."""
    return frame >= 0 and bool((scene.tree.frame[scene.layout.node] == frame).any())


def rank_matches(scene: FlameScene, is_match: Bools) -> Int64s:
    """Return the boxes of matching functions, widest first; of recursive calls the outermost.

    ``is_match`` is (n_frames,). O(n_nodes).
    """
    tree = scene.tree
    is_hit = np.zeros(tree.n_nodes, dtype=np.bool_)
    is_hit[1:] = is_match[tree.frame[1:]]
    is_hit &= (scene.layout.box_of_node >= 0) & ~tree.is_recursive
    nodes = np.flatnonzero(is_hit)
    return nodes[np.argsort(-np.abs(scene.values.total[nodes]), kind="stable")]


def rank_functions(scene: FlameScene, is_match: Bools) -> Int64s:
    """Return the widest box of each matching function, widest first."""
    nodes = rank_matches(scene, is_match)
    _, first = np.unique(scene.tree.frame[nodes], return_index=True)
    return nodes[np.sort(first)]


def path_of(tree: CallTree, node: int) -> tuple[tuple[str, str], ...]:
    """Return names and files from below the root down to the node."""
    path: list[tuple[str, str]] = []
    while node > 0:
        frame = int(tree.frame[node])
        path.append((tree.frame_name[frame], tree.frame_file[frame]))
        node = int(tree.parent[node])
    return tuple(reversed(path))


def call_path_of(scene: FlameScene, node: int) -> str:
    """Return the path of a call for a filter (``call_paths``), without the value of a label that
    the graph is split by. "" = there is none: for the root, a value, or with callees first."""
    if scene.is_inverted:
        return ""
    names = [name for name, _ in path_of(scene.tree, node)]
    return write_path(names[1:] if scene.is_split else names)


def stack_text(scene: FlameScene, node: int) -> str:
    """Return the stack as text, innermost frame first, as in tracebacks of most languages."""
    path = path_of(scene.tree, node)
    frames = path if scene.is_inverted else tuple(reversed(path))
    lines = [f"{name} ({file})" if file else name for name, file in frames]
    return "\n".join(lines) or root_name(scene)


FunctionKey = tuple[str, str]
"""Name and file of a function."""


def find_again(key: FunctionKey, before: int, names: Sequence[str], files: Sequence[str]) -> int:
    """Return the function that had the number ``before`` in another graph; -1 = it is not there.

    Most functions keep their numbers. The values of a label that a graph is split by come after the
    named functions, and so do functions without a name.
    """
    if 0 <= before < len(names) and names[before] == key[0]:
        return before
    pairs = zip(names, files, strict=True)
    return next((at for at, pair in enumerate(pairs) if pair == key), -1)


def find_in(old: CallTree, node: int, new: CallTree) -> int:
    """Return the node of the same stack in the tree ``new``, or of its longest prefix there.

    Trees of one live session mostly keep their numbers, so the same number is tried first.
    """
    if old is new or node <= 0:
        return max(node, 0)
    path = path_of(old, node)
    if node < new.n_nodes and new.depth[node] == old.depth[node] and path_of(new, node) == path:
        return node
    here = 0
    for step in path:
        children = np.flatnonzero(new.parent == here)
        found = -1
        for child in children:
            frame = int(new.frame[child])
            if (new.frame_name[frame], new.frame_file[frame]) == step:
                found = int(child)
                break
        if found < 0:
            break
        here = found
    return here


def is_split_value(scene: FlameScene, frame: int) -> bool:
    """Whether the boxes of a frame stand for a value of the label that the graph is split by. The
    first row has only values; in an inverted graph every stack ends with one."""
    tree = scene.tree
    if scene.is_inverted:
        is_of_value = np.ones(tree.n_nodes, np.bool_)
        is_of_value[tree.parent[1:]] = False
    else:
        is_of_value = tree.depth == 1
    boxes = is_of_value[tree.frame == frame]
    return len(boxes) > 0 and bool(boxes.all())
