"""Scrolled text: a text that wraps, and scrolls if it has more than a few lines."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QScrollArea, QWidget

from stackglass_viewer.view.widgets.shown_text import join_units


class ScrolledText(QScrollArea):
    """A widget as high as its text, up to ``n_lines`` lines."""

    def __init__(self, n_lines: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._n_lines = n_lines
        self._text = ""
        # A viewport of our own, for start-up time: to wrap the first widget that Qt made itself,
        # PySide sets up the types of all widgets that there are.
        self._viewport = QWidget(self)
        self.setViewport(self._viewport)
        self._label = QLabel(self)
        self._label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._label.setWordWrap(True)
        self._label.setTextFormat(Qt.TextFormat.PlainText)
        self._label.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        self.setWidget(self._label)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for part in (self, self._viewport, self._label):
            part.setAutoFillBackground(False)  # the parent's background shows through

    @property
    def text(self) -> str:
        """The whole text."""
        return self._text

    def set_text(self, text: str) -> None:
        self._text = text
        self._label.setText(join_units(text))
        self.verticalScrollBar().setValue(0)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit()

    def _fit(self) -> None:
        wanted_px = max(0, self._label.heightForWidth(self._viewport.width()))  # -1: no text yet
        most_px = self._n_lines * self._label.fontMetrics().lineSpacing()
        self.setFixedHeight(min(wanted_px, most_px))
        is_cut = wanted_px > most_px
        # Tab stops only at a text that can be scrolled.
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus if is_cut else Qt.FocusPolicy.NoFocus)
