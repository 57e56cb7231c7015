"""Message bar: a few lines across the window for an error, a warning or a piece of information."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.view.widgets.accessible_parts import announce_text
from stackglass_viewer.view.widgets.icons import draw_icon, load_icon
from stackglass_viewer.view.widgets.scrolled_text import ScrolledText
from stackglass_viewer.view.widgets.theme import Theme

_MOST_LINES = 5  # a longer text scrolls, so that the graph keeps its height


class MessageBar(QFrame):
    """Shows one notice at a time, and is hidden without one. Its cross dismisses the notice.

    An answer says why a key or a command did nothing. It stands in front of the notice, and ends
    with the next notice or the next view.
    """

    action_requested = Signal(str)  # Notice.action
    closed = Signal(object)  # the Notice that the user dismissed

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("message")
        self._theme = theme
        self._notice: Notice | None = None
        self._answer: Notice | None = None
        self._icon = QLabel(self)
        self._text = ScrolledText(_MOST_LINES, self)
        self._text.setAccessibleName("Message")
        self._action = QPushButton(self)
        self._close = QToolButton(self)
        self._close.setToolTip("Dismiss")
        self._close.setAccessibleName("Dismiss the message")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 5, 6, 5)
        row.setSpacing(8)
        row.addWidget(self._icon)
        row.addWidget(self._text, 1)
        row.addWidget(self._action)
        row.addWidget(self._close)
        self._close.clicked.connect(self._on_closed)
        self._action.clicked.connect(self._on_action)
        self.set_theme(theme)
        self.hide()

    @property
    def notice(self) -> Notice | None:
        """The notice or answer that is shown; None = the bar is hidden."""
        return self._answer or self._notice

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._close.setIcon(load_icon("close", theme.muted))
        self._show(self.notice)

    def show_notice(self, notice: Notice | None) -> None:
        """Show a notice instead of the one before; None hides the bar."""
        before, self._notice, self._answer = self.notice, notice, None
        self._show(before)

    def show_answer(self, answer: Notice | None) -> None:
        """Show an answer in front of the notice; None = the notice again."""
        before, self._answer = self.notice, answer
        self._show(before)

    def _show(self, before: Notice | None) -> None:
        notice = self.notice
        if notice is None:
            self.hide()
            return
        colour = {
            "info": self._theme.accent,
            "warning": self._theme.warning,
            "error": self._theme.danger,
        }[notice.tone]
        self._icon.setPixmap(draw_icon(notice.tone, colour, 16, self.devicePixelRatioF()))
        self._text.set_text(notice.text)
        self._action.setText(notice.action_label)
        self._action.setVisible(bool(notice.action_label))
        self._close.setVisible(notice.can_close)
        self.setProperty("tone", notice.tone)
        self.style().unpolish(self)
        self.style().polish(self)
        self.show()
        if notice != before:
            announce_text(self, notice.text)

    def dismiss(self) -> None:
        """Close what is shown, if it can be closed."""
        if self.notice is not None and self.notice.can_close:
            self._on_closed()

    def _on_closed(self) -> None:
        if self._answer is not None:
            self.show_answer(None)
            return
        closed = self._notice
        self.show_notice(None)
        self.closed.emit(closed)

    def _on_action(self) -> None:
        if self.notice is not None:
            self.action_requested.emit(self.notice.action)
