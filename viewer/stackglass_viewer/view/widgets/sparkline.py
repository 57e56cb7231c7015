"""Sparkline: a small line without axes, which shows the history of the number beside it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF

_FLAT_SHARE = 0.1  # least range that fills the height, as a share of the greatest point


def draw_sparkline(
    painter: QPainter, rect: QRectF, points: Sequence[float], least_span: float, colour: QColor
) -> None:
    """Draw a line over the whole width of ``rect``.

    ``points``: oldest first, in any unit. ``least_span``: the least range, in that unit, that fills
    the height, so that noise stays low.
    """
    if len(points) < 2:
        return
    most = max(points)
    span = max(most - min(points), least_span, most * _FLAT_SHARE)
    bottom = max(0.0, most - span)
    step_px = rect.width() / (len(points) - 1)
    line = QPolygonF(
        [
            QPointF(
                rect.left() + number * step_px,
                rect.bottom() - (point - bottom) / span * rect.height(),
            )
            for number, point in enumerate(points)
        ]
    )
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(colour, 1.2))
    painter.drawPolyline(line)
    painter.restore()
