"""Zoom of a flame graph, as a record that can be restored in another graph.

A record has the path of a box, by names and files, and the view in widths of that box. Fractions
of the whole graph would not do: they change as soon as another box grows.
"""

from __future__ import annotations

import numpy as np

from stackglass_viewer.presenter.document.flame_scene import (
    FlameScene,
    anchor_of,
    extent_of,
    path_of,
)
from stackglass_viewer.presenter.document.navigation import View
from stackglass_viewer.presenter.settings.open_tabs import ZoomRecord


def read_zoom(scene: FlameScene, view: View) -> ZoomRecord | None:
    """Return the zoom of a view as a record; None = the whole graph is shown."""
    anchor = anchor_of(scene, view.left, view.right)
    extent = extent_of(scene, anchor)
    if view == View() or extent is None:
        return None
    begin, end, _ = extent
    left, right = ((edge - begin) / (end - begin) for edge in (view.left, view.right))
    return ZoomRecord(path_of(scene.tree, anchor), left, right, view.top_px)


def find_zoom(scene: FlameScene, record: ZoomRecord) -> View | None:
    """Return the view of a record in another graph; None = the graph has no such box."""
    node = 0
    for step in record.path:
        node = _find_callee(scene, node, step)
        if node < 0:
            return None
    extent = extent_of(scene, node)
    if extent is None:
        return None
    begin, end, _ = extent
    left, right = (begin + edge * (end - begin) for edge in (record.left, record.right))
    return View(left, right, record.top_px)


def _find_callee(scene: FlameScene, node: int, step: tuple[str, str]) -> int:
    """Return the callee of ``node`` with the name and file ``step``; -1 = there is none."""
    layout, tree = scene.layout, scene.tree
    box, row = int(layout.box_of_node[node]), int(tree.depth[node]) + 1
    if box < 0 or row >= layout.n_rows:
        return -1
    first, last = int(layout.row_start[row]), int(layout.row_start[row + 1])
    lefts = layout.left[first:last]
    begin = first + int(np.searchsorted(lefts, layout.left[box], side="left"))
    end = first + int(np.searchsorted(lefts, layout.right[box], side="left"))
    for callee in layout.node[begin:end].tolist():
        frame = int(tree.frame[callee])
        if (tree.frame_name[frame], tree.frame_file[frame]) == step:
            return int(callee)
    return -1
