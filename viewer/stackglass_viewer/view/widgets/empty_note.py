"""Empty note: the placeholder of an empty table, with the reason and buttons for remedies."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QAbstractScrollArea,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from stackglass_viewer.view.widgets.shown_text import join_units

_SIDE_PX = 12
_PAD_PX = 34  # padding and border of a button


class EmptyNote(QWidget):
    """The note is in the middle of its table's viewport; the table's owner shows and hides it."""

    pressed = Signal(int)  # index of the button

    def __init__(self, table: QAbstractScrollArea) -> None:
        super().__init__(table.viewport())
        self._title, self._text = QLabel(self), QLabel(self)
        self._title.setObjectName("emptyTitle")
        self._text.setObjectName("hint")
        self.buttons: list[QPushButton] = []
        for label in (self._title, self._text):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setWordWrap(True)
            label.setTextFormat(Qt.TextFormat.PlainText)
        column = QVBoxLayout(self)
        column.setContentsMargins(_SIDE_PX, 0, _SIDE_PX, 0)
        column.setSpacing(6)
        column.addWidget(self._title)
        column.addWidget(self._text)
        column.addSpacing(4)
        self._row = QHBoxLayout()
        self._row.setSpacing(8)
        self._row.addStretch()
        self._row.addStretch()
        column.addLayout(self._row)
        whole = QVBoxLayout(table.viewport())
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addStretch()
        whole.addWidget(self)
        whole.addStretch()
        self.say("", "")
        self.hide()

    def say(self, title: str, text: str, buttons: tuple[str, ...] = ()) -> None:
        """Set the texts and buttons; an empty text is hidden."""
        for label, words in ((self._title, title), (self._text, join_units(text))):
            if label.text() != words:
                label.setText(words)
            label.setVisible(bool(words))
        while len(self.buttons) < len(buttons):
            self._add_button()
        for index, made in enumerate(self.buttons):
            made.setVisible(index < len(buttons))
            if index < len(buttons) and made.text() != buttons[index]:
                made.setText(buttons[index])
                made.setMinimumWidth(made.fontMetrics().horizontalAdvance(buttons[index]) + _PAD_PX)

    def _add_button(self) -> None:
        index = len(self.buttons)
        made = QPushButton(self)
        made.clicked.connect(lambda: self.pressed.emit(index))
        self._row.insertWidget(1 + index, made)
        self.buttons.append(made)
