"""Filter chip: a button that names a filter; a click removes the filter, a menu changes it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMenu, QToolButton, QWidget


def make_filter_chip(
    remove: Callable[[], None], make_menu: Callable[[], QMenu] | None, parent: QWidget
) -> QToolButton:
    """Make a chip without its text and its icon, which the caller sets. ``make_menu`` None: the
    chip has no context menu."""
    chip = QToolButton(parent)
    chip.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
    chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the cross comes last
    chip.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    chip.clicked.connect(lambda: remove())
    if make_menu is not None:
        chip.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        chip.customContextMenuRequested.connect(lambda at: make_menu().popup(chip.mapToGlobal(at)))
    return chip


def cut_chip(words: str, width_px: int, n_chips: int, widget: QWidget) -> str:
    """Return the text of one of ``n_chips`` chips, cut to ``width_px``; a chip that is alone has
    room for twice that."""
    room_px = width_px * 2 if n_chips == 1 else width_px
    return widget.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, room_px)
