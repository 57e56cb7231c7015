"""Choice box: a combo box whose choice can be changed only in its open list."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QWidget

from stackglass_viewer.view.widgets.popup_place import keep_in_window

_OPENING_KEYS = (
    Qt.Key.Key_Space,
    Qt.Key.Key_Return,
    Qt.Key.Key_Enter,
    Qt.Key.Key_F4,
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
)


class ChoiceBox(QComboBox):
    """A wheel or an arrow key changes nothing while the list is closed, since most choices change
    how a running process is profiled."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _OPENING_KEYS:
            self.showPopup()
        else:
            event.ignore()

    def showPopup(self) -> None:
        """Open the list at the current choice. Qt would begin at the entry where Esc closed it."""
        self.view().setCurrentIndex(self.model().index(self.currentIndex(), self.modelColumn()))
        super().showPopup()
        keep_in_window(self.view().window(), self)
