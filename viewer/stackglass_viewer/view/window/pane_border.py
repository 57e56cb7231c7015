"""Pane border: the draggable border between two views; and the mark of where a view will go."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QEnterEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from stackglass_viewer.presenter.settings.pane_places import Border
from stackglass_viewer.view.widgets.theme import Theme

_GRIP_PX, _DOT_PX = 14, 2


class PaneBorder(QWidget):
    """A border that emits its new place during a drag; the owner moves it."""

    dragged = Signal(object, float)  # Border; its new place, as a share of its split

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAccessibleName("Border between views")
        self.setToolTip("Drag to give a view more room (B, then an arrow key)")
        self._theme = theme
        self._border: Border | None = None
        self._is_hovered = False  # whether the pointer is over the border
        self._grabbed_px = 0.0  # offset of the press within the border

    def show_border(self, border: Border) -> None:
        self._border = border
        shape = Qt.CursorShape.SplitHCursor if border.is_upright else Qt.CursorShape.SplitVCursor
        self.setCursor(shape)
        self.setGeometry(*border.box)
        self.show()
        self.raise_()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        self._is_hovered = True
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._is_hovered = False
        self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._grabbed_px = self._along(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        border = self._border
        if border is None or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        place_px = self._along(QPointF(self.mapToParent(event.position()))) - self._grabbed_px
        self.dragged.emit(border, (place_px - border.begin_px) / max(1, border.length_px))

    def _along(self, point: QPointF) -> float:
        is_upright = self._border is not None and self._border.is_upright
        return point.x() if is_upright else point.y()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme, painter = self._theme, QPainter(self)
        painter.fillRect(self.rect(), QColor(theme.accent if self._is_hovered else theme.raised))
        painter.setPen(QPen(QColor(theme.border)))
        is_upright = self._border is not None and self._border.is_upright
        if is_upright:
            painter.drawLine(self.rect().topLeft(), self.rect().bottomLeft())
            painter.drawLine(self.rect().topRight(), self.rect().bottomRight())
        else:
            painter.drawLine(self.rect().topLeft(), self.rect().topRight())
            painter.drawLine(self.rect().bottomLeft(), self.rect().bottomRight())
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(theme.accent_text if self._is_hovered else theme.muted))
        middle = QRectF(self.rect()).center()
        for step in (-1, 0, 1):
            across, down = (0, step * _GRIP_PX / 2) if is_upright else (step * _GRIP_PX / 2, 0)
            painter.drawRect(
                QRectF(middle.x() + across - _DOT_PX / 2, middle.y() + down - _DOT_PX / 2, 2, 2)
            )


class DropMark(QWidget):
    """Covers the area that a dragged view would take if it were dropped now."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._theme = theme
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        fill = QColor(self._theme.accent)
        fill.setAlpha(60)
        painter.fillRect(self.rect(), fill)
        painter.setPen(QPen(QColor(self._theme.accent), 2))
        painter.drawRect(self.rect().adjusted(1, 1, -1, -1))
