"""Glyph runs: texts of a fixed-width font, ready to be painted, and kept for the next frame.

A run takes a third of the time of ``QPainter.drawText``, which shapes its text anew in each call.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFont, QGlyphRun, QRawFont

_LETTERS = "".join(map(chr, range(0x20, 0x7F))) + "…–−µ≤≥\u00a0\u202f"
_MAX_KEPT = 4096
_MAX_LETTERS = 256  # in a run
_SAME_PX = 1 / 64  # widths that differ by less are equal: Qt counts in 64ths of a pixel


class GlyphRuns:
    """The runs of texts in one font. GUI thread."""

    def __init__(self, font: QFont, char_px: float) -> None:
        """``char_px``: width of a letter."""
        self._font = QRawFont.fromFont(font)
        self._glyphs: dict[str, int] = {}  # only of letters that are as wide as all others
        for letter in _LETTERS:
            glyphs = self._font.glyphIndexesForString(letter)
            (advance,) = self._font.advancesForGlyphIndexes(glyphs)
            if glyphs[0] and abs(advance.x() - char_px) < _SAME_PX:
                self._glyphs[letter] = glyphs[0]
        self._places = [QPointF(at * char_px, 0.0) for at in range(_MAX_LETTERS)]
        self._runs: dict[str, QGlyphRun | None] = {}

    def find(self, text: str) -> QGlyphRun | None:
        """Return the run of a text; None = the painter draws the text faster.

        A run is made when its text comes a second time: most numbers come once.
        """
        run = self._runs.get(text)
        if run is None:
            if len(self._runs) >= _MAX_KEPT:
                self._runs.clear()
            run = self._runs[text] = self._make(text) if text in self._runs else None
        return run

    def _make(self, text: str) -> QGlyphRun | None:
        """Return the run of a text; None = the font lacks a letter."""
        known = self._glyphs
        glyphs = [known[letter] for letter in text if letter in known]
        if len(glyphs) < len(text) or len(glyphs) > _MAX_LETTERS:
            return None
        run = QGlyphRun()
        run.setRawFont(self._font)
        run.setGlyphIndexes(glyphs)
        run.setPositions(self._places[: len(glyphs)])
        return run
