"""Shared parts of cell painters: a text or number that fits its cell, and a bar below a number."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from stackglass_viewer.view.widgets.text_fitter import TextFitter
from stackglass_viewer.view.widgets.theme import fixed_font

PADDING_PX = 10

_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class CellText:
    """Paints texts and numbers in rows that are ``row_px`` high."""

    def __init__(self, row_px: int) -> None:
        self.font = fixed_font()
        self._fitter = TextFitter(self.font)
        metrics = self._fitter.metrics
        self._baseline_px = (row_px + metrics.ascent() - metrics.descent()) / 2

    def paint_text(
        self, painter: QPainter, place: QRect, text: str, pen: QPen, keeps_end: bool
    ) -> None:
        """Paint a text at the left of ``place``.

        A text that is too long loses its beginning if ``keeps_end``, as files do, else its end.
        """
        painter.setPen(pen)
        text = self._fitter.fit(text, place.width() - 2 * PADDING_PX, keeps_end)
        where = QPointF(place.x() + PADDING_PX, place.y() + self._baseline_px)
        painter.drawText(where, text)

    def paint_number(self, painter: QPainter, place: QRect, text: str, pen: QPen) -> float:
        """Paint a number at the right of ``place``, cut if it is too long.

        Returns the pixels that the column lacks, 0 = none.
        """
        painter.setPen(pen)
        free_px = place.width() - 2 * PADDING_PX - self._fitter.measure(text)
        if free_px >= 0:
            x_px = place.x() + PADDING_PX + free_px
            painter.drawText(QPointF(x_px, place.y() + self._baseline_px), text)
        else:
            painter.drawText(place.adjusted(PADDING_PX, 0, -PADDING_PX, 0), _RIGHT, text)
        return max(-free_px, 0.0)


def paint_bar(painter: QPainter, place: QRect, share: float, colour: QColor) -> None:
    """Paint a bar below a number, from the right: ``share`` of the cell's width, 0 … 1."""
    width_px = round((place.width() - 2 * PADDING_PX) * min(1.0, max(0.0, share)))
    if width_px > 0:
        right_px = place.x() + place.width() - PADDING_PX
        bottom_px = place.y() + place.height()
        painter.fillRect(QRect(right_px - width_px, bottom_px - 4, width_px, 2), colour)
