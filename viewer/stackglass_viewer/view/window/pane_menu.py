"""Menus of views beside each other: of the menu bar, of a view's head, of its button."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMenu, QWidget

from stackglass_viewer.presenter.settings.layout_choice import LayoutChoice
from stackglass_viewer.presenter.settings.view_layout import Side

if TYPE_CHECKING:  # for start-up time: a page imports all views
    from stackglass_viewer.view.window.profile_page import ProfilePage

Views = tuple[tuple[str, str, str], ...]
"""Text, name and key of each."""

_SIDES: tuple[tuple[str, Side, str], ...] = (
    ("Put &beside", "right", "B"),
    ("Put be&low", "below", "Shift+B"),
)
_ROOM = (
    ("&Wider", "B, Right", True, 1),
    ("&Narrower", "B, Left", True, -1),
    ("&Taller", "B, Down", False, 1),
    ("L&ower", "B, Up", False, -1),
)


class PaneMenu(QMenu):
    """Acts on the page in front, on the view that has the keys."""

    def __init__(
        self, views: Views, find_page: Callable[[], ProfilePage | None], parent: QMenu
    ) -> None:
        super().__init__("Views &side by side", parent)
        self._find_page = find_page
        self._puts: list[tuple[QAction, str]] = []
        self._several: list[QAction] = []  # that need more than one view
        for text, side, key in _SIDES:
            group = self.addMenu(text)
            for title, view, view_key in views:
                added = self._add(
                    group, title, f"{key}, {view_key}", partial(_put, view=view, side=side)
                )
                self._puts.append((added, view))
        self.addSeparator()
        for text, keys, step in (("Ne&xt view", "N", 1), ("&Previous view", "Shift+N", -1)):
            self._add_several(text, keys, partial(_step, step=step))
        self.addSeparator()
        for text, keys, is_wider, sign in _ROOM:
            self._add_several(text, keys, partial(_grow, is_wider=is_wider, sign=sign))
        self.addSeparator()
        self._add_several("&Close this view", "B, X", lambda page: page.layout_choice.close())
        self._add_several("Close &all others", "B, Z", lambda page: page.layout_choice.keep_only())
        self._reset = self._add(self, "&Reset layout", "", lambda page: page.layout_choice.reset())

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
        """Enable what the page in front can do."""
        page = self._find_page()
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
    page.layout_choice.step_focus(step)


def _grow(page: ProfilePage, is_wider: bool, sign: int) -> None:
    page.layout_choice.grow(is_wider, sign)


def show_head_menu(
    choice: LayoutChoice,
    view: str,
    views: Collection[tuple[str, str]],
    place: QPoint,
    parent: QWidget,
) -> None:
    """Of the head of a view. ``views``: title and name of each that there is."""
    menu = QMenu(parent)
    shown = choice.shown
    for text, side, _ in _SIDES:
        group = menu.addMenu(text)
        for title, other in views:
            if other != view and (shown.has_room or other in shown.views):
                group.addAction(title).triggered.connect(
                    partial(_put_to, choice, other, side, view)
                )
        group.menuAction().setEnabled(not group.isEmpty())
    menu.addSeparator()
    menu.addAction("&Close this view").triggered.connect(lambda: choice.close(view))
    menu.addAction("Close &all others").triggered.connect(lambda: _keep_only(choice, view))
    menu.addAction("&Reset layout").triggered.connect(lambda: choice.reset())
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(place)


def show_button_menu(choice: LayoutChoice, view: str, place: QPoint, parent: QWidget) -> None:
    """Of the button of a view."""
    menu = QMenu(parent)
    shown = choice.shown
    for text, side, _ in _SIDES:
        added = menu.addAction(text)
        added.triggered.connect(partial(_put_to, choice, view, side, ""))
        added.setEnabled(view != shown.view and (shown.has_room or view in shown.views))
    if view in shown.views and len(shown.views) > 1:
        menu.addAction("&Close this view").triggered.connect(lambda: choice.close(view))
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(place)


def _put_to(
    choice: LayoutChoice, view: str, side: Side, target: str, _is_checked: bool = False
) -> None:
    choice.put(view, side, target)


def _keep_only(choice: LayoutChoice, view: str) -> None:
    choice.focus(view)
    choice.keep_only()
