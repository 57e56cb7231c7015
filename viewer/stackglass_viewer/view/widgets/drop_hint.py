"""Drop hint: a frame around a window, and a sentence, while files are dragged over it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QPen
from PySide6.QtWidgets import QWidget

_TEXT = "Drop to open"
_FRAME_PX = 3
_PAD_PX = 12


class DropHint(QWidget):
    """Lies over a window that accepts files. It is hidden until such a drag enters."""

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self._window = window
        # Else the pointer would leave the window for the hint.
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.DragMove and self.isHidden():
            self.setGeometry(self._window.rect())  # only accepted drags move
            self.raise_()
            self.show()
        elif event.type() in (QEvent.Type.DragLeave, QEvent.Type.Drop):
            self.hide()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        colours = self.palette()
        painter.setPen(QPen(colours.color(QPalette.ColorRole.Highlight), _FRAME_PX))
        inset = _FRAME_PX // 2
        painter.drawRect(self.rect().adjusted(inset, inset, -inset - 1, -inset - 1))
        metrics = self.fontMetrics()
        place = QRect(0, 0, metrics.horizontalAdvance(_TEXT), metrics.height())
        place.adjust(-2 * _PAD_PX, -_PAD_PX, 2 * _PAD_PX, _PAD_PX)
        place.moveCenter(self.rect().center())
        painter.fillRect(place, colours.color(QPalette.ColorRole.Highlight))
        painter.setPen(colours.color(QPalette.ColorRole.HighlightedText))
        painter.drawText(place, Qt.AlignmentFlag.AlignCenter, _TEXT)
