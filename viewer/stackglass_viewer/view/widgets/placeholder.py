"""What a painted view shows where there is nothing to paint."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter

from stackglass_viewer.view.widgets.theme import Theme


def paint_placeholder(painter: QPainter, rect: QRect, theme: Theme, title: str, text: str) -> None:
    """A title, and below it a few words, in the middle."""
    painter.fillRect(rect, QColor(theme.flame_background))
    box = QRect(0, 0, min(440, rect.width() - 40), 120)
    box.moveCenter(rect.center())
    font = painter.font()
    font.setPixelSize(16)
    font.setBold(True)
    painter.setFont(font)
    painter.setPen(QColor(theme.muted))
    top = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
    painter.drawText(box, top, title)
    font.setPixelSize(13)
    font.setBold(False)
    painter.setFont(font)
    painter.setPen(QColor(theme.faint))
    painter.drawText(box.adjusted(0, 30, 0, 0), top | Qt.TextFlag.TextWordWrap, text)
