"""Span bar: a chip with the span of time to which the views are filtered."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QSizePolicy, QWidget

from stackglass_viewer.presenter.settings.span_choice import Span, describe_span
from stackglass_viewer.view.widgets.filter_chip import make_filter_chip
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.theme import Theme


class SpanBar(QFrame):
    """A click on the chip drops the span; its context menu changes it.

    The bar is hidden while all of the time is shown.
    """

    dropped = Signal()
    edit_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("footer")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        title = QLabel("Time", self)
        title.setObjectName("hint")
        self._chip = make_filter_chip(self.dropped.emit, self.make_menu, self)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(6)
        row.addWidget(title)
        row.addWidget(self._chip)
        row.addStretch(1)
        self._span: Span | None = None
        self.set_theme(theme)
        self.hide()

    def make_menu(self) -> QMenu:
        """Make the chip's context menu: edit or remove the span."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.addAction("&Edit the span…", self.edit_requested.emit)
        menu.addAction("&Remove", self.dropped.emit)
        return menu

    @property
    def has_span(self) -> bool:
        """Whether only a span of the time is shown."""
        return self._span is not None

    def show_span(self, span: Span | None) -> None:
        """Show the span in the chip; None = all of the time."""
        self._span = span
        if span is not None:
            words = describe_span(span)
            self._chip.setText(f"\u200e{words}")
            self._chip.setToolTip(
                f"Only {words} is shown\nClick to show all of the time (Esc), "
                "right-click to change it"
            )
            self._chip.setAccessibleName(f"Show all of the time, not only {words}")
        self.setVisible(span is not None)

    def set_theme(self, theme: Theme) -> None:
        self._chip.setIcon(load_icon("close", theme.muted))
