"""Label that shortens its text to its width instead of growing, and is empty where next to nothing
of it would be left."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from stackglass_viewer.model.units import make_printable

_LEAST_LETTERS = 4  # of a text that is cut


class ElidedLabel(QLabel):
    """The tool tip shows what was cut, and what else there is to say."""

    def __init__(self, mode: Qt.TextElideMode, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mode = mode
        self._whole, self._about = "", ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)

    def set_text(self, text: str, about: str = "") -> None:
        """``about`` is for the tool tip."""
        text = make_printable(text)
        if (text, about) != (self._whole, self._about):
            self._whole, self._about = text, about
            self._cut()

    @property
    def whole(self) -> str:
        """The text, also where it is cut."""
        return self._whole

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._cut()

    def _cut(self) -> None:
        text = self.fontMetrics().elidedText(self._whole, self._mode, self.width())
        is_telling = text == self._whole or len(text) > _LEAST_LETTERS
        self.setText(text if is_telling else "")
        parts = [self._whole] if self.text() != self._whole else []
        parts += [self._about] if self._about else []
        self.setToolTip("\n".join(parts))
