"""Pattern dialog: filter stacks by a regular expression."""

from __future__ import annotations

from PySide6.QtWidgets import (
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from stackglass_viewer.model.profile.transforms import PATTERN_KINDS, Transform
from stackglass_viewer.presenter.settings.transform_choices import find_fault
from stackglass_viewer.view.widgets.choice_box import ChoiceBox

_TEXTS = (
    "Only stacks with (focus)",
    "Without stacks of (ignore)",
    "Begin stacks with (show_from)",
    "Merge into callers (hide)",
    "Merge all others into callers (show)",
)
"""Of ``PATTERN_KINDS``, with pprof's names."""
_WIDTH_PX = 520


class PatternDialog(QDialog):
    """Can be accepted only with a valid pattern."""

    def __init__(self, step: Transform | None, parent: QWidget) -> None:
        """``step``: the one to be edited; None = a new one."""
        super().__init__(parent)
        self.setWindowTitle("Filter by pattern" if step is None else "Edit the pattern")
        self.setMinimumWidth(_WIDTH_PX)
        self.kind = ChoiceBox()
        self.kind.setAccessibleName("What is done")
        for kind, text in zip(PATTERN_KINDS, _TEXTS, strict=True):
            self.kind.addItem(text, kind)
        self.pattern = QLineEdit()
        self.pattern.setAccessibleName("Pattern")
        self.pattern.setPlaceholderText("Regular expression over names and files")
        self._reason = QLabel(" ")
        self._reason.setObjectName("hint")
        self._reason.setWordWrap(True)
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
        if step is not None:
            self.kind.setCurrentIndex(PATTERN_KINDS.index(step.kind))
            self.pattern.setText(step.name)
        self._check()
        self.pattern.setFocus()

    @property
    def step(self) -> Transform:
        """What was typed and chosen."""
        return Transform(PATTERN_KINDS[self.kind.currentIndex()], self.pattern.text())

    @property
    def fault(self) -> str:
        """What is wrong with the pattern, as it is shown."""
        return self._reason.text()

    def _check(self) -> None:
        fault = find_fault(self.pattern.text())
        self._reason.setText(fault or " ")  # the window keeps its height
        self._apply.setEnabled(not fault)


def ask_pattern(parent: QWidget, step: Transform | None) -> Transform | None:
    """A step to filter by; None = the user thought better of it."""
    dialog = PatternDialog(step, parent)
    chosen = dialog.step if dialog.exec() == QDialog.DialogCode.Accepted else None
    dialog.deleteLater()
    return chosen
