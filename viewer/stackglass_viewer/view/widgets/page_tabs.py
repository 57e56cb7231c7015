"""The pages of a window behind their tabs."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtWidgets import QTabBar, QTabWidget

_LEAST_CHARACTERS = 16


class _Bar(QTabBar):
    """Scrolls where many tabs would leave no room for their titles."""

    def minimumTabSizeHint(self, index: int) -> QSize:
        whole = self.tabSizeHint(index)
        letters_px = self.fontMetrics().averageCharWidth()
        cut_px = (len(self.tabText(index)) - _LEAST_CHARACTERS) * letters_px
        return whole - QSize(max(cut_px, 0), 0)


class PageTabs(QTabWidget):
    """Is painted anew only for what changes in it.

    Each text that changes has the layouts around it asked again, up to the window's; and Qt's tabs
    answer that by painting themselves and all that is in them, ten times a second while figures
    come in. Nothing that they lay out depends on more than the two sizes that are compared here.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setTabBar(_Bar())
        self._asked: tuple[QSize, QSize] | None = None  # of the tabs, of the least page
        self.setObjectName("tabStrip")
        self.setDocumentMode(True)
        self.setTabsClosable(True)
        self.setMovable(True)
        self.setElideMode(Qt.TextElideMode.ElideMiddle)
        self.setAccessibleName("Open profiles")

    def tabInserted(self, index: int) -> None:
        """Qt gives its button a picture and no name."""
        super().tabInserted(index)
        button = self.tabBar().tabButton(index, QTabBar.ButtonPosition.RightSide)
        if button is not None:
            button.setAccessibleName("Close this tab")

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            asked = (self.tabBar().sizeHint(), self.minimumSizeHint())
            if asked == self._asked:
                return True
            self._asked = asked
        return super().event(event)
