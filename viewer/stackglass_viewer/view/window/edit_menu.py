"""Edit menu: filters, sets of filters, a view's picture, search, and the editor of sources."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from stackglass_viewer.view.widgets.choice_menu import ChoiceMenu
from stackglass_viewer.view.window.filter_menu import FilterMenu

if TYPE_CHECKING:  # for start-up time: a page imports all views
    from stackglass_viewer.view.window.profile_page import ProfilePage

_EDITORS = (
    ("automatic", "The &first that is found"),
    ("vscode", "&VS Code"),
    ("pycharm", "&PyCharm"),
    ("environment", "&$VISUAL or $EDITOR"),
)
FRAME_FILTERS = (
    ("recursion", "Collapse &recursion"),
    ("own_code", "Only m&y code"),
    ("focus", "&Only stacks with the selected function"),
    ("subtree", "&Begin stacks with the selected function"),
    ("drop", "&Without stacks of the selected function"),
    ("merge", "&Merge the selected function into its callers"),
    ("merge_file", "Merge the selected &file into its callers"),
    ("package", "Collapse the selected &package or library"),
)
"""Values of TransformKind, with their texts in the menu."""


class EditMenu(QMenu):
    """Acts on the page in front; without a page, only the editor can be chosen."""

    picture_copy_requested = Signal()
    editor_chosen = Signal(str)

    def __init__(self, find_page: Callable[[], ProfilePage | None], parent: QWidget) -> None:
        super().__init__("&Edit", parent)
        self._find_page = find_page
        self._actions: list[QAction] = []
        self._add("&Undo filter", lambda page: page.transform_bar.undo_requested.emit(), "Ctrl+Z")
        self._add(
            "&Redo filter", lambda page: page.transform_bar.redo_requested.emit(), "Ctrl+Shift+Z"
        )
        self._add(
            "Fi&lter by pattern, label, thread, time…",
            lambda page: page.transform_bar.pattern_requested.emit(None),
            "Ctrl+Shift+F",
        )
        self._actions.append(self._add_frame_filters())
        self.filters = FilterMenu(self)
        self._actions.append(self.addMenu(self.filters))
        self.addSeparator()
        self._add("&Copy picture", lambda _: self.picture_copy_requested.emit(), "Ctrl+Shift+I")
        self.addSeparator()
        self._add("&Find", lambda page: page.focus_search(), "Ctrl+F")
        self.addSeparator()
        self.editors = ChoiceMenu("&Editor of sources", _EDITORS, self)
        self.editors.chosen.connect(self.editor_chosen)
        self.addMenu(self.editors)

    def _add(self, text: str, act: Callable[[ProfilePage], object], keys: str) -> None:
        added = self.addAction(text)
        added.setShortcut(QKeySequence(keys))
        added.triggered.connect(lambda: self._act(act))
        self._actions.append(added)

    def _add_frame_filters(self) -> QAction:
        menu = self.addMenu("Filter fra&mes")
        for kind, text in FRAME_FILTERS:
            menu.addAction(text).triggered.connect(partial(self._filter_frames, kind))
        return menu.menuAction()

    def _filter_frames(self, kind: str) -> None:
        self._act(lambda page: page.transform_bar.kind_requested.emit(kind))

    def _act(self, act: Callable[[ProfilePage], object]) -> None:
        page = self._find_page()
        if page is not None:
            act(page)

    def show_page(self) -> None:
        """Enable the entries that act on a page if there is a page, else disable them."""
        for action in self._actions:
            action.setEnabled(self._find_page() is not None)
