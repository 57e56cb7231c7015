"""Compare dialog: the user chooses a base profile and a profile to compare with it."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.view.widgets.choice_box import ChoiceBox

_ABOUT = (
    "Changes from the base are shown as a flame graph and as a table. A tab is compared as it is "
    "shown now, with its filters."
)
_LIST_PX = 340


class CompareDialog(QDialog):
    """Two lists of profiles, each with a button for a file that is not in the list."""

    compare_requested = Signal(str, str)  # keys of the base and of the other
    file_requested = Signal(int)  # side to choose a file for: 0 = base, 1 = other

    def __init__(
        self, choices: Sequence[tuple[str, str]], chosen: tuple[str, str], parent: QWidget
    ) -> None:
        """``choices``: (key, text) pairs to offer.
        ``chosen``: keys of the base and of the other that are chosen at first; "" = none."""
        super().__init__(parent)
        self.setWindowTitle("Compare two profiles")
        about = QLabel(_ABOUT, self)
        about.setObjectName("hint")
        about.setWordWrap(True)
        about.setTextFormat(Qt.TextFormat.PlainText)
        self._lists: list[ChoiceBox] = []
        self._compare = QPushButton("Compare", self)
        self._compare.setDefault(True)
        cancel = QPushButton("Cancel", self)
        cancel.setAutoDefault(False)
        grid = QGridLayout()
        grid.setHorizontalSpacing(10)
        grid.setVerticalSpacing(10)
        for row, title in enumerate(("Base (before)", "Compared with it (after)")):
            self._add_side(grid, row, title)
        grid.setColumnStretch(1, 1)
        buttons = QHBoxLayout()
        buttons.setSpacing(10)
        buttons.addStretch(1)
        buttons.addWidget(cancel)
        buttons.addWidget(self._compare)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(14)
        column.addWidget(about)
        column.addLayout(grid)
        column.addLayout(buttons)
        for key, text in choices:
            self._add(key, text)
        for box, key in zip(self._lists, chosen, strict=True):
            box.setCurrentIndex(box.findData(key))
        self._compare.clicked.connect(self._on_compare)
        cancel.clicked.connect(self.reject)
        self._enable()

    def _add_side(self, grid: QGridLayout, row: int, title: str) -> None:
        box, button = ChoiceBox(self), QPushButton("File…", self)
        box.setAccessibleName(title)
        box.setPlaceholderText("Choose a profile")
        box.setMinimumContentsLength(24)
        box.setMinimumWidth(_LIST_PX)
        button.setAutoDefault(False)
        button.setToolTip("Choose a file that is not open")
        button.setAccessibleName(f"File for: {title}")
        label = QLabel(title, self)
        label.setBuddy(box)
        for column, widget in enumerate((label, box, button)):
            grid.addWidget(widget, row, column)
        self._lists.append(box)
        box.currentIndexChanged.connect(self._enable)
        button.clicked.connect(lambda: self.file_requested.emit(row))

    def choose_file(self, side: int, key: str, text: str) -> None:
        """Choose the file ``key`` for ``side``; add it to both lists as ``text`` if it is new."""
        if self._lists[side].findData(key) < 0:
            self._add(key, text)
        self._lists[side].setCurrentIndex(self._lists[side].findData(key))

    def _add(self, key: str, text: str) -> None:
        for box in self._lists:
            box.addItem(make_printable(text), key)
            if box.count() == 1:
                box.setCurrentIndex(-1)  # Qt has chosen the first item

    @property
    def chosen(self) -> tuple[str, str]:
        """Keys of the base and of the other; "" = none chosen yet."""
        base, other = (str(box.currentData() or "") for box in self._lists)
        return base, other

    def _enable(self) -> None:
        if len(self._lists) == 2:
            base, other = self.chosen
            self._compare.setEnabled(bool(base and other and base != other))

    def _on_compare(self) -> None:
        base, other = self.chosen
        self.accept()
        self.compare_requested.emit(base, other)
