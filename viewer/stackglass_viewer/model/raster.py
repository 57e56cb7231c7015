"""Paints the visible rows of a flame graph into an image, and says where names have room."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.flame_layout import FlameLayout
from stackglass_viewer.model.index import Float64s, Int32s, UInt32s


@dataclass(frozen=True, slots=True)
class Viewport:
    """What part of a layout an image shows. Rows go downwards from the root."""

    left: float  # value units, as the layout's
    right: float  # value units; above ``left``
    top_px: float  # scrolled down by so much
    row_height_px: int
    width_px: int
    height_px: int

    @property
    def px_per_unit(self) -> float:
        return self.width_px / (self.right - self.left)


@dataclass(frozen=True, slots=True, eq=False)
class LabelBoxes:
    """Boxes with room for a name, clipped to the viewport; row by row, from left to right."""

    node: Int32s  # (n,)
    left_px: Int32s  # (n,)
    top_px: Int32s  # (n,) may be negative for the topmost row
    width_px: Int32s  # (n,)


def fill_rows(layout: FlameLayout, viewport: Viewport, colours: UInt32s, image: UInt32s) -> None:
    """Paint boxes over what is in ``image``, (height_px, width_px) uint32 0xAARRGGBB.

    ``colours`` is (n_nodes,) 0xAARRGGBB. Any thread; runs without the GIL.
    """
    v = viewport
    s = v.px_per_unit
    for row in range(layout.n_rows):
        y0 = int(row * v.row_height_px - v.top_px)
        y1 = min(v.height_px, y0 + v.row_height_px - 1)
        y0 = max(0, y0)
        if y1 <= y0:
            continue
        for box in range(layout.row_start[row], layout.row_start[row + 1]):
            x0 = max(0, int((layout.left[box] - v.left) * s))
            x1 = min(v.width_px, int((layout.right[box] - v.left) * s))
            if x1 - x0 >= 3:
                x1 -= 1
            image[y0:y1, x0 : max(x0 + 1, x1)] = colours[layout.node[box]]


def label_boxes(layout: FlameLayout, viewport: Viewport, min_width_px: int) -> LabelBoxes:
    """The visible boxes at least ``min_width_px`` wide."""
    v = viewport
    s = v.px_per_unit
    rows = []
    for row in range(layout.n_rows):
        y0 = int(row * v.row_height_px - v.top_px)
        if y0 + v.row_height_px <= 0 or y0 >= v.height_px:
            continue
        for box in range(layout.row_start[row], layout.row_start[row + 1]):
            x0 = max(0, int((layout.left[box] - v.left) * s))
            x1 = min(v.width_px, int((layout.right[box] - v.left) * s))
            if x1 - x0 >= min_width_px:
                rows.append((layout.node[box], x0, y0, x1 - x0))
    a = np.array(rows, dtype=np.int32).reshape(-1, 4)
    return LabelBoxes(a[:, 0].copy(), a[:, 1].copy(), a[:, 2].copy(), a[:, 3].copy())
