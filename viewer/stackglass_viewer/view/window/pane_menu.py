"""Pane menu: the submenu *Views side by side*, with the keys that begin with B."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu

from stackglass_viewer.presenter.settings.trace_views import TRACE_VIEWS
from stackglass_viewer.presenter.settings.view_layout import Side, step_focus
from stackglass_viewer.view.window.head_menu import SIDES

if TYPE_CHECKING:  # for start-up time: a page imports all views
    from stackglass_viewer.view.window.profile_page import ProfilePage

Views = tuple[tuple[str, str, str], ...]
"""Text, name and key of each."""

_SIZES = (  # text, keys, whether the width changes, sign of the change
    ("&Wider", "B, Right", True, 1),
    ("&Narrower", "B, Left", True, -1),
    ("&Taller", "B, Down", False, 1),
    ("S&horter", "B, Up", False, -1),
)


class PaneMenu(QMenu):
    """Acts on the current page, and there on the view with the keyboard focus."""

    def __init__(
        self, views: Views, find_page: Callable[[], ProfilePage | None], parent: QMenu
    ) -> None:
        super().__init__("&Views side by side", parent)
        self._find_page = find_page
        self._puts: list[tuple[QAction, str]] = []
        self._several: list[QAction] = []  # actions that need more than one shown view
        self._sides = [(self.addMenu(text), side, key) for text, side, key in SIDES]
        self._of_traces: list[QMenu] = []  # made with the first tab of a memory trace
        for group, side, key in self._sides:
            self._add_views(group, views, side, key)
        self.addSeparator()
        for text, keys, step in (("Ne&xt view", "B, V", 1), ("&Previous view", "B, Shift+V", -1)):
            self._add_several(text, keys, partial(_step, step=step))
        self.addSeparator()
        for text, keys, is_width, sign in _SIZES:
            self._add_several(text, keys, partial(_grow, is_width=is_width, sign=sign))
        self.addSeparator()
        self._add_several("&Close this view", "B, X", lambda page: page.layout_choice.close())
        self._add_several("Close &all others", "B, Z", lambda page: page.layout_choice.keep_only())
        self._reset = self._add(self, "&Reset layout", "", lambda page: page.layout_choice.reset())

    def _add_views(self, group: QMenu, views: Views, side: Side, key: str) -> None:
        for title, view, view_key in views:
            put = partial(_put, view=view, side=side)
            self._puts.append((self._add(group, title, f"{key}, {view_key}", put), view))

    def _add_traces(self) -> None:
        views = tuple((view.text, name, view.key) for name, view in TRACE_VIEWS.items())
        for group, side, key in self._sides:
            self._of_traces.append(group.addMenu("Memory t&race"))
            self._add_views(self._of_traces[-1], views, side, key)

    def _add(
        self, menu: QMenu, text: str, keys: str, act: Callable[[ProfilePage], object]
    ) -> QAction:
        added = menu.addAction(text)
        added.setShortcut(QKeySequence(keys))
        added.triggered.connect(lambda: self._act(act))
        return added

    def _add_several(self, text: str, keys: str, act: Callable[[ProfilePage], object]) -> None:
        self._several.append(self._add(self, text, keys, act))

    def _act(self, act: Callable[[ProfilePage], object]) -> None:
        page = self._find_page()
        if page is not None:
            act(page)
            page.focus_view()

    def show_page(self) -> None:
        """Enable the actions that the current page can do."""
        page = self._find_page()
        is_trace = page is not None and page.trace is not None
        if is_trace and not self._of_traces:
            self._add_traces()
        for group in self._of_traces:
            group.menuAction().setVisible(is_trace)
        layout = page.layout_choice.shown if page is not None else None
        for action, view in self._puts:
            action.setEnabled(
                page is not None and view not in page.missing and _has_place(page, view)
            )
        for action in self._several:
            action.setEnabled(layout is not None and len(layout.views) > 1)
        self._reset.setEnabled(page is not None)


def _has_place(page: ProfilePage, view: str) -> bool:
    layout = page.layout_choice.shown
    return layout.has_room and view not in (layout.focused, layout.preset)


def _put(page: ProfilePage, view: str, side: Side) -> None:
    page.layout_choice.put(view, side)


def _step(page: ProfilePage, step: int) -> None:
    choice = page.layout_choice
    choice.focus(step_focus(choice.shown, step).focused)


def _grow(page: ProfilePage, is_width: bool, sign: int) -> None:
    page.layout_choice.grow(is_width, sign)
