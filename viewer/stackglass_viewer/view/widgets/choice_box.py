"""Choice box: a combo box with a choice that changes only in its open list."""

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
    """Most of these change a running process: one flick of a wheel or one arrow too many on a
    closed box must not."""

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
        """Open the list at the choice in force; Qt would begin where Esc had closed it."""
        self.view().setCurrentIndex(self.model().index(self.currentIndex(), self.modelColumn()))
        super().showPopup()
        keep_in_window(self.view().window(), self)
