"""Last steps of building a graph, if its style asks for them: inversion, removal of small boxes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

from stackglass_viewer.model.graph.colours import colour_changes
from stackglass_viewer.model.graph.flame_layout import drop_narrow, lay_out_sizes
from stackglass_viewer.model.graph.inverted_tree import invert_tree
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
    """Return the scene as a tree from callees to callers: its roots are the innermost functions.

    ``kept`` holds the places of boxes in the previous layout. Boxes keep these places while
    ``placed_for`` stays the same. Any thread may call this function.
    """
    inverted = invert_tree(scene.tree, scene.values)
    subject = (placed_for, scene.is_idle) if placed_for is not None else None
    before = kept.find(inverted.tree, subject) if kept is not None else None
    order = MERGED_ORDERS[style.order]
    layout = lay_out_sizes(inverted.tree, inverted.size, order, before=before)
    if kept is not None:
        kept.keep(inverted.tree, layout, subject)
    changes = None
    if scene.is_difference:
        changes = colour_changes(inverted.values.total, inverted.size, style.palette)
    return replace(
        scene,
        tree=inverted.tree,
        values=inverted.values,
        layout=layout,
        change_colours=changes,
        box_colours=None,  # the colours are of boxes that this tree does not have
        base=scene.whole,
        before=None,
        is_inverted=True,
    )


def drop_small(built: Built, style: GraphStyle) -> Built:
    """Return the graphs without boxes narrower than ``style.least``, if it is set. Any thread."""
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
    """Add the inverted graph, if the style asks for it and there are stacks. Any thread."""
    if built.scene is None or not style.is_inverted:
        return built
    return replace(built, inverted=invert_scene(built.scene, style, kept, placed_for))
