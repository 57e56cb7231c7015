"""Menu button: shows the current choice, and opens a menu with the others."""

from __future__ import annotations

from PySide6.QtCore import QPoint
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QMenu, QToolButton, QWidget

from stackglass_viewer.view.widgets.popup_place import keep_in_window

_FRAME_PX = 38  # arrow, padding, border


class ButtonMenu(QMenu):
    """The menu of a button. It opens within the window."""

    def __init__(self, button: QWidget) -> None:
        super().__init__(button)
        self._button = button

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        keep_in_window(self, self._button)


class MenuButton(QToolButton):
    """A button as wide as its longest text, so that its neighbours keep their places."""

    def __init__(self, name: str, longest: str, parent: QWidget | None = None) -> None:
        """``name``: for screen readers. ``longest``: the longest text that it will show."""
        super().__init__(parent)
        self.setObjectName("choice")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setAccessibleName(name)
        self._words_px = self.fontMetrics().horizontalAdvance(longest) + _FRAME_PX
        self.setMinimumWidth(self._words_px)
        self._menu = ButtonMenu(self)
        self.setMenu(self._menu)
        self._is_filled = False
        self._menu.aboutToShow.connect(self._fill_once)

    def _fill_once(self) -> None:
        if not self._is_filled:
            self._is_filled = True
            self._fill()

    def _fill(self) -> None:
        """Add the entries, before the menu opens for the first time: making them takes long."""

    def open_menu(self) -> None:
        """Open the menu, as a click does; return at once."""
        self._menu.popup(self.mapToGlobal(QPoint(0, self.height())))
