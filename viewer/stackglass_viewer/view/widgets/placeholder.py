"""Placeholder: the texts that a painted view shows while it has nothing to paint."""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter

from stackglass_viewer.view.widgets.shown_text import join_units
from stackglass_viewer.view.widgets.theme import Theme

_TITLE_PX, _TEXT_PX, _GAP_PX = 16, 13, 8  # font sizes of title and text; the gap between them
_MOST_WIDTH_PX, _SIDE_PX = 440, 20


def paint_placeholder(painter: QPainter, rect: QRect, theme: Theme, title: str, text: str) -> None:
    """Paint a title and a text below it in the middle; only the title if ``rect`` is too low."""
    painter.fillRect(rect, QColor(theme.flame_background))
    text = join_units(text)
    strong, plain = QFont(painter.font()), QFont(painter.font())
    strong.setPixelSize(_TITLE_PX)
    strong.setBold(True)
    plain.setPixelSize(_TEXT_PX)
    width_px = min(_MOST_WIDTH_PX, rect.width() - 2 * _SIDE_PX)
    title_px, wrapped = QFontMetrics(strong).height(), Qt.TextFlag.TextWordWrap
    room = QRect(0, 0, width_px, rect.height())
    text_px = QFontMetrics(plain).boundingRect(room, wrapped, text).height() + _GAP_PX
    if not text or title_px + text_px > rect.height():
        text, text_px = "", 0
    box = QRect(0, 0, width_px, title_px + text_px)
    box.moveCenter(rect.center())
    painter.setPen(QColor(theme.muted))
    top = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
    painter.setFont(strong)
    painter.drawText(box, top, title)
    painter.setFont(plain)
    painter.drawText(box.adjusted(0, title_px + _GAP_PX, 0, 0), top | wrapped, text)
