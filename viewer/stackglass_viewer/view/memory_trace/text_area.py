"""Text area: read-only rich text that can be selected and scrolled."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QTextOption
from PySide6.QtWidgets import QTextEdit, QWidget

from stackglass_viewer.view.widgets.shown_text import join_units


class TextArea(QTextEdit):
    """An area without a background or frame of its own. Long names break anywhere."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shown = ""
        self.setReadOnly(True)
        self.setFrameShape(QTextEdit.Shape.NoFrame)
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self.document().setDocumentMargin(0)

    def set_text(self, text: str) -> None:
        """Show ``text``, which is HTML. The same text again keeps the scroll position."""
        if text != self._shown:
            self._shown = text
            self.setHtml(join_units(text))
