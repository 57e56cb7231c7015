"""Graphs and texts of differences: what grew and what shrank."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.graph.colours import colour_changes
from stackglass_viewer.model.graph.flame_layout import FlameLayout
from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.units import format_change
from stackglass_viewer.presenter.document.flame_scene import FlameScene


def mark_changes(scene: FlameScene, palette: Palette, base: int = 0) -> FlameScene:
    """Return the scene with a colour for each box. ``base`` is what 100 % is; 0 = all changes."""
    colours = colour_changes(scene.values.total, _measure(scene.layout), palette)
    return replace(scene, change_colours=colours, base=base)


def describe_changes(changes: Int64s, unit: str) -> str:
    """Return the growth and the shrinkage: ``+12.0 MiB, −3.00 MiB``; "" = nothing changed."""
    sums = (int(changes[changes > 0].sum()), int(changes[changes < 0].sum()))
    return ", ".join(format_change(each, unit) for each in sums if each)


def _measure(layout: FlameLayout) -> Int64s:
    """Return (n_nodes,) the width of each node's box, in value units; 0 = the node has no box."""
    width = np.append(layout.right - layout.left, 0.0)  # the last is for nodes without a box
    return np.asarray(width[layout.box_of_node], dtype=np.int64)
