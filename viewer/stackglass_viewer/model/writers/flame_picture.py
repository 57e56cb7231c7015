"""Flame picture: a tree with its values, boxes and colours, as the writers of pictures draw it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, TypeId, UInt32s, freeze
from stackglass_viewer.model.graph.call_tree import (
    CallTree,
    NodeValues,
    add_up,
    build_call_tree,
    sum_type,
)
from stackglass_viewer.model.graph.colours import colour_changes, colour_frames
from stackglass_viewer.model.graph.flame_layout import FlameLayout, lay_out
from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.profile.profile import Profile


@dataclass(frozen=True, slots=True)
class PictureLook:
    """Colours as ``#rrggbb``, and the direction of rows."""

    background: str
    text: str  # colour of the title and the line below
    label: str  # colour of the names on boxes
    is_upward: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class FlamePicture:
    """One sample type of a tree. Immutable."""

    tree: CallTree
    values: NodeValues
    layout: FlameLayout
    node_colour: UInt32s  # (n_nodes,) 0xRRGGBB
    whole: int  # the value of 100 %; for differences the sum of all absolute changes
    name: str = ""  # name of the sample type
    root_name: str = "all"
    frame_line: Int64s | None = None  # (n_frames,) 0 = unknown; None = all unknown
    is_change: bool = False  # values are differences and shown with their signs

    def __post_init__(self) -> None:
        freeze(self.node_colour)

    def name_of(self, node: int) -> str:
        frame = int(self.tree.frame[node])
        return self.root_name if frame < 0 else self.tree.frame_name[frame]

    def sign_of(self, node: int) -> str:
        """Return the sign of a box of differences, "+" or "−"; "" = neither."""
        total = int(self.values.total[node]) if self.is_change else 0
        return "+" if total > 0 else "−" if total < 0 else ""

    def place_of(self, node: int) -> str:
        """Return ``shop.py``, or ``shop.py:12`` if lines are known; "" for the root."""
        frame = int(self.tree.frame[node])
        file = "" if frame < 0 else self.tree.frame_file[frame]
        line = int(self.frame_line[frame]) if file and self.frame_line is not None else 0
        return f"{file}:{line}" if line else file


def make_pictures(
    profile: Profile, sample_types: Sequence[TypeId], palette: Palette
) -> list[FlamePicture]:
    """Return a picture for each type, all of the same tree. A type with negative values is drawn as
    a difference. May run in any thread."""
    tree = build_call_tree(profile)
    frames = np.append(
        colour_frames(tree.frame_name, tree.frame_file, palette), np.uint32(palette.root)
    )
    colours = frames[tree.frame] & np.uint32(0xFFFFFF)  # frame −1, the root's, is the last
    pictures = []
    for each in sample_types:
        values = sum_type(tree, profile, each)
        layout = lay_out(tree, values)
        is_difference = bool((values.own < 0).any())
        whole = round(layout.extent) if is_difference else int(values.total[0])
        pictures.append(
            FlamePicture(
                tree,
                values,
                layout,
                _colour_differences(tree, values, palette) if is_difference else colours,
                whole,
                profile.sample_types[each].name,
                frame_line=tree.frame_line,
                is_change=is_difference,
            )
        )
    return pictures


def _colour_differences(tree: CallTree, values: NodeValues, palette: Palette) -> UInt32s:
    width = add_up(tree, np.abs(values.own), values.unit).total
    return colour_changes(values.total, width, palette) & np.uint32(0xFFFFFF)
