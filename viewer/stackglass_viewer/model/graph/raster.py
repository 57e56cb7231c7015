"""Raster of a flame graph: paints the visible rows into an image, and finds boxes with room for a
name."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int32s, UInt32s
from stackglass_viewer.model.graph.flame_layout import FlameLayout, ThinBoxes
from stackglass_viewer.native import _loops


@dataclass(frozen=True, slots=True)
class Viewport:
    """The part of a layout that an image shows. Rows go downwards from the root."""

    left: float  # value units of the layout
    right: float  # value units; greater than ``left``
    top_px: float  # how far the image is scrolled down
    row_height_px: int
    width_px: int
    height_px: int


@dataclass(frozen=True, slots=True, eq=False)
class Paint:
    """The colours of boxes and of what is between them, 0xAARRGGBB."""

    frame: Int32s  # (n_nodes,) frame of each node of the call tree; negative = the root
    colours: UInt32s  # (n_frames,)
    root: int  # the root's colour
    background: int


@dataclass(frozen=True, slots=True, eq=False)
class LabelBoxes:
    """Boxes with room for a name, clipped to the viewport; row by row, from left to right."""

    node: Int32s  # (n,)
    left_px: Int32s  # (n,)
    top_px: Int32s  # (n,) may be negative for the topmost row
    width_px: Int32s  # (n,)


def fill_rows(layout: FlameLayout, viewport: Viewport, paint: Paint, image: UInt32s) -> None:
    """Paint boxes into ``image``, (height_px, width_px) uint32 0xAARRGGBB.

    Boxes narrower than a pixel share one; wide boxes leave a gap of one pixel at their right and
    lower edge. Every pixel is written. May run in any thread; its loop runs without the GIL. Raises
    ValueError if the node or frame of a box has no colour.
    """
    boxes = _choose(layout, viewport)
    colours = (paint.frame, paint.colours, paint.root, paint.background)
    _loops.fill_rows(*boxes, _pack(viewport), colours, image)


def label_boxes(layout: FlameLayout, viewport: Viewport, min_width_px: int) -> LabelBoxes:
    """Return the visible boxes at least ``min_width_px`` wide. May run in any thread; its loop runs
    without the GIL."""
    boxes = _choose(layout, viewport)
    columns = _loops.find_labels(*boxes, _pack(viewport), min_width_px)
    return LabelBoxes(
        node=np.asarray(columns["node"]),
        left_px=np.asarray(columns["left_px"]),
        top_px=np.asarray(columns["top_px"]),
        width_px=np.asarray(columns["width_px"]),
    )


def _choose(layout: FlameLayout, viewport: Viewport) -> tuple[Int32s, Float64s, Float64s, Int32s]:
    """Return the columns of the reduced layout if a pixel is at least as wide as its cells, else
    those of the whole layout."""
    thin = layout.thin
    boxes: FlameLayout | ThinBoxes = layout
    if thin is not None and (viewport.right - viewport.left) / viewport.width_px >= thin.cell:
        boxes = thin
    return boxes.row_start, boxes.left, boxes.right, boxes.node


def _pack(viewport: Viewport) -> tuple[float, float, float, int, int, int]:
    return (
        viewport.left,
        viewport.right,
        viewport.top_px,
        viewport.row_height_px,
        viewport.width_px,
        viewport.height_px,
    )
