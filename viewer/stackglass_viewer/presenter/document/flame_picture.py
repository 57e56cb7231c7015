"""Pictures of a flame graph: a scene in the form that writers of SVG and other files take."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import UInt32s
from stackglass_viewer.model.writers.flame_picture import FlamePicture
from stackglass_viewer.presenter.document.flame_scene import FlameScene, root_name


def describe_scene(scene: FlameScene, name: str = "") -> FlamePicture:
    """Return the scene for a writer. ``name`` is the name of its sample type. Any thread."""
    tree = scene.tree
    return FlamePicture(
        tree,
        scene.values,
        scene.layout,
        _list_colours(scene),
        scene.whole,
        name,
        root_name(scene),
        tree.frame_line if scene.frame_line is None else scene.frame_line,
        scene.is_difference,
    )


def _list_colours(scene: FlameScene) -> UInt32s:
    """Return (n_nodes,) the colour of each node's box, 0xRRGGBB."""
    if scene.own_colours is not None:
        return scene.own_colours & np.uint32(0xFFFFFF)
    colours = np.append(scene.colours, np.uint32(scene.root_colour))  # frame −1, the root's
    return colours[scene.tree.frame] & np.uint32(0xFFFFFF)
