"""Scene of a call graph: boxes and edges in their places, ready to be painted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import UInt32s
from stackglass_viewer.model.graph.call_edges import CallEdges, sum_table_edges, sum_tree_edges
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues, add_up
from stackglass_viewer.model.graph.colours import colour_changes, colour_frames
from stackglass_viewer.model.graph.graph_layout import (
    BoxSize,
    EdgePath,
    GraphLayout,
    LayoutEdge,
    Point,
    lay_out_graph,
)
from stackglass_viewer.model.graph.graph_trim import (
    GraphLimits,
    SumEdges,
    TrimmedGraph,
    trim_graph,
)
from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.graph.top import TopTable, build_top
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.units import format_change, format_share, format_value
from stackglass_viewer.presenter.document.box_name import BoxName, fit_name_in_box
from stackglass_viewer.presenter.document.flame_scene import FlameScene, FrameDetails
from stackglass_viewer.presenter.document.function_details import details_of_function
from stackglass_viewer.presenter.document.labels import fit_name
from stackglass_viewer.presenter.document.placed_graph import PlacedGraph, list_keys, renumber

CHAR_PX, LINE_PX = 7.3, 16.0
"""A letter and a line of the smallest text of a box; larger text scales both."""
INSET_PX = 8.0
_TITLE_CHARS, _MODULE_CHARS = 34, 38
_EDGE_LINE_PX = 13.0
_FIGURES, _FIGURE_CHARS = 2, 18  # lines and letters: room for any figures at a refresh
_NAME_SCALE = 1.5  # most of a name that stands alone, relative to the box's text
_SCALES = (1.0, 1.15, 1.3, 1.45, 1.6)  # of a box's text, by the function's flat value


@dataclass(frozen=True, slots=True, eq=False)
class GraphSubject:
    """The data that a graph is drawn from."""

    top: TopTable
    scene: FlameScene | None  # callers first; None = a table without stacks
    calls: FunctionTable | None  # of a table: which function calls which; None = not known
    palette: Palette
    type_index: int


@dataclass(frozen=True, slots=True)
class GraphBox:
    """The box of one function."""

    frame: int
    title: str
    module: str  # the start of the function's name; "" = there is none
    figures: tuple[str, ...]  # one text for each line
    name: BoxName  # the title alone, for scales at which the rest cannot be read
    left: float
    top: float
    width: float
    height: float
    scale: float  # of the text, except the module
    colour: int  # 0xAARRGGBB
    own: int
    total: int

    @property
    def center(self) -> Point:
        return self.left + self.width / 2, self.top + self.height / 2


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """Calls of one function by another."""

    caller: int  # box
    callee: int  # box
    path: EdgePath
    text: str
    weight: int
    share: float  # of the whole, without sign
    is_residual: bool  # some of these calls lead through functions that are left out


@dataclass(frozen=True, slots=True, eq=False)
class CallGraphScene:
    """A call graph ready to be painted. Built by a worker; read by the GUI thread."""

    boxes: tuple[GraphBox, ...]  # the most important first
    edges: tuple[GraphEdge, ...]  # heavy ones last: they are painted above the others
    width: float
    height: float
    n_found: int  # functions with a value, before anything was left out
    n_waiting: int  # functions that have come since the boxes were placed, and have no box yet
    top: TopTable

    def box_of(self, frame: int) -> int:
        """Return the box of a function; -1 = there is none."""
        return next((at for at, box in enumerate(self.boxes) if box.frame == frame), -1)


class Drawn(NamedTuple):
    """A scene, and the places of its boxes and edges."""

    scene: CallGraphScene
    placed: PlacedGraph


def draw_graph(
    subject: GraphSubject,
    limits: GraphLimits,
    placed: PlacedGraph | None,
    is_held: bool,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> Drawn:
    """Draw a graph, on a worker's thread. ``placed`` has the places of the last drawing; while
    ``is_held`` they stay, and new functions are left out. Raises ContentError, CancelledError."""
    trimmed = trim_graph(subject.top, limits, _choose_edges(subject))
    if placed is not None:
        placed = renumber(placed, list_keys(subject.top, trimmed.frame.tolist()))
    known = set(placed.centers) if placed is not None else set()
    is_same = placed is not None and _is_same(trimmed, placed)
    if placed is None or not (is_same or (is_held and known)):
        placed = _place(subject.top, trimmed, placed, is_cancelled)
    return Drawn(_make_scene(subject, trimmed, placed), placed)


def _choose_edges(subject: GraphSubject) -> SumEdges:
    """Return the function that sums the calls between the functions that are kept."""
    scene, calls = subject.scene, subject.calls
    if scene is not None:
        return lambda is_kept: sum_tree_edges(scene.tree, scene.values, is_kept)
    if calls is not None:
        return lambda is_kept: sum_table_edges(calls, subject.type_index, is_kept)
    nothing = np.empty(0, np.int32)
    none = CallEdges(nothing, nothing, np.empty(0, np.int64), np.empty(0, np.bool_))
    return lambda _: none


def _list_pairs(edges: CallEdges) -> list[tuple[int, int]]:
    return list(zip(edges.caller.tolist(), edges.callee.tolist(), strict=True))


def _is_same(trimmed: TrimmedGraph, placed: PlacedGraph) -> bool:
    frames, pairs = set(trimmed.frame.tolist()), set(_list_pairs(trimmed.edges))
    return frames == set(placed.centers) and pairs == set(placed.paths)


# -- places


def _place(
    top: TopTable,
    trimmed: TrimmedGraph,
    before: PlacedGraph | None,
    is_cancelled: Callable[[], bool],
) -> PlacedGraph:
    frames = trimmed.frame.tolist()
    most = max((abs(int(top.flat[frame])) for frame in frames), default=0)
    sizes = {frame: _measure(top, frame, most) for frame in frames}
    last = before.centers if before is not None else {}
    boxes = [
        replace(sizes[frame][0], last_x=last[frame][0]) if frame in last else sizes[frame][0]
        for frame in frames
    ]
    box_of = {frame: box for box, frame in enumerate(frames)}
    pairs = _list_pairs(trimmed.edges)
    weights = np.abs(trimmed.edges.weight).tolist()
    heaviest = max(weights, default=0) or 1
    edges = [
        LayoutEdge(
            box_of[caller],
            box_of[callee],
            weight / heaviest,
            (_measure_label(top, weight), _EDGE_LINE_PX),
        )
        for (caller, callee), weight in zip(pairs, weights, strict=True)
    ]
    layout: GraphLayout = lay_out_graph(boxes, edges, is_cancelled)
    return PlacedGraph(
        sizes,
        dict(zip(frames, layout.centers, strict=True)),
        dict(zip(pairs, layout.paths, strict=True)),
        layout.width,
        layout.height,
        list_keys(top, frames),
    )


def _measure(top: TopTable, frame: int, most: int) -> tuple[BoxSize, float]:
    """Return the size of a function's box and the scale of its text, which grows with ``flat``."""
    share = sqrt(abs(int(top.flat[frame])) / most) if most else 0.0
    scale = _SCALES[round(share * (len(_SCALES) - 1))]
    title, module = split_name(top.name[frame])
    n_chars = max(_FIGURE_CHARS, len(title), *map(len, _write_figures(top, frame)))
    width = max(n_chars * scale, len(module)) * CHAR_PX + 2 * INSET_PX
    height = ((1 + _FIGURES) * scale + bool(module)) * LINE_PX + 2 * INSET_PX
    return BoxSize(width, height), scale


def _measure_label(top: TopTable, weight: int) -> float:
    return (len(_write_value(top, weight)) + 1) * CHAR_PX


# -- words


def split_name(name: str) -> tuple[str, str]:
    """Return the end of a function's name and the part before it, each cut to a box's width.

    >>> split_name("http.client.HTTPConnection.request")
    ('HTTPConnection.request', 'http.client')
    """
    whole = fit_name(name, len(name) + _TITLE_CHARS)
    head, slash, last = whole.rpartition("/")
    is_whole = slash or name.startswith(("<", "[")) or "::" in last or ": " in last
    parts = [last] if is_whole else last.split(".")
    n_kept = 1
    while n_kept < len(parts) and _belongs(parts[-n_kept - 1], parts[-n_kept]):
        n_kept += 1
    title = ".".join(parts[-n_kept:])
    module = head if slash else ".".join(parts[:-n_kept])
    return _cut_start(title, _TITLE_CHARS), _cut_start(module, _MODULE_CHARS)


def _belongs(before: str, after: str) -> bool:
    """Whether ``before``, a class or the function of a closure, is shown with ``after``."""
    return before[:1].isupper() or before.lstrip("_")[:1].isupper() or "<locals>" in (before, after)


def _cut_start(text: str, n_chars: int) -> str:
    return text if len(text) <= n_chars else f"…{text[1 - n_chars :]}"


def _write_value(top: TopTable, value: int) -> str:
    return (format_change if top.is_change else format_value)(value, top.unit)


def _share(top: TopTable, value: int) -> float:
    return abs(value) / top.total if top.total else 0.0


def _write_figures(top: TopTable, frame: int) -> tuple[str, ...]:
    """Return the figures as pprof writes them: flat, and the cum value that contains it."""
    flat, cum = int(top.flat[frame]), int(top.cum[frame])
    own = _write_value(top, flat)
    if flat == cum or not flat:
        parts = [own if flat else f"0 of {_write_value(top, cum)}", format_share(_share(top, cum))]
        return (" · ".join(parts if top.has_shares else parts[:1]),)
    lines = ((own, flat), (f"of {_write_value(top, cum)}", cum))
    if not top.has_shares:
        return tuple(text for text, _ in lines)
    return tuple(f"{text} · {format_share(_share(top, value))}" for text, value in lines)


# -- the scene


def _make_scene(
    subject: GraphSubject, trimmed: TrimmedGraph, placed: PlacedGraph
) -> CallGraphScene:
    top, colours = subject.top, _colour(subject, trimmed)
    boxes: list[GraphBox] = []
    for colour, frame in zip(colours.tolist(), trimmed.frame.tolist(), strict=True):
        if frame not in placed.centers:
            continue
        (size, scale), (x, y) = placed.sizes[frame], placed.centers[frame]
        title, module = split_name(top.name[frame])
        boxes.append(
            GraphBox(
                frame,
                title,
                module,
                _write_figures(top, frame),
                _fit_name(title, size, scale),
                x - size.width / 2,
                y - size.height / 2,
                size.width,
                size.height,
                scale,
                colour,
                int(top.flat[frame]),
                int(top.cum[frame]),
            )
        )
    edges = _make_edges(top, trimmed.edges, placed, {box.frame: at for at, box in enumerate(boxes)})
    return CallGraphScene(
        tuple(boxes),
        edges,
        placed.width,
        placed.height,
        trimmed.n_found,
        len(trimmed.frame) - len(boxes),
        top,
    )


def _fit_name(title: str, size: BoxSize, scale: float) -> BoxName:
    width, height = size.width - INSET_PX, size.height - INSET_PX
    return fit_name_in_box(title, width, height, (CHAR_PX, LINE_PX), scale * _NAME_SCALE)


def _make_edges(
    top: TopTable, edges: CallEdges, placed: PlacedGraph, box_of: dict[int, int]
) -> tuple[GraphEdge, ...]:
    made = [
        GraphEdge(
            box_of[caller],
            box_of[callee],
            placed.paths[caller, callee],
            _write_value(top, weight),
            weight,
            _share(top, weight),
            is_residual,
        )
        for (caller, callee), weight, is_residual in zip(
            _list_pairs(edges), edges.weight.tolist(), edges.is_residual.tolist(), strict=True
        )
        if (caller, callee) in placed.paths and caller in box_of and callee in box_of
    ]
    return tuple(sorted(made, key=lambda edge: edge.share))


def _colour(subject: GraphSubject, trimmed: TrimmedGraph) -> UInt32s:
    """Return (n_nodes,) the flame graph's colours of functions; for a difference, by change."""
    top, frames = subject.top, trimmed.frame
    if top.is_change:
        sizes = np.abs(top.cum)
        if subject.scene is not None:
            sizes = _measure_changes(subject.scene.tree, subject.scene.values)
        return colour_changes(top.cum[frames], sizes[frames], subject.palette)
    if subject.scene is not None:
        return subject.scene.colours[frames]
    names, files = (_pick(texts, frames.tolist()) for texts in (top.name, top.file))
    return colour_frames(names, files, subject.palette)


def _measure_changes(tree: CallTree, values: NodeValues) -> np.ndarray:
    """Return (n_frames,) the change in each function and its callees, without signs."""
    return build_top(tree, add_up(tree, np.abs(values.own), values.unit)).cum


def _pick(texts: Sequence[str], places: list[int]) -> list[str]:
    return [texts[place] for place in places]


# -- details of one part


def details_of_whole(scene: CallGraphScene) -> FrameDetails:
    """Return the details that are shown while nothing is selected."""
    top = scene.top
    if not top.is_change:
        return FrameDetails("all", "", 0, top.total, 1.0, 1.0, top.unit, relation="")
    change = int(top.flat.sum())
    share = change / top.total if top.total else 0.0
    return FrameDetails("all", "", 0, change, share, 1.0, top.unit, is_change=True, relation="")


def details_of_box(scene: CallGraphScene, box: int) -> FrameDetails:
    """Return the details of a function: its figures in the table."""
    return replace(details_of_function(scene.top, scene.boxes[box].frame), before=None)


def details_of_edge(scene: CallGraphScene, edge: int) -> FrameDetails:
    """Return the details of the calls between two functions."""
    top, each = scene.top, scene.edges[edge]
    caller, callee = scene.boxes[each.caller], scene.boxes[each.callee]
    between = " through functions that are left out" if each.is_residual else ""
    return FrameDetails(
        name=f"{top.name[caller.frame]} → {top.name[callee.frame]}",
        place=f"calls{between}",
        own=0,
        total=each.weight,
        share=each.weight / top.total if top.total else 0.0,
        parent_share=abs(each.weight / caller.total) if caller.total else 0.0,
        unit=top.unit,
        is_change=top.is_change,
        relation="" if top.is_change else "Of caller",  # changes of a caller may cancel out
    )
