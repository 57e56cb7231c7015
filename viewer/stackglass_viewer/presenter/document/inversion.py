"""What a style makes of a built graph: callees first; without small boxes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from stackglass_viewer.model.graph.colours import colour_changes
from stackglass_viewer.model.graph.flame_layout import drop_narrow, lay_out_sizes
from stackglass_viewer.model.graph.inverted import invert_tree
from stackglass_viewer.model.graph.kept_order import KeptOrder
from stackglass_viewer.presenter.document.build_request import MERGED_ORDERS
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.sources import Built
from stackglass_viewer.presenter.settings.palettes import GraphStyle


def invert_scene(
    scene: FlameScene,
    style: GraphStyle,
    kept: KeptOrder | None = None,
    placed_for: Hashable = None,
) -> FlameScene:
    """The same values, from the functions where samples end to their callers. ``kept``: the places
    that boxes have while ``placed_for`` is the same. Any thread."""
    half = invert_tree(scene.tree, scene.values)
    subject = (placed_for, scene.is_idle) if placed_for is not None else None
    before = kept.find(half.tree, subject) if kept is not None else None
    layout = lay_out_sizes(half.tree, half.size, MERGED_ORDERS[style.order], before=before)
    if kept is not None:
        kept.keep(half.tree, layout, subject)
    changes = None
    if scene.is_difference:
        changes = colour_changes(half.values.total, half.size, style.palette)
    return replace(
        scene,
        tree=half.tree,
        values=half.values,
        layout=layout,
        change_colours=changes,
        box_colours=None,  # of boxes that are callers first
        base=scene.whole,
        before=None,
        is_inverted=True,
    )


def drop_small(built: Built, style: GraphStyle) -> Built:
    """Without the small boxes of its graphs, where that is wanted. Any thread."""
    if not style.least:
        return built
    scene, inverted = (
        None if each is None else replace(each, layout=drop_narrow(each.layout, style.least))
        for each in (built.scene, built.inverted)
    )
    return replace(built, scene=scene, inverted=inverted)


def add_inverted(
    built: Built,
    style: GraphStyle,
    kept: KeptOrder | None = None,
    placed_for: Hashable = None,
) -> Built:
    """With the inverted graph, where it is wanted and there are stacks. Any thread."""
    if built.scene is None or not style.is_inverted:
        return built
    return replace(built, inverted=invert_scene(built.scene, style, kept, placed_for))
