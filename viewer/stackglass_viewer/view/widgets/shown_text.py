"""Shown texts: keep Qt from reading names of files, functions and threads as markup."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import QAbstractItemView, QToolTip, QWidget


def show_signs(text: str) -> str:
    """Double each ``&`` for a button, a menu or a tab: Qt would hide a single one, and underline
    the letter after it."""
    return text.replace("&", "&&")


def read_words(text: str) -> str:
    """Return the text of an action as the user sees it, without the ``&`` that mark its key."""
    return "&".join(part.replace("&", "") for part in text.split("&&"))


def make_tip(text: str) -> str:
    """Return a text for a tool tip, which Qt would read as HTML if it has a ``<`` and a letter that
    is a tag, as in Rust's ``<I as IntoIterator>::into_iter``."""
    if not GuiQt.mightBeRichText(text):
        return text
    return f'<p style="white-space:pre">{escape(text)}</p>'


def show_tip(place: QPoint, text: str, widget: QWidget) -> None:
    """Show a tool tip of ``widget`` at ``place`` on the screen, with ``text`` as it is."""
    QToolTip.showText(place, make_tip(text), widget)


def show_item_tip(view: QAbstractItemView, event: QHelpEvent) -> None:
    """Show the tool tip of the cell under the pointer; hide it if the cell has none."""
    index = view.indexAt(event.pos())
    text = index.data(Qt.ItemDataRole.ToolTipRole) if index.isValid() else None
    tip = make_tip(str(text)) if text else ""
    QToolTip.showText(event.globalPos(), tip, view.viewport(), view.visualRect(index))
