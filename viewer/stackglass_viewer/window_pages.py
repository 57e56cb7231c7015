"""Pages of several windows: which window holds which."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.window.main_window import MainWindow

if TYPE_CHECKING:  # for start-up time: a page imports all views
    from stackglass_viewer.view.window.profile_page import ProfilePage


class WindowPages(QObject):
    """The pages of all windows. GUI thread."""

    theme_changed = Signal(object)  # Theme; dialogs that are open follow it

    def __init__(self) -> None:
        super().__init__()
        self.all: list[MainWindow] = []  # the oldest first

    @property
    def fronts(self) -> frozenset[ProfilePage]:
        """The page in front of each window."""
        return frozenset(window.page for window in self.all if window.page is not None)

    @property
    def in_sight(self) -> frozenset[ProfilePage]:
        """The pages in front of a window that is not minimized."""
        return frozenset(page for page in self.fronts if not page.window().isMinimized())

    def window_of(self, page: ProfilePage) -> MainWindow | None:
        """Return the window that holds a page; None = the page is in no window yet."""
        return next((each for each in self.all if each.place_of(page) >= 0), None)

    def is_later_in_front(self, page: ProfilePage) -> bool:
        """Whether the tab in front of the page's window was requested later than this one."""
        window = self.window_of(page)
        return window is not None and window.tabs.is_later_in_front(page)

    def number_of(self, page: ProfilePage) -> int:
        """Return the index in ``all`` of the window that holds a page; −1 = the page is in none."""
        window = self.window_of(page)
        return self.all.index(window) if window is not None else -1

    def place_of(self, page: ProfilePage) -> tuple[int, int]:
        """Return the window's number and the place among its tabs, as a key for sorting."""
        number = self.number_of(page)
        return number, self.all[number].place_of(page) if number >= 0 else -1

    def title_of(self, page: ProfilePage) -> str:
        window = self.window_of(page)
        return window.title_of(page) if window is not None else ""

    def set_page_title(self, page: ProfilePage, title: str, tab: str = "") -> None:
        """Set the title of a page; ``tab``: the text of its tab, if that is another."""
        window = self.window_of(page)
        if window is not None:
            window.set_page_title(page, title, tab)

    def set_theme(self, theme: Theme) -> None:
        for window in self.all:
            window.set_theme(theme)
        self.theme_changed.emit(theme)

    def show_choice(self, group: str, key: str) -> None:
        for window in self.all:
            window.show_choice(group, key)
