"""Elided labels: they cut their text to their width, and are empty if too little is left."""

from __future__ import annotations

import math
import re
from itertools import accumulate

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.view.widgets.shown_text import make_tip

_LEAST_LETTERS = 4  # a cut text with so few letters is not shown
_LEFT = (  # also if the text begins with Arabic letters
    Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute | Qt.AlignmentFlag.AlignVCenter
)
_BREAK = "  ·  "  # between figures
_WORD_END = re.compile(r"(?<![0-9]) ")  # not between a number and its unit


class ElidedLabel(QLabel):
    """A label with a tool tip: the whole text if it was cut, and then the text ``about``."""

    def __init__(self, mode: Qt.TextElideMode, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mode = mode
        self._whole, self._about = "", ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAlignment(_LEFT)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_text(self, text: str, about: str = "") -> None:
        """Set the text; ``about``: for the tool tip."""
        text = make_printable(text)
        if (text, about) != (self._whole, self._about):
            self._whole, self._about = text, about
            self._cut()

    @property
    def whole(self) -> str:
        """The text without cuts."""
        return self._whole

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._cut()

    def _cut(self) -> None:
        text = self._fit(self.fontMetrics().elidedText(self._whole, self._mode, self.width()))
        is_readable = text == self._whole or len(text) > _LEAST_LETTERS
        self.setText(text if is_readable else "")
        parts = [self._whole] if self.text() != self._whole else []
        parts += [self._about] if self._about else []
        self.setToolTip(make_tip("\n".join(parts)))

    def _fit(self, text: str) -> str:
        """Return what is shown of ``text``, which Qt has cut where its letters end."""
        return text


class FiguresLabel(ElidedLabel):
    """A label of figures, cut at its end: after the last whole figure, or else after a word.

    A number that lost digits or its unit would be another number.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.TextElideMode.ElideRight, parent)

    def _fit(self, text: str) -> str:
        if text == self.whole:
            return text
        n_kept = len(text) - 1  # without the ellipsis
        figures = accumulate(self.whole.split(_BREAK), lambda one, more: f"{one}{_BREAK}{more}")
        ends = [len(each) for each in figures]
        ends = ends if ends[0] < n_kept else [found.start() for found in _WORD_END.finditer(text)]
        end = max((each for each in ends if each < n_kept), default=0)
        return f"{text[:end]} …" if end else ""


class FittedLabel(ElidedLabel):
    """A label as wide as its text where there is room, and else cut."""

    def __init__(self, mode: Qt.TextElideMode, parent: QWidget | None = None) -> None:
        super().__init__(mode, parent)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Preferred)

    def sizeHint(self) -> QSize:
        # Rounded up: with a fraction of a pixel too little the text would be cut.
        width_px = math.ceil(QFontMetricsF(self.font()).horizontalAdvance(self.whole))
        return QSize(width_px, super().sizeHint().height())

    def set_text(self, text: str, about: str = "") -> None:
        before = self.whole
        super().set_text(text, about)
        if self.whole != before:
            self.updateGeometry()
