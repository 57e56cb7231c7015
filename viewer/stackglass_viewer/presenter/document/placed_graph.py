"""Placed graph: the places of boxes and edges, which the next drawing of a call graph keeps."""

from __future__ import annotations

from dataclasses import dataclass

from stackglass_viewer.model.graph.graph_layout import BoxSize, EdgePath, Point
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.presenter.document.flame_scene import FunctionKey


@dataclass(frozen=True, slots=True, eq=False)
class PlacedGraph:
    """Places of boxes and edges, kept while functions and calls stay the same."""

    sizes: dict[int, tuple[BoxSize, float]]  # by frame: size, scale of the text
    centers: dict[int, Point]  # by frame
    paths: dict[tuple[int, int], EdgePath]  # by caller and callee
    width: float
    height: float
    keys: dict[int, FunctionKey]  # by frame


def list_keys(top: TopTable, frames: list[int]) -> dict[int, FunctionKey]:
    """Return name and file of each frame."""
    return {frame: (top.name[frame], top.file[frame]) for frame in frames}


def renumber(placed: PlacedGraph, keys: dict[int, FunctionKey]) -> PlacedGraph:
    """Return the places by the frames of another table, in which functions may have other numbers,
    as in each profile that a server sends. Functions that are not in ``keys`` have none."""
    frame_of = {key: frame for frame, key in keys.items()}
    moved = {old: frame_of.get(key, -1) for old, key in placed.keys.items()}
    if all(old == new for old, new in moved.items() if new >= 0 or old in keys):
        return placed
    known = {old: new for old, new in moved.items() if new >= 0}
    return PlacedGraph(
        {known[old]: size for old, size in placed.sizes.items() if old in known},
        {known[old]: center for old, center in placed.centers.items() if old in known},
        {
            (known[caller], known[callee]): path
            for (caller, callee), path in placed.paths.items()
            if caller in known and callee in known
        },
        placed.width,
        placed.height,
        {new: placed.keys[old] for old, new in known.items()},
    )
