"""Filter dialog: asks for a kind of filter and its text, a pattern, a label or a span of time."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from stackglass_viewer.presenter.settings.typed_filters import TypedFilter, TypedKind, find_fault
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.shown_text import join_units

_WIDTH_PX = 520


class PatternDialog(QDialog):
    """A list of kinds and a text. While the text is not valid, a line says what is wrong, and the
    Filter button is disabled."""

    def __init__(
        self, kinds: Sequence[TypedKind], edited: TypedFilter | None, parent: QWidget
    ) -> None:
        """``kinds``: the kinds of filter to offer.
        ``edited``: the filter to change, None = a new one."""
        super().__init__(parent)
        self.setWindowTitle("Filter" if edited is None else "Edit the filter")
        self.setMinimumWidth(_WIDTH_PX)
        self._kinds = tuple(kinds)
        self.kind = ChoiceBox()
        self.kind.setAccessibleName("Kind of filter")
        for kind in self._kinds:
            self.kind.addItem(kind.words)
        self.kind.setMaxVisibleItems(len(self._kinds))
        self.pattern = QLineEdit()
        self.pattern.setAccessibleName("Pattern")
        self._reason = QLabel(" ")
        self._reason.setObjectName("hint")
        self._reason.setWordWrap(True)
        self._reason.setTextFormat(Qt.TextFormat.PlainText)
        cancel, self._apply = QPushButton("Cancel"), QPushButton("Filter")
        self._apply.setDefault(True)
        column, buttons = QVBoxLayout(self), QHBoxLayout()
        column.setContentsMargins(24, 22, 24, 18)
        column.setSpacing(10)
        buttons.setSpacing(10)
        buttons.addStretch()
        buttons.addWidget(cancel)
        buttons.addWidget(self._apply)
        column.addWidget(self.kind)
        column.addWidget(self.pattern)
        column.addWidget(self._reason)
        column.addLayout(buttons)
        cancel.clicked.connect(self.reject)
        self._apply.clicked.connect(self.accept)
        self.pattern.textChanged.connect(self._check)
        self.kind.currentIndexChanged.connect(self._check)
        if edited is not None:
            self.kind.setCurrentIndex(self._kinds.index(edited.kind))
            self.pattern.setText(edited.text)
            self.pattern.selectAll()
        self._check()
        self.pattern.setFocus()

    @property
    def typed(self) -> TypedFilter:
        """The chosen kind with the typed text."""
        return TypedFilter(self._kinds[self.kind.currentIndex()], self.pattern.text())

    @property
    def fault(self) -> str:
        """The line that says what is wrong with the text; a space if the text is valid."""
        return self._fault or " "

    def _check(self) -> None:
        typed = self.typed
        self.pattern.setPlaceholderText(typed.kind.hint)
        self._fault = find_fault(*typed)
        self._reason.setText(join_units(self._fault) or " ")  # a space keeps the line's height
        self._apply.setEnabled(not self._fault)


def ask_filter(
    parent: QWidget, kinds: Sequence[TypedKind], edited: TypedFilter | None
) -> TypedFilter | None:
    """Ask for a filter; None = the user cancelled."""
    dialog = PatternDialog(kinds, edited, parent)
    chosen = dialog.typed if dialog.exec() == QDialog.DialogCode.Accepted else None
    dialog.deleteLater()
    return chosen
