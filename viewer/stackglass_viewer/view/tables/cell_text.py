"""Shared parts of cell painters: a text or number that fits its cell, and a bar below a number."""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from stackglass_viewer.view.tables.glyph_runs import GlyphRuns
from stackglass_viewer.view.widgets.text_fitter import TextFitter
from stackglass_viewer.view.widgets.theme import fixed_font

PADDING_PX = 10

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_MAX_KEPT = 4096


class CellText:
    """Paints texts and numbers in rows that are ``row_px`` high."""

    def __init__(self, row_px: int) -> None:
        self._font = fixed_font()
        self._fitter = TextFitter(self._font)
        metrics = self._fitter.metrics
        self._baseline_px = (row_px + metrics.ascent() - metrics.descent()) / 2
        self._fit = lru_cache(_MAX_KEPT)(self._fitter.fit)
        self._runs = GlyphRuns(self._font, self._fitter.char_px)
        self._pen: QPen | None = None  # the painter's, since ``begin``

    def begin(self, painter: QPainter) -> None:
        """Prepare the painter; called once before the texts of a frame."""
        painter.setFont(self._font)
        self._pen = None

    def paint_text(
        self, painter: QPainter, rect: QRect, text: str, pen: QPen, keeps_end: bool
    ) -> None:
        """Paint a text at the left of ``rect``.

        A text that is too long is cut at its beginning if ``keeps_end``, else at its end.
        """
        text = self._fit(text, rect.width() - 2 * PADDING_PX, keeps_end)
        if pen is not self._pen:
            self._set_pen(painter, pen)
        where = QPointF(rect.x() + PADDING_PX, rect.y() + self._baseline_px)
        run = self._runs.find(text)
        if run is None:
            painter.drawText(where, text)
        else:
            painter.drawGlyphRun(where, run)

    def paint_number(self, painter: QPainter, rect: QRect, text: str, pen: QPen) -> float:
        """Paint a number at the right of ``rect``, cut if it is too long.

        Returns the pixels that the column lacks, 0 = none.
        """
        if pen is not self._pen:
            self._set_pen(painter, pen)
        run = self._runs.find(text)
        width_px = self._fitter.measure(text) if run is None else len(text) * self._fitter.char_px
        free_px = rect.width() - 2 * PADDING_PX - width_px
        if free_px < 0:
            painter.drawText(rect.adjusted(PADDING_PX, 0, -PADDING_PX, 0), _RIGHT, text)
            return -free_px
        where = QPointF(rect.x() + PADDING_PX + free_px, rect.y() + self._baseline_px)
        if run is None:
            painter.drawText(where, text)
        else:
            painter.drawGlyphRun(where, run)
        return 0.0

    def _set_pen(self, painter: QPainter, pen: QPen) -> None:
        """Set another pen: that takes as long as painting a number, so not for each text."""
        painter.setPen(pen)
        self._pen = pen


def paint_bar(
    painter: QPainter, rect: QRect, share: float, colour: QColor, padding_px: int = PADDING_PX
) -> None:
    """Paint a bar below a number, from the right: ``share`` of the cell's width, 0 … 1.

    ``padding_px``: between the number and either end of the cell."""
    width_px = round((rect.width() - 2 * padding_px) * min(1.0, max(0.0, share)))
    if width_px > 0:
        right_px = rect.x() + rect.width() - padding_px
        bottom_px = rect.y() + rect.height()
        painter.fillRect(QRect(right_px - width_px, bottom_px - 4, width_px, 2), colour)
