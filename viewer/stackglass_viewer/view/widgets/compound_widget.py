"""Compound widget: several parts, one of which takes the keyboard for the widget."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QStackedWidget, QWidget


class CompoundWidget(QWidget):
    """Gives the focus that it gets to its entry, one of its parts.

    A focus proxy of Qt would do the same, but Tab goes to such a widget, too, and from it to the
    proxy: past the parts between them, and in a circle where the proxy comes later in the order.
    Tab passes this widget and stops at each of its parts.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._entry: QWidget | None = None

    @property
    def entry(self) -> QWidget | None:
        """The part that takes the focus, or its own entry; None = there is none yet."""
        entry = self._entry
        return entry.entry or entry if isinstance(entry, CompoundWidget) else entry

    def set_entry(self, part: QWidget) -> None:
        """Set the part that takes the focus, at once if this widget has it."""
        self._entry = part
        if self.window().focusWidget() is self:
            part.setFocus()

    def turn_to(self, pages: QStackedWidget, page: QWidget, entry: QWidget) -> None:
        """Show one of ``pages``, with ``entry`` as the part that takes the focus. It gets the
        focus if the page before had it: Qt would give it to the first field of a new page."""
        before, focused = pages.currentWidget(), self.window().focusWidget()
        has_focus = bool(before and focused and before.isAncestorOf(focused))
        pages.setCurrentWidget(page)
        self.set_entry(entry)
        if has_focus and before is not page:
            self.setFocus()

    def setFocus(self, reason: Qt.FocusReason = Qt.FocusReason.OtherFocusReason, /) -> None:
        if self._entry is None:
            super().setFocus(reason)
        else:
            self._entry.setFocus(reason)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Pass on what Qt itself gives, as to a widget that had it before its window was active."""
        super().focusInEvent(event)
        if self._entry is not None:
            self._entry.setFocus(event.reason())
