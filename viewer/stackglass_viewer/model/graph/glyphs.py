"""Names drawn in C from a sheet of glyphs.

A text costs Qt some 4 µs before its first glyph, and a screenful of boxes has hundreds of names. A
sheet has each glyph as Qt draws it, so the result is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Float64s, Int32s, UInt32s
from stackglass_viewer.native import _loops

N_PHASES = 4  # places of a glyph within a pixel: Qt rounds pens down to quarters
_NO_GLYPH = -1


@dataclass(frozen=True, slots=True, eq=False)
class GlyphSheet:
    """Images of the glyphs of a fixed-width font, in device pixels."""

    coverage: UInt32s
    """``(n_glyphs, N_PHASES, height, width)``, 0x00RRGGBB; 255 = all of the pixel is covered"""
    glyph_of: Int32s
    """``(n_codes,)`` glyph of a code point; -1 = not on the sheet, as is the last one"""
    pen_px: int
    """where the pen stands in a cell, from its left edge"""
    advance_px: float


@dataclass(frozen=True, slots=True, eq=False)
class Names:
    """Names and their places in an image."""

    texts: Sequence[str]
    left_px: Float64s  # (n,) where the pen begins
    top_px: Int32s  # (n,) upper edge of the cells
    colour: UInt32s  # (n,) 0xAARRGGBB, drawn opaque


def draw_names(sheet: GlyphSheet, names: Names, image: UInt32s) -> list[int]:
    """Draw names into ``image``, (height_px, width_px) uint32 0xAARRGGBB.

    Returns the positions of the names that were not drawn, as they have letters that are not on the
    sheet. May run in any thread; its loop runs without the GIL. Raises ValueError if columns differ
    in length.
    """
    codes = np.frombuffer("".join(names.texts).encode("utf-32-le", "replace"), dtype="<u4")
    end = np.cumsum(np.fromiter(map(len, names.texts), np.int32, len(names.texts)), dtype=np.int32)
    glyph = sheet.glyph_of[np.minimum(codes, len(sheet.glyph_of) - 1)]
    left_out = np.unique(np.searchsorted(end, np.flatnonzero(glyph < 0), side="right"))
    if len(left_out):
        is_left_out = np.zeros(len(end), dtype=np.bool_)
        is_left_out[left_out] = True
        glyph[np.repeat(is_left_out, np.diff(end, prepend=np.int32(0)))] = _NO_GLYPH
    _, _, cell_height_px, cell_width_px = sheet.coverage.shape
    _loops.draw_names(
        (sheet.coverage, cell_width_px, cell_height_px, sheet.pen_px, sheet.advance_px),
        (glyph, end, names.left_px, names.top_px, names.colour),
        image,
        image.shape[1],
        image.shape[0],
    )
    return [int(name) for name in left_out]
