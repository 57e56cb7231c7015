"""Copied text: goes to the clipboard, and the nearest message bar says what was copied."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.view.widgets.message_bar import MessageBar


def copy_text(text: str, answer: str, widget: QWidget) -> None:
    """Copy ``text``, and show ``answer`` in the message bar of the page that has ``widget``."""
    QGuiApplication.clipboard().setText(text)
    show_copied(answer, widget)


def show_copied(answer: str, widget: QWidget) -> None:
    """Show ``answer`` in the message bar of the page that has ``widget``, if any."""
    parent: QWidget | None = widget
    while parent is not None:
        bar = getattr(parent, "message", None)
        if isinstance(bar, MessageBar):
            bar.show_answer(Notice("info", answer))
            return
        parent = parent.parentWidget()
