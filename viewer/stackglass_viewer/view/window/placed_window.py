"""Places of a window and of its tabs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow

from stackglass_viewer.view.widgets.page_tabs import PageTabs

if TYPE_CHECKING:  # for start-up time: a page imports all views
    from stackglass_viewer.view.window.profile_page import ProfilePage

_FRAME_PX = 40  # the height of a frame, at most


class PlacedWindow(QMainWindow):
    """Stands on the screen, and has tabs."""

    def __init__(self) -> None:
        super().__init__()
        self.tabs = PageTabs()

    def stand_beside(self, other: PlacedWindow, aside: QPoint) -> None:
        """Be as large as another window, and ``aside`` of it as far as the screen has room."""
        room = other.screen().availableGeometry()
        frame = other.frameGeometry().size() - other.size()
        self.resize(other.size().boundedTo(room.size() - frame))
        whole = self.size() + frame
        last = room.bottomRight() - QPoint(whole.width() - 1, whole.height() - 1)
        wanted = other.pos() + aside
        self.move(
            max(room.left(), min(wanted.x(), last.x())), max(room.top(), min(wanted.y(), last.y()))
        )

    def is_under(self, place: QPoint) -> bool:
        """Whether this is the window that is seen at a place of the screen."""
        below = QGuiApplication.topLevelAt(place)
        return below is not None and below is self.windowHandle()

    def fit_screen(self) -> None:
        """Be no larger than the screen has room for, with the frame of a window manager, which
        is not known before the window is shown."""
        room = self.screen().availableSize() - QSize(0, _FRAME_PX)
        self.resize(self.size().boundedTo(room))

    def title_of(self, page: ProfilePage) -> str:
        """What stands on the tab of a page."""
        return self.tabs.tabText(self.tabs.indexOf(page))

    def tip_of(self, page: ProfilePage) -> str:
        return self.tabs.tabToolTip(self.tabs.indexOf(page))

    def place_of(self, page: ProfilePage) -> int:
        """Of its tab, from the left; −1 = it has none yet."""
        return self.tabs.indexOf(page)
