"""Tab list: a button whose menu lists all tabs of a tab widget, with the front one ticked."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QTabWidget, QToolButton

from stackglass_viewer.view.widgets.menu_button import ButtonMenu
from stackglass_viewer.view.widgets.shown_text import escape_ampersands


class TabListButton(QToolButton):
    """Opens the list. An entry brings its tab to the front."""

    def __init__(self, tabs: QTabWidget) -> None:
        super().__init__(tabs)
        self._tabs = tabs
        self.setObjectName("tabList")
        self.setAccessibleName("All tabs")
        self.setToolTip("List of all tabs")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = ButtonMenu(self)
        menu.aboutToShow.connect(self._fill)
        self.setMenu(menu)

    def _fill(self) -> None:
        """List the tabs anew: they may have been opened, closed, moved or renamed."""
        menu = self.menu()
        menu.clear()
        for index in range(self._tabs.count()):
            action = menu.addAction(escape_ampersands(self._tabs.tabText(index)))
            action.setCheckable(True)
            action.setChecked(index == self._tabs.currentIndex())
            action.triggered.connect(partial(self._choose, index))

    def _choose(self, index: int, _checked: bool = False) -> None:
        self._tabs.setCurrentIndex(index)
