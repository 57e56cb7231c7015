"""Inverted scene of a graph: callees first, ready to be painted."""

from __future__ import annotations

from dataclasses import replace

from stackglass_viewer.model.graph.colours import colour_changes
from stackglass_viewer.model.graph.flame_layout import lay_out_sizes
from stackglass_viewer.model.graph.inverted import invert_tree
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.sources import MERGED_ORDERS, Built
from stackglass_viewer.presenter.settings.palettes import GraphStyle


def invert_scene(scene: FlameScene, style: GraphStyle) -> FlameScene:
    """The same values, from the functions where samples end to their callers. Any thread."""
    half = invert_tree(scene.tree, scene.values)
    changes = None
    if scene.is_difference:
        changes = colour_changes(half.values.total, half.size, style.palette)
    return replace(
        scene,
        tree=half.tree,
        values=half.values,
        layout=lay_out_sizes(half.tree, half.size, MERGED_ORDERS[style.order]),
        change_colours=changes,
        box_colours=None,  # of boxes that are callers first
        base=scene.whole,
        before=None,
        is_inverted=True,
    )


def add_inverted(built: Built, style: GraphStyle) -> Built:
    """With the inverted graph, where it is wanted and there are stacks. Any thread."""
    if built.scene is None or not style.is_inverted:
        return built
    return replace(built, inverted=invert_scene(built.scene, style))
