"""Choice box: a combo box whose choice can be changed only in its open list."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QPaintEvent, QPalette, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

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
    """A combo box that wheel and arrow keys do not change while its list is closed, since most
    choices change how a running process is profiled."""

    cut_mode = Qt.TextElideMode.ElideRight  # where a text that is too long is cut
    padding_px = 0  # left free on each side of a text that is cut

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the box. Qt itself would cut a long text without ``…``."""
        option = self._describe()
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def _describe(self) -> QStyleOptionComboBox:
        """Return the box's options for the style, with its text cut to its width by ``…``."""
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        if self.currentIndex() < 0 and self.placeholderText():
            faint = option.palette.placeholderText()
            option.palette.setBrush(QPalette.ColorRole.ButtonText, faint)
            option.currentText = self.placeholderText()
        control, part = QStyle.ComplexControl.CC_ComboBox, QStyle.SubControl.SC_ComboBoxEditField
        room_px = self.style().subControlRect(control, option, part, self).width()
        option.currentText = self.fontMetrics().elidedText(
            option.currentText, self.cut_mode, room_px - 2 * self.padding_px
        )
        return option

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
        self.view().setAccessibleName(self.accessibleName())  # it has the focus while it is open
        super().showPopup()
        keep_in_window(self.view().window(), self)
