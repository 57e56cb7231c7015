"""Placed window: base class of the main window, with its place on the screen and its tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow

from stackglass_viewer.view.widgets.page_tabs import PageTabs

if TYPE_CHECKING:  # for start-up time: a page imports all views
    from stackglass_viewer.view.window.profile_page import ProfilePage

_FRAME_PX = 40  # greatest height of a window frame


class PlacedWindow(QMainWindow):
    """Places itself on the screen, and looks up tabs by their page."""

    def __init__(self) -> None:
        super().__init__()
        self.tabs = PageTabs()
        self._tips: dict[ProfilePage, str] = {}  # of the tabs, before Qt's markup was escaped

    def stand_beside(self, other: PlacedWindow, aside: QPoint) -> None:
        """Take the size of ``other`` and its position plus ``aside``, limited to its screen."""
        room = other.screen().availableGeometry()
        frame = other.frameGeometry().size() - other.size()
        self.resize(other.size().boundedTo(room.size() - frame))
        whole = self.size() + frame
        last = room.bottomRight() - QPoint(whole.width() - 1, whole.height() - 1)
        wanted = other.pos() + aside
        self.move(
            max(room.left(), min(wanted.x(), last.x())), max(room.top(), min(wanted.y(), last.y()))
        )

    def is_under(self, point: QPoint) -> bool:
        """Whether this window is the topmost at a place of the screen."""
        below = QGuiApplication.topLevelAt(point)
        return below is not None and below is self.windowHandle()

    def fit_screen(self) -> None:
        """Limit the window's size to the screen, with room for the frame of the window manager.

        The height of the frame is not known before the window is shown.
        """
        room = self.screen().availableSize() - QSize(0, _FRAME_PX)
        self.resize(self.size().boundedTo(room))

    def title_of(self, page: ProfilePage) -> str:
        """Return the whole title of a page, which its tab may shorten; "" = it has no tab here."""
        return page.windowTitle() if self.place_of(page) >= 0 else ""

    def tab_of(self, page: ProfilePage) -> str:
        """Return the text on the tab of a page."""
        return self.tabs.tabText(self.tabs.indexOf(page))

    def tip_of(self, page: ProfilePage) -> str:
        """Return the text of the tool tip on the tab of a page, as it was given."""
        return self._tips.get(page, "")

    def place_of(self, page: ProfilePage) -> int:
        """Return the index of a page's tab, from the left; −1 = it has none here."""
        return self.tabs.indexOf(page)
