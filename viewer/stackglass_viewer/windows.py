"""Windows of the application and the tabs in them; part of the composition root.

::

    intents of every window ─▶ Windows ─▶ Captures, Remotes, Comparisons …
    what they show ─▶ Windows ─▶ the window that holds the tab, or the one used last

A tab keeps its document, threads and connections when it moves: only its widget changes windows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Signal

from stackglass_viewer.presenter.settings.view_state import LoadProgress, Notice
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.window_pages import WindowPages

if TYPE_CHECKING:  # for start-up time: a page imports all views
    from stackglass_viewer.view.window.profile_page import ProfilePage

_CASCADE_PX = QPoint(32, 32)  # from a window to the next
_INTENTS = (
    "open_requested",
    "sum_requested",
    "url_requested",
    "paste_requested",
    "files_dropped",
    "recent_requested",
    "recent_cleared",
    "attach_requested",
    "demo_requested",
    "example_requested",
    "compare_requested",
    "keep_requested",
    "save_requested",
    "export_requested",
    "picture_requested",
    "page_close_requested",
    "close_requested",
    "quit_requested",
    "look_chosen",
    "window_requested",
    "current_changed",
)


class TabNumbers:
    """Numbers of tabs to come: the order in which their files were asked for."""

    def __init__(self) -> None:
        self._number_of: dict[str, int] = {}  # by path
        self._next = count(1)

    def ask_for(self, paths: Sequence[str]) -> None:
        """Tabs of these files will come."""
        for path in paths:
            self._number_of[path] = next(self._next)

    def take(self, path: str) -> int:
        """The number of a tab that has come; 0 = none was asked for."""
        return self._number_of.pop(path, 0)


class Windows(WindowPages):
    """GUI thread. Emits the intents of all windows; the one that an intent comes from is
    ``active`` then. There is always one window at least."""

    open_requested = Signal()
    sum_requested = Signal()
    url_requested = Signal()
    paste_requested = Signal()
    files_dropped = Signal(tuple)
    recent_requested = Signal(str)
    recent_cleared = Signal()
    attach_requested = Signal()
    demo_requested = Signal()
    example_requested = Signal()
    compare_requested = Signal()
    keep_requested = Signal()
    save_requested = Signal()
    export_requested = Signal()
    picture_requested = Signal(str)
    page_close_requested = Signal(object)
    close_requested = Signal()
    quit_requested = Signal()
    look_chosen = Signal(str, str)
    window_requested = Signal()
    current_changed = Signal(object)
    states_changed = Signal()  # a window is minimized, or no longer

    def __init__(self, find_theme: Callable[[], Theme]) -> None:
        """``find_theme``: that of a new window."""
        super().__init__()
        self._find_theme = find_theme
        self._dressers: list[Callable[[MainWindow], object]] = []
        self._aim: MainWindow | None = None
        self.tab_numbers = TabNumbers()
        self.active = self._make()

    # -- windows

    def on_each(self, dress: Callable[[MainWindow], object]) -> None:
        """Call ``dress`` with every window, and with each that is made later."""
        self._dressers.append(dress)
        for window in self.all:
            dress(window)

    def open(self) -> MainWindow:
        """Make and show another window: as large as the active one, a little aside."""
        last = self.active
        window = self._make()
        window.stand_beside(last, _CASCADE_PX)
        window.show()
        self.active = window
        return window

    def _make(self) -> MainWindow:
        window = MainWindow(self._find_theme())
        for name in _INTENTS:
            getattr(window, name).connect(partial(self._forward, window, name))
        window.activated.connect(partial(self._activate, window))
        window.state_changed.connect(self.states_changed)
        window.message.action_requested.connect(lambda _: self._activate(window))
        window.tab_menu_requested.connect(partial(self._show_tab_menu, window))
        window.tab_moved_out.connect(partial(self._move_to_place, window))
        window.page_move_requested.connect(lambda page: self.move(page, None))
        self.all.append(window)
        for dress in self._dressers:
            dress(window)
        return window

    def _forward(self, window: MainWindow, name: str, *values: object) -> None:
        if window in self.all:
            if name != "current_changed":  # a tab in the background may come and go
                self.active = window
            getattr(self, name).emit(*values)

    def _activate(self, window: MainWindow) -> None:
        if window in self.all:
            self.active = window

    def close(self, window: MainWindow) -> None:
        """Close one of several, which has no tabs any more."""
        self.all.remove(window)
        if self.active is window:
            self.active = self.all[-1]
        window.allow_close()
        window.deleteLater()

    def end(self) -> None:
        """Close all. The active one is left to its owner to delete."""
        for window in self.all:
            window.allow_close()
            if window is not self.active:
                window.deleteLater()
        self.all = [self.active]

    def hide(self) -> None:
        for window in self.all:
            window.hide()

    # -- where tabs go

    def adopt(self, page: ProfilePage, window: MainWindow) -> ProfilePage:
        """A page that is still to be made, for ``window``; if that was closed, for the active."""
        (window if window in self.all else self.active).tabs.adopt(page)
        return page

    @property
    def destination(self) -> MainWindow:
        """The window for a tab that is requested now."""
        return self._aim if self._aim in self.all and self._aim is not None else self.active

    @contextmanager
    def toward(self, window: object) -> Iterator[None]:
        """Direct what is requested meanwhile into this window, if it is still there."""
        before, self._aim = self._aim, window if isinstance(window, MainWindow) else None
        try:
            yield
        finally:
            self._aim = before

    def add_page(self, page: ProfilePage, title: str, tip: str, window: MainWindow) -> None:
        """Behind the other tabs of ``window``; if that was closed, of the active one. Tabs of files
        that were asked for have the order of that, whichever is read first."""
        number = self.tab_numbers.take(tip)
        (window if window in self.all else self.active).add_page(page, title, tip, number)

    def move(self, page: ProfilePage, window: MainWindow | None) -> None:
        """Have a tab in another window; None = in a new one. A window that is left without tabs is
        closed."""
        source = self.window_of(page)
        if source is None or source is window:
            return
        title, tip = source.title_of(page), source.tip_of(page)
        source.take_page(page)
        target = self.open() if window is None else window
        target.add_page(page, title, tip)
        target.show_page(page)
        self._bring_up(target)
        page.focus_view()
        if not source.pages and len(self.all) > 1:
            self.close(source)

    def _move_to_place(self, source: MainWindow, page: ProfilePage, place: QPoint) -> None:
        """A tab was dragged out and dropped: into another window that is there, else into a new
        one, also where its own window fills the screen."""
        others = (window for window in self.all if window is not source)
        target = next((window for window in others if window.is_under(place)), None)
        if target is not None or len(source.pages) > 1:
            self.move(page, target)

    def _show_tab_menu(self, source: MainWindow, page: ProfilePage, place: QPoint) -> None:
        others = [window for window in self.all if window is not source]
        menu = source.make_tab_menu(page, [window.windowTitle() for window in others])
        menu.window_chosen.connect(
            lambda number: self.move(page, None if number < 0 else others[number])
        )
        menu.popup(place)

    def _bring_up(self, window: MainWindow) -> None:
        self.active = window
        window.raise_()
        window.activateWindow()

    # -- pages

    @property
    def page(self) -> ProfilePage | None:
        """The one in front in the active window."""
        return self.active.page

    def remove_page(self, page: ProfilePage) -> None:
        window = self.window_of(page)
        if window is not None:
            window.remove_page(page)
        else:
            page.deleteLater()

    def show_page(self, page: ProfilePage) -> None:
        """Show a page in front of its window, which comes up only if another one is used."""
        window = self.window_of(page)
        if window is None:
            return
        window.show_page(page)
        if window is not self.active:
            self._bring_up(window)

    # -- what all show

    def show_notice(self, notice: Notice | None) -> None:
        """Show a notice in the active window."""
        self.active.show_notice(notice)

    def show_progress(self, progress: LoadProgress | None) -> None:
        """Show progress in the active window, where it can be cancelled."""
        for window in self.all:
            window.loading.show_progress(progress if window is self.active else None)
