"""Link button: a button that looks like a link and cuts its text to its width."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.view.widgets.shown_text import escape_ampersands

_SIDE_PX = 8  # beside the text
_BEFORE_FOLDER = "   —   "


class LinkButton(QPushButton):
    """A button as wide as its layout allows: a long text does not widen the list around it."""

    def __init__(self, text: str, parent: QWidget | None = None, folder: str = "") -> None:
        """``folder``: is shown behind the text; its beginning is cut if there is little room."""
        self._whole = make_printable(text)
        self._folder = make_printable(folder)
        super().__init__(escape_ampersands(self._whole), parent)
        self.setObjectName("link")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        room_px = self.width() - 2 * _SIDE_PX
        metrics, text = self.fontMetrics(), self._whole
        if self._folder:
            folder_px = room_px - metrics.horizontalAdvance(text + _BEFORE_FOLDER)
            folder = metrics.elidedText(self._folder, Qt.TextElideMode.ElideLeft, folder_px)
            text += _BEFORE_FOLDER + folder if folder_px > 0 else ""
        text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, room_px)
        self.setText(escape_ampersands(text))
