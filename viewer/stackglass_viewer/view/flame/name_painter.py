"""Painter of names: draws them into an image, by C where the glyph sheet has all of their letters.

::

    letters ──QPainter, once──▶ glyph sheet ──draw_names──▶ image
    names with other letters ───────QPainter──────────────▶ image
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFontMetricsF, QImage, QPainter, QRawFont

from stackglass_viewer.model.columns.index import UInt32s
from stackglass_viewer.model.graph.glyphs import N_PHASES, GlyphSheet, Names, draw_names
from stackglass_viewer.view.flame.row_geometry import ROW_PX
from stackglass_viewer.view.widgets.theme import fixed_font

_LETTERS = "".join(map(chr, range(0x20, 0x7F))) + "…−"
_OVERHANG_PX = 2  # how far a glyph may reach beyond its advance


class NamePainter:
    """Draws names in rows of ``ROW_PX``, in the fixed-width font."""

    def __init__(self) -> None:
        self._font = fixed_font()
        metrics = QFontMetricsF(self._font)
        self.char_px = _measure_letter(metrics)
        self._baseline_px = _find_baseline(metrics)

    def draw(self, names: Names, pixels: UInt32s, ratio: float) -> QImage:
        """Draw names into ``pixels``, (height, width) uint32 0xFFRRGGBB in device pixels, and
        return an image of them. It uses their memory unless there were names that Qt drew."""
        left_out = draw_names(_draw_sheet(ratio), names, pixels)
        height, width = pixels.shape
        image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32)
        image.setDevicePixelRatio(ratio)
        if left_out:
            painter = QPainter(image)
            painter.setFont(self._font)
            for name in left_out:
                painter.setPen(QColor.fromRgb(int(names.colour[name])))
                top_px = int(names.top_px[name]) / ratio
                painter.translate(float(names.left_px[name]) / ratio, top_px + self._baseline_px)
                painter.drawText(0, 0, names.texts[name])
                painter.resetTransform()
            painter.end()
        return image


def _measure_letter(metrics: QFontMetricsF) -> float:
    """Return the advance of a letter; all have the same in a fixed-width font."""
    return metrics.horizontalAdvance("M" * 64) / 64


def _find_baseline(metrics: QFontMetricsF) -> float:
    """Return how far the baseline is below the upper edge of a row."""
    return (ROW_PX - 1 + metrics.ascent() - metrics.descent()) / 2


@lru_cache(maxsize=8)
def _draw_sheet(ratio: float) -> GlyphSheet:
    """Draw the letters that most names consist of, each at every quarter of a pixel.

    Letters that the font lacks, and letters of another width, are not on the sheet. The images are
    white on black, so that they are the coverage, by colour where the desktop smooths by colour.
    """
    font = fixed_font()
    metrics = QFontMetricsF(font)
    char_px, raw = _measure_letter(metrics), QRawFont.fromFont(font)
    letters = [
        letter
        for letter in _LETTERS
        if raw.supportsCharacter(ord(letter)) and metrics.horizontalAdvance(letter) == char_px
    ]
    pen_px = math.ceil(_OVERHANG_PX * ratio)
    width_px, height_px = math.ceil(char_px * ratio) + 1 + 2 * pen_px, round(ROW_PX * ratio)
    n_cells = len(letters) * N_PHASES
    image = QImage(max(1, n_cells * width_px), height_px, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(ratio)
    image.fill(Qt.GlobalColor.black)
    painter = QPainter(image)
    painter.setFont(font)
    painter.setPen(Qt.GlobalColor.white)
    for cell in range(n_cells):
        # A translation is exact; the place of a text is rounded to 64ths before it is scaled.
        pen = cell * width_px + pen_px + cell % N_PHASES / N_PHASES
        painter.translate(pen / ratio, _find_baseline(metrics))
        painter.drawText(0, 0, letters[cell // N_PHASES])
        painter.resetTransform()
    painter.end()
    lines = np.frombuffer(image.constBits(), dtype=np.uint32).reshape(height_px, -1)
    cells = lines[:, : n_cells * width_px].reshape(height_px, n_cells, width_px)
    coverage = np.ascontiguousarray(cells.transpose(1, 0, 2)) & np.uint32(0xFFFFFF)
    glyph_of = np.full(max(map(ord, _LETTERS)) + 2, -1, dtype=np.int32)
    glyph_of[[ord(letter) for letter in letters]] = np.arange(len(letters), dtype=np.int32)
    return GlyphSheet(
        coverage.reshape(len(letters), N_PHASES, height_px, width_px),
        glyph_of,
        pen_px,
        char_px * ratio,
    )
