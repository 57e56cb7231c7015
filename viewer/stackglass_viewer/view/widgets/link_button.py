"""Link button: a button that looks like a link and cuts its text to its width."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.view.widgets.shown_text import show_signs

_SIDE_PX = 8  # beside the text


class LinkButton(QPushButton):
    """As wide as its place, whatever the text: a long one does not widen the list it is in."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        self._whole = make_printable(text)
        super().__init__(show_signs(self._whole), parent)
        self.setObjectName("link")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room_px = self.width() - 2 * _SIDE_PX
        text = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, room_px)
        self.setText(show_signs(text))
