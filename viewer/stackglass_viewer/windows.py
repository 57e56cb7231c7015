"""Windows of the application and the tabs in them; part of the composition root.

::

    signals of every window ─▶ Windows ─▶ Captures, Remotes, Comparisons …
    tabs and notices to show ─▶ Windows ─▶ the window that holds the tab, or the active window

The signals of a window are the user's requests. A tab that moves to another window keeps its
document, threads and connections: only its widget changes windows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Signal

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.settings.last_folder import LastFolder
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
    "setting_chosen",
    "window_requested",
    "current_changed",
)


class TabNumbers:
    """The order in which files were requested, so that their tabs come in that order."""

    def __init__(self) -> None:
        self._number_of: dict[str, int] = {}  # by path, as the tab's tip shows it
        self._next = count(1)

    def ask_for(self, paths: Sequence[str]) -> None:
        """Number the tabs that these files will become."""
        for path in paths:
            self._number_of[make_printable(path)] = next(self._next)

    def take(self, tip: str) -> int:
        """Return the number of a file's tab, once; 0 = the file has none."""
        return self._number_of.pop(tip, 0)


class Windows(WindowPages):
    """All windows of the application; there is always at least one. GUI thread.

    Forwards the signals of every window (``_INTENTS``). The window that a signal comes from becomes
    ``active`` first, unless the signal is ``current_changed``.
    """

    open_requested = Signal()
    sum_requested = Signal()
    url_requested = Signal()
    paste_requested = Signal()
    files_dropped = Signal(tuple)
    recent_requested = Signal(object)
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
    setting_chosen = Signal(str, str)
    window_requested = Signal()
    current_changed = Signal(object)
    states_changed = Signal()  # a window was minimized or restored

    def __init__(self, find_theme: Callable[[], Theme], folder: LastFolder) -> None:
        """``find_theme`` returns the theme for a new window."""
        super().__init__()
        self.folder = folder  # where file dialogs begin
        self._find_theme = find_theme
        self._on_each: list[Callable[[MainWindow], object]] = []  # see ``on_each``
        self._aim: MainWindow | None = None  # of ``toward``
        self._themes: dict[ProfilePage, Theme] = {}  # of adopted pages that have no tab yet
        self.tab_numbers = TabNumbers()
        self.active = self._make()

    # -- windows

    def on_each(self, act: Callable[[MainWindow], object]) -> None:
        """Call ``act`` with every window: now with those that exist, later with new ones."""
        self._on_each.append(act)
        for window in self.all:
            act(window)

    def open(self) -> MainWindow:
        """Make and show another window, as large as the active one and offset from it."""
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
        for act in self._on_each:
            act(window)
        return window

    def _forward(self, window: MainWindow, name: str, *values: object) -> None:
        if window in self.all:
            if name != "current_changed":  # windows in the background emit it too
                self.active = window
            getattr(self, name).emit(*values)

    def _activate(self, window: MainWindow) -> None:
        if window in self.all:
            self.active = window

    def close(self, window: MainWindow) -> None:
        """Close one of several windows. Its tabs must be closed or moved before."""
        self.all.remove(window)
        if self.active is window:
            self.active = self.all[-1]
        window.allow_close()
        window.deleteLater()

    def end(self) -> None:
        """Close all windows, and delete all but the active one."""
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
        """Make ``window`` the parent of a page that is not whole yet, and return the page. If the
        window was closed, take the active one."""
        (window if window in self.all else self.active).tabs.adopt(page)
        self._themes[page] = self._find_theme()
        return page

    @property
    def destination(self) -> MainWindow:
        """The window for a tab that is requested now."""
        return self._aim if self._aim in self.all and self._aim is not None else self.active

    @contextmanager
    def toward(self, window: object) -> Iterator[None]:
        """Context in which tabs open in ``window`` if it is still open, else in the active one."""
        before, self._aim = self._aim, window if isinstance(window, MainWindow) else None
        try:
            yield
        finally:
            self._aim = before

    def add_page(self, page: ProfilePage, title: str, tip: str, window: MainWindow) -> None:
        """Add a page behind the other tabs of ``window``, or of the active one if that was closed.
        The tabs of files come in the order in which the files were requested."""
        theme = self._find_theme()
        if self._themes.pop(page, theme) != theme:  # the theme has changed meanwhile
            page.set_theme(theme)
        number = self.tab_numbers.take(tip)
        (window if window in self.all else self.active).add_page(page, title, tip, number)

    def move(self, page: ProfilePage, window: MainWindow | None) -> None:
        """Move a tab to ``window``; None = to a new one. If the tab was the only one of its window,
        close that window."""
        source = self.window_of(page)
        if source is None or source is window:
            return
        title, tab, tip = source.title_of(page), source.tab_of(page), source.tip_of(page)
        source.take_page(page)
        target = self.open() if window is None else window
        target.add_page(page, title, tip)
        target.set_page_title(page, title, tab)
        target.show_page(page)
        self._bring_up(target)
        page.focus_view()
        if not source.pages and len(self.all) > 1:
            self.close(source)

    def _move_to_place(self, source: MainWindow, page: ProfilePage, point: QPoint) -> None:
        """Move a tab that was dragged out to the other window under ``point``, or to a new one.

        The tab's own window is never the target, since it may fill the screen. A window's only tab
        is not moved to a new window.
        """
        others = (window for window in self.all if window is not source)
        target = next((window for window in others if window.is_under(point)), None)
        if target is not None or len(source.pages) > 1:
            self.move(page, target)

    def _show_tab_menu(self, source: MainWindow, page: ProfilePage, point: QPoint) -> None:
        others = [window for window in self.all if window is not source]
        menu = source.make_tab_menu(page, [window.windowTitle() for window in others])
        menu.window_chosen.connect(
            lambda number: self.move(page, None if number < 0 else others[number])
        )
        menu.popup(point)

    def _bring_up(self, window: MainWindow) -> None:
        self.active = window
        window.raise_()
        window.activateWindow()

    # -- pages

    @property
    def page(self) -> ProfilePage | None:
        """The page in front of the active window."""
        return self.active.page

    def remove_page(self, page: ProfilePage) -> None:
        self._themes.pop(page, None)
        window = self.window_of(page)
        if window is not None:
            window.remove_page(page)
        else:
            page.deleteLater()

    def show_page(self, page: ProfilePage) -> None:
        """Bring a page to the front of its window, and raise the window if it is not active."""
        window = self.window_of(page)
        if window is None:
            return
        window.show_page(page)
        if window is not self.active:
            self._bring_up(window)

    # -- what all show

    def show_notice(self, notice: Notice | None, window: object = None) -> None:
        """Show a notice in ``window`` if it is still open, else in the active one."""
        shown = window if isinstance(window, MainWindow) and window in self.all else self.active
        shown.show_notice(notice)

    def show_progress(self, progress: LoadProgress | None) -> None:
        """Show progress in the active window, where it can be cancelled."""
        for window in self.all:
            window.loading.show_progress(progress if window is self.active else None)
