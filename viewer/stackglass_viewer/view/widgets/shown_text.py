"""Shown texts: names that Qt would read as markup, and values that a line break would part."""

from __future__ import annotations

import re

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QHelpEvent
from PySide6.QtGui import Qt as GuiQt
from PySide6.QtWidgets import QAbstractItemView, QToolTip, QWidget

_UNIT_GAP = re.compile(r"(?<=\d) (?=(?:ns|µs|ms|s|min|h|d|Hz|B|[KMGTP]iB|[kMG]B)\b)")
_NO_BREAK = "\u00a0"


def join_units(text: str) -> str:
    """Return a text for a place where lines wrap, in which ``12.3 ms`` stays on one line."""
    return _UNIT_GAP.sub(_NO_BREAK, text)


def escape_ampersands(text: str) -> str:
    """Return a text for a button, a menu or a tab, with each ``&`` doubled. Qt would hide a single
    ``&`` and underline the letter after it."""
    return text.replace("&", "&&")


def strip_mnemonics(text: str) -> str:
    """Return the text of an action as the user sees it, without the ``&`` that marks its key."""
    return "&".join(part.replace("&", "") for part in text.split("&&"))


def make_tip(text: str) -> str:
    """Return a text for a tool tip, escaped if Qt would read it as HTML, such as Rust's
    ``<I as IntoIterator>::into_iter``."""
    if not GuiQt.mightBeRichText(text):
        return text
    from html import escape  # here for start-up time: few tips need it

    return f'<p style="white-space:pre">{escape(text)}</p>'


def show_tip(point: QPoint, text: str, widget: QWidget) -> None:
    """Show a tool tip of ``widget`` at ``point`` on the screen, with ``text`` as it is."""
    QToolTip.showText(point, make_tip(text), widget)


def show_item_tip(view: QAbstractItemView, event: QHelpEvent) -> None:
    """Show the tool tip of the cell under the pointer; hide it if the cell has none."""
    index = view.indexAt(event.pos())
    text = index.data(Qt.ItemDataRole.ToolTipRole) if index.isValid() else None
    tip = make_tip(str(text)) if text else ""
    QToolTip.showText(event.globalPos(), tip, view.viewport(), view.visualRect(index))
