"""Menus that place views side by side: of a view's head, and of its button in the rail."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QWidget

from stackglass_viewer.presenter.settings.layout_choice import LayoutChoice
from stackglass_viewer.presenter.settings.view_layout import Side

SIDES: tuple[tuple[str, Side, str], ...] = (
    ("Put &beside", "right", "B"),
    ("Put be&low", "below", "Shift+B"),
)
"""Text, side and the first key of each."""


def show_head_menu(
    choice: LayoutChoice,
    view: str,
    views: Collection[tuple[str, str]],
    point: QPoint,
    parent: QWidget,
) -> None:
    """Open the menu of a view's head at ``point``. ``views``: (title, name) of all views."""
    menu = QMenu(parent)
    shown = choice.shown
    for text, side, _ in SIDES:
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
    menu.popup(point)


def show_button_menu(choice: LayoutChoice, view: str, point: QPoint, parent: QWidget) -> None:
    """Open the menu of a view's button in the rail at ``point``."""
    menu = QMenu(parent)
    shown = choice.shown
    for text, side, _ in SIDES:
        added = menu.addAction(text)
        added.triggered.connect(partial(_put_to, choice, view, side, ""))
        added.setEnabled(view != shown.view and (shown.has_room or view in shown.views))
    if view in shown.views and len(shown.views) > 1:
        menu.addAction("&Close this view").triggered.connect(lambda: choice.close(view))
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(point)


def _put_to(
    choice: LayoutChoice, view: str, side: Side, target: str, _is_checked: bool = False
) -> None:
    choice.put(view, side, target)


def _keep_only(choice: LayoutChoice, view: str) -> None:
    choice.focus(view)
    choice.keep_only()
