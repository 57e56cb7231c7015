"""Main window: menus, tabs, messages, and the place to drop files."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QMetaObject, QObject, QPoint, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeySequence,
)
from PySide6.QtWidgets import QMenu, QStackedWidget, QVBoxLayout, QWidget

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.view.widgets.choice_menu import ChoiceMenu
from stackglass_viewer.view.widgets.drop_hint import DropHint
from stackglass_viewer.view.widgets.icons import application_icon, load_icon
from stackglass_viewer.view.widgets.message_bar import MessageBar
from stackglass_viewer.view.widgets.shown_text import escape_ampersands, make_tip
from stackglass_viewer.view.widgets.tab_order import order_tabs
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.window.capture_menu import CaptureMenu
from stackglass_viewer.view.window.edit_menu import EditMenu
from stackglass_viewer.view.window.loading_bar import LoadingBar
from stackglass_viewer.view.window.placed_window import PlacedWindow
from stackglass_viewer.view.window.start_page import StartPage
from stackglass_viewer.view.window.tab_menu import TabMenu
from stackglass_viewer.view.window.view_menu import ViewMenu

if TYPE_CHECKING:  # for start-up time: a page imports all views
    from stackglass_viewer.view.window.profile_page import ProfilePage

_STARTS = (("tabs", "Open the last &tabs again"), ("nothing", "Start &empty"))
_FIRST_SIZE = QSize(1280, 800)  # before the user resizes the window


class MainWindow(PlacedWindow):
    """Emits the user's intents as signals, which the owner carries out."""

    open_requested = Signal()
    sum_requested = Signal()
    url_requested = Signal()  # open the profiles of a server
    paste_requested = Signal()  # open what is on the clipboard
    files_dropped = Signal(tuple)  # of str: paths
    recent_requested = Signal(object)  # path: as str, Qt would change bytes that are no UTF-8
    recent_cleared = Signal()
    attach_requested = Signal()
    demo_requested = Signal()
    example_requested = Signal()  # open the memory trace that comes with Stackglass
    compare_requested = Signal()
    keep_requested = Signal()  # keep the shown data as a base to compare with later
    save_requested = Signal()
    export_requested = Signal()
    picture_requested = Signal(str)  # copy, save or print the view that is shown
    page_close_requested = Signal(object)  # ProfilePage
    page_move_requested = Signal(object)  # ProfilePage to move to a new window
    tab_menu_requested = Signal(object, QPoint)  # ProfilePage; place on the screen
    tab_moved_out = Signal(object, QPoint)  # ProfilePage that was dragged; where it was dropped
    window_requested = Signal()  # open another window
    close_requested = Signal()  # close this window; call allow_close() to do so
    quit_requested = Signal()  # close all windows
    activated = Signal()  # the window became the active one
    state_changed = Signal()  # the window was minimized or restored
    setting_chosen = Signal(str, str)  # setting (theme, palette, hue, order, shape …), its value
    current_changed = Signal(object)  # ProfilePage or None

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setWindowTitle("Stackglass")
        self.setWindowIcon(application_icon())
        self.setAcceptDrops(True)
        DropHint(self)
        self.resize(_FIRST_SIZE)
        self._theme = theme
        self._may_close = False
        self._focused: set[ProfilePage] = set()  # pages with a view that has had the focus
        self._links: dict[ProfilePage, tuple[QMetaObject.Connection, ...]] = {}
        self.start = StartPage(theme)
        self.message = MessageBar(theme)
        middle = QWidget()
        self._stack = QStackedWidget(middle)
        self._stack.addWidget(self.start)
        self._stack.addWidget(self.tabs)
        self.loading = LoadingBar(middle, over=self._stack)
        column = QVBoxLayout(middle)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._stack, 1)
        # A bar that appears later is at the bottom, so that nothing moves under the pointer.
        column.addWidget(self.message)
        self.setCentralWidget(middle)
        self._icons: list[tuple[QAction, str]] = []
        self._build_menus()
        self.tabs.currentChanged.connect(self._on_tab_changed)
        self.tabs.tabCloseRequested.connect(self._on_tab_close)
        self.tabs.menu_requested.connect(self._on_tab_menu)
        self.tabs.dragged_out.connect(self._on_dragged_out)
        self.start.attach_requested.connect(self.attach_requested)
        self.start.open_requested.connect(self.open_requested)
        self.start.demo_requested.connect(self.demo_requested)
        self.start.example_requested.connect(self.example_requested)
        self.start.recent_requested.connect(self.recent_requested)
        self.set_theme(theme)

    # -- pages

    @property
    def page(self) -> ProfilePage | None:
        """The page in front; None = there is none."""
        front = self.tabs.currentWidget()
        return next((page for page in self._links if page is front), None)

    def add_page(self, page: ProfilePage, title: str, tool_tip: str, number: int = 0) -> None:
        """Add a page; ``show_page`` brings it to the front.

        Tabs with a ``number`` above 0 are in the order of their numbers; others come last.
        """
        self._links[page] = (
            page.missing_changed.connect(self._enable_actions),
            page.views_changed.connect(lambda _: self._enable_actions()),
            page.native_chosen.connect(lambda level: self._choices["native"].choose(level)),
        )
        title = make_printable(title)
        page.setWindowTitle(title)
        index = self.tabs.insert(page, title, number)
        self.tabs.setTabToolTip(index, make_tip(tool_tip))
        self._tips[page] = tool_tip
        self._enable_actions()

    def take_page(self, page: ProfilePage) -> None:
        """Remove a page from this window without deleting it, for another window to show."""
        for link in self._links.pop(page):
            QObject.disconnect(link)
        self._focused.discard(page)
        del self._tips[page]
        self.tabs.removeTab(self.tabs.indexOf(page))
        if self.tabs.count() == 0:
            self._stack.setCurrentWidget(self.start)
        self._enable_actions()

    def remove_page(self, page: ProfilePage) -> None:
        self.take_page(page)
        page.deleteLater()

    def show_page(self, page: ProfilePage) -> None:
        self.tabs.setCurrentWidget(page)
        if self.tabs.isHidden():
            self.tabs.place_page(self._stack.size())
        self._stack.setCurrentWidget(self.tabs)

    @property
    def pages(self) -> tuple[ProfilePage, ...]:
        """All pages, from left to right."""
        return tuple(sorted(self._links, key=self.tabs.indexOf))

    def set_page_title(self, page: ProfilePage, title: str, tab: str = "") -> None:
        """Set the title of a page; ``tab``: the text of its tab, if not the title."""
        index = self.tabs.indexOf(page)
        title, tab = make_printable(title), make_printable(tab or title)
        if index >= 0 and (self.title_of(page), self.tab_of(page)) != (title, tab):
            page.setWindowTitle(title)
            self.tabs.setTabText(index, tab)
            self._show_title()

    # -- messages, recent files, appearance

    def show_notice(self, notice: Notice | None) -> None:
        self.message.show_notice(notice)

    def show_recent(self, paths: tuple[str, ...]) -> None:
        self.start.show_recent(paths)
        self._recent.clear()
        for path in paths:
            action = self._recent.addAction(escape_ampersands(make_printable(path)))
            action.triggered.connect(lambda _checked=False, p=path: self.recent_requested.emit(p))
        if paths:
            self._recent.addSeparator()
            clear = self._recent.addAction("&Clear list")
            clear.triggered.connect(lambda: self.recent_cleared.emit())
        self._recent.setEnabled(bool(paths))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.start.set_theme(theme)
        self.message.set_theme(theme)
        for action, name in self._icons:
            action.setIcon(load_icon(name, theme.text, theme.faint))
        for page in self.pages:
            page.set_theme(theme)

    def show_choice(self, group: str, key: str) -> None:
        """Tick ``key`` in the menu of a setting: ``theme``, ``palette``, ``order`` …"""
        self._choices[group].show_choice(key)

    def allow_close(self) -> None:
        """Close the window. Pages that are still being made outlive the window."""
        self.tabs.release_adopted()
        self._may_close = True
        self.close()

    # -- menus

    def _build_menus(self) -> None:
        bar = self.menuBar()
        file_menu, show = bar.addMenu("&File"), self.picture_requested.emit
        self._add(file_menu, "&New window", self.window_requested.emit, "Ctrl+N", "")
        file_menu.addSeparator()
        self._add(file_menu, "&Open…", self.open_requested.emit, "Ctrl+O", "open")
        self._add(file_menu, "Open se&veral as one…", self.sum_requested.emit, "Ctrl+Alt+O", "")
        self._add(file_menu, "Open &URL…", self.url_requested.emit, "Ctrl+Shift+O", "")
        self._add(file_menu, "Open from clip&board", self.paste_requested.emit, "Ctrl+V", "")
        self._recent = file_menu.addMenu("Open &recent")
        self._recent.setEnabled(False)
        file_menu.addSeparator()
        self._add(file_menu, "&Attach…", self.attach_requested.emit, "Ctrl+Shift+A", "attach")
        self._add(file_menu, "Start the &demo", self.demo_requested.emit, "", "flame")
        self._add(file_menu, "E&xample of memory", self.example_requested.emit, "", "heap")
        file_menu.addSeparator()
        self._add(file_menu, "&Compare…", self.compare_requested.emit, "Ctrl+D", "swap")
        self._keep = self._add(file_menu, "&Keep as a base", self.keep_requested.emit, "Ctrl+K", "")
        file_menu.addSeparator()
        self._save = self._add(file_menu, "&Save…", self.save_requested.emit, "Ctrl+S", "save")
        self._export = self._add(file_menu, "&Export…", self.export_requested.emit, "Ctrl+E", "")
        self._pictures = (
            self._add(file_menu, "Save p&icture…", partial(show, "save"), "Ctrl+Shift+S", ""),
            self._add(file_menu, "&Print…", partial(show, "print"), "Ctrl+P", ""),
        )
        file_menu.addSeparator()
        self._move_tab = self._add(
            file_menu, "&Move tab to new window", self._on_move_tab, "Ctrl+Shift+M", ""
        )
        self._close_tab = self._add(file_menu, "Close &tab", self._on_close_tab, "Ctrl+W", "")
        self._add(file_menu, "Close &window", self.close, "Ctrl+Shift+W", "")
        file_menu.addSeparator()
        starts = ChoiceMenu("At t&he start", _STARTS, file_menu)
        starts.chosen.connect(partial(self.setting_chosen.emit, "start"))
        file_menu.addMenu(starts)
        self._add(file_menu, "&Quit", self.quit_requested.emit, "Ctrl+Q", "")

        self._edit = EditMenu(lambda: self.page, self)
        self._edit.picture_copy_requested.connect(partial(show, "copy"))
        self._edit.editor_chosen.connect(partial(self.setting_chosen.emit, "editor"))
        self.filters = self._edit.filters
        self._view = ViewMenu(lambda: self.page, self)
        self._view.setting_chosen.connect(self.setting_chosen)
        self._choices = {**self._view.choices, "editor": self._edit.editors, "start": starts}
        bar.addMenu(self._edit)
        bar.addMenu(self._view)

        self._capture = CaptureMenu(lambda: self.page, self)
        bar.addMenu(self._capture)

        help_menu = bar.addMenu("&Help")
        self._add(help_menu, "&Commands…", self._show_commands, "Ctrl+Shift+P", "")
        self._add(help_menu, "&Keys and mouse", self.show_shortcuts, "?", "help")
        self._add(help_menu, "&About Stackglass", self._show_about, "", "")
        self._add_key("/", self._on_find)
        self._add_key("Ctrl+PgDown", partial(self.tabs.step, 1))
        self._add_key("Ctrl+PgUp", partial(self.tabs.step, -1))
        self._add_key("I", self._choices["tree"].choose_next)
        self._add_key("X", self._choices["native"].choose_next)
        self._enable_actions()

    def _add(
        self, menu: QMenu, text: str, action: Callable[[], object], keys: str, icon: str
    ) -> QAction:
        added = menu.addAction(text)
        added.triggered.connect(lambda: action())
        if keys:
            added.setShortcut(QKeySequence(keys))
        if icon:
            self._icons.append((added, icon))
        return added

    def _add_key(self, keys: str, act: Callable[[], object]) -> None:
        """Add a key that has no entry of its own in a menu."""
        action = QAction(self)
        action.setShortcut(QKeySequence(keys))
        action.triggered.connect(lambda: act())
        self.addAction(action)

    def _show_commands(self) -> None:
        from stackglass_viewer.view.dialogs.command_palette import CommandPalette
        from stackglass_viewer.view.window.page_commands import list_offers

        offers = list_offers(self.page) if self.page is not None else ()
        palette = CommandPalette(self.menuBar(), self, offers)
        palette.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        palette.open()

    def _show_about(self) -> None:
        from stackglass_viewer.view.dialogs.about import show_about  # for start-up time

        show_about(self)

    def show_shortcuts(self) -> None:
        from stackglass_viewer.view.dialogs.shortcut_sheet import ShortcutSheet  # as above

        sheet = ShortcutSheet(self)
        sheet.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        sheet.open()

    def _on_find(self) -> None:
        if self.page is not None:
            self.page.focus_search()

    def _enable_actions(self) -> None:
        has_page = self.page is not None
        for action in (self._keep, self._save, self._export, *self._pictures, self._close_tab):
            action.setEnabled(has_page)
        self._move_tab.setEnabled(self.tabs.count() > 1)
        for menu in (self._edit, self._view, self._capture):
            menu.show_page()

    # -- events

    def _on_tab_changed(self) -> None:
        self._enable_actions()
        self._show_title()
        self._focus_new_page()
        self.current_changed.emit(self.page)

    def _focus_new_page(self) -> None:
        """Focus the view of a page that was opened in the background and is shown now. Qt focuses
        the page's first control, a field that would take the keys of views as text."""
        page, focused = self.page, self.focusWidget()
        if page is None or page in self._focused or focused is None:
            return
        if page.isAncestorOf(focused):
            self._focused.add(page)
            page.focus_view()

    def _show_title(self) -> None:
        title = self.title_of(self.page) if self.page is not None else ""
        self.setWindowTitle(f"{title} — Stackglass" if title else "Stackglass")

    def _on_tab_close(self, index: int) -> None:
        self.page_close_requested.emit(self.tabs.widget(index))

    def _on_close_tab(self) -> None:
        if self.page is not None:
            self.page_close_requested.emit(self.page)

    def _on_move_tab(self) -> None:
        if self.page is not None:
            self.page_move_requested.emit(self.page)

    def _on_tab_menu(self, index: int, point: QPoint) -> None:
        self.tab_menu_requested.emit(self.tabs.widget(index), point)

    def _on_dragged_out(self, index: int, point: QPoint) -> None:
        self.tab_moved_out.emit(self.tabs.widget(index), point)

    def make_tab_menu(self, page: ProfilePage, others: Sequence[str]) -> TabMenu:
        """Make the context menu of a tab; ``others``: titles of the other windows."""
        return TabMenu(
            others,
            is_alone=self.tabs.count() == 1,
            close=lambda: self.page_close_requested.emit(page),
            parent=self,
        )

    def focusNextPrevChild(self, is_next: bool) -> bool:
        """Focus the next widget at Tab, or the one before. Sets the order of the page first, since
        Qt would go last to those that were made last, wherever they are."""
        if self.page is not None:
            order_tabs(self.page)
        return super().focusNextPrevChild(is_next)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow():
            self.activated.emit()
        elif event.type() == QEvent.Type.WindowStateChange:
            self.state_changed.emit()

    def closeEvent(self, event: QCloseEvent) -> None:
        if self._may_close:
            event.accept()
        else:
            event.ignore()
            self.close_requested.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if any(url.isLocalFile() for url in event.mimeData().urls()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        paths = tuple(url.toLocalFile() for url in event.mimeData().urls() if url.isLocalFile())
        if paths:
            event.acceptProposedAction()
            self.files_dropped.emit(paths)
