"""Shortcut sheet: a dialog that lists keys and mouse actions in groups, opened by ``?``."""

from __future__ import annotations

from itertools import chain

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

_COLUMNS: tuple[tuple[tuple[str, tuple[tuple[str, str], ...]], ...], ...] = (
    (
        (
            "Navigate",
            (
                ("Wheel", "Scroll"),
                ("Ctrl + Wheel", "Zoom at the pointer"),
                ("Drag", "Move"),
                ("W A S D", "Move"),
                ("+  −", "Zoom"),
                ("0  or  Ctrl + 0", "Show everything"),
                ("M", "Minimap: arrow keys move, + − zoom"),
                ("Alt + ←  →", "Back, forward"),
            ),
        ),
        (
            "Views",
            (
                ("1", "Flame graph"),
                ("2", "Flame graph and table"),
                ("3", "Table"),
                ("Y", "Call tree, row by row"),
                ("R", "Traces: each distinct stack with its value"),
                ("4", "Sites of the heap; waits of contention"),
                ("5", "Sandwich: callers and callees of a function"),
                ("6", "Source: what each line of a file costs"),
                ("7", "Labels: what each value of a label costs"),
                ("8", "Summary: what stands out, in words"),
                ("9", "Call graph: functions as boxes, calls as arrows"),
                ("O", "Over time: threads, calls, heat map"),
                ("F4", "Sample type"),
                ("I", "Invert the flame graph: callees first"),
                ("X", "C code: every function, libraries, none"),
            ),
        ),
        (
            "Views side by side",
            (
                ("B, then 1 … 9", "Put a view beside; Shift + B: below"),
                ("Drag a button", "Put the view where you drop it"),
                ("B, V", "Next view; with Shift: previous"),
                ("B, ← → ↑ ↓", "Give the view more or less room"),
                ("B, X", "Close the view"),
                ("B, Z", "Close all others"),
            ),
        ),
        (
            "Timeline of memory",
            (
                ("T", "Show or hide"),
                ("Drag over it", "What was allocated in a span"),
                ("P", "Play or pause the replay; Shift: speed"),
                ("[  ]", "Marker A, marker B: what grew from A to B"),
                ("←  →", "Move marker or timeline; Shift: faster"),
                ("Wheel", "Zoom; with Shift: move"),
                ("Double-click, 0", "The whole session"),
                ("Esc", "Back to now"),
            ),
        ),
    ),
    (
        (
            "Frames",
            (
                ("Click", "Select"),
                ("Double-click, Enter", "Zoom; in the sandwich: show its function"),
                ("Z", "Zoom to the frame, in every view"),
                ("C", "Callers and callees of the function"),
                ("L", "Source of the function, line by line"),
                ("E", "Open the function in an editor"),
                ("Right-click", "Menu with filters"),
                ("Ctrl + Z", "Undo a filter; with Shift: redo"),
                ("↑ ↓ ← →", "Caller, callee, neighbours"),
                ("Ctrl + C", "Copy the stack"),
                ("Esc", "One step back: selection, search, zoom"),
            ),
        ),
        (
            "Tables",
            (
                ("↑ ↓", "Select a row"),
                ("Enter", "Show its stacks; for a lock: its waits"),
                ("Ctrl + C", "Copy the row"),
                ("Ctrl + Shift + C", "Copy all rows"),
                ("Esc", "One step back: row, then filters"),
            ),
        ),
        (
            "Windows and tabs",
            (
                ("Ctrl + PgUp  PgDn", "Previous, next tab"),
                ("Ctrl + N", "New window"),
                ("Ctrl + Shift + M", "Move the tab to a new window"),
                ("Drag a tab out", "Move the tab to any window"),
                ("Ctrl + W", "Close the tab; with Shift: the window"),
            ),
        ),
    ),
    (
        (
            "Search",
            (
                ("Ctrl + F  or  /", "Search (regular expressions)"),
                ("Enter", "Next match"),
                ("Shift + Enter", "Previous match"),
                ("Esc", "Back to the view"),
            ),
        ),
        (
            "Files and processes",
            (
                ("Ctrl + Shift + P", "Every command, by typing"),
                ("Ctrl + O", "Open"),
                ("Ctrl + Alt + O", "Open several files as one"),
                ("Ctrl + Shift + O", "Open a server's profiles"),
                ("Ctrl + V", "Open from the clipboard"),
                ("Ctrl + S", "Save"),
                ("Ctrl + E", "Export picture or data"),
                ("Ctrl + Shift + I  S", "Copy, save a picture"),
                ("Ctrl + P", "Print this view"),
                ("Ctrl + D", "Compare two profiles"),
                ("Ctrl + K", "Keep as a base to compare"),
                ("Ctrl + Shift + A", "Attach to a process"),
            ),
        ),
        (
            "Capture",
            (
                ("Space", "Pause or resume the view"),
                ("Ctrl + Shift + Del", "Clear"),
                ("Ctrl + Shift + D", "Detach, or attach again"),
                ("F5  F6  F7  F8", "Rate presets, CPU, heap, locks"),
                ("Shift + F6", "Wall rate"),
                ("Ctrl + Shift + N", "Native stacks"),
                ("F9", "Threads"),
                ("Ctrl + 1  2  3", "Last 10 s, last minute, all"),
                ("Ctrl + Shift + G", "Download debug information"),
            ),
        ),
    ),
)

_FRAME = QSize(24, 48)  # size of a dialog's window frame


def _make_key(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("key")
    return label


def _lay_out_column(groups: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]) -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(16)
    grid.setVerticalSpacing(7)
    for title, rows in groups:
        heading = QLabel(title.upper())
        heading.setObjectName("heading")
        heading.setContentsMargins(0, 10 if grid.rowCount() > 1 else 0, 0, 2)
        grid.addWidget(heading, grid.rowCount(), 0, 1, 2)
        for keys, meaning in rows:
            row = grid.rowCount()
            grid.addWidget(_make_key(keys), row, 0, Qt.AlignmentFlag.AlignLeft)
            grid.addWidget(QLabel(meaning), row, 1)
    grid.setRowStretch(grid.rowCount(), 1)
    grid.setColumnStretch(1, 1)
    return grid


def _make_sheet(n_columns: int) -> QWidget:
    """Return all groups in ``n_columns`` columns; the last takes the groups of the rest."""
    sheet = QWidget()
    row = QHBoxLayout(sheet)
    row.setContentsMargins(28, 24, 28, 24)
    row.setSpacing(32)
    last = n_columns - 1
    for groups in (*_COLUMNS[:last], tuple(chain(*_COLUMNS[last:]))):
        row.addLayout(_lay_out_column(groups))
    return sheet


class ShortcutSheet(QDialog):
    """The sheet has as many columns as fit its width, and scrolls only vertically."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys and mouse")
        self._n_columns = len(_COLUMNS)
        self._sheets = {self._n_columns: _make_sheet(self._n_columns)}  # by number of columns
        area = self._area = QScrollArea(self)
        area.setAccessibleName("Keys and mouse")
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setWidget(self._sheets[self._n_columns])
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(area)
        wanted = self._sheets[self._n_columns].sizeHint()
        self.resize(wanted.boundedTo(self.screen().availableSize() - _FRAME))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        bar_px = self._area.verticalScrollBar().sizeHint().width()
        fitting = (n for n in range(len(_COLUMNS), 1, -1) if self._fits(self._find(n), bar_px))
        n_columns = next(fitting, 1)
        if n_columns != self._n_columns:
            self._sheets[self._n_columns] = self._area.takeWidget()
            self._area.setWidget(self._find(n_columns))
            self._find(n_columns).show()
            self._n_columns = n_columns

    def _find(self, n_columns: int) -> QWidget:
        if n_columns not in self._sheets:
            self._sheets[n_columns] = _make_sheet(n_columns)
        return self._sheets[n_columns]

    def _fits(self, sheet: QWidget, bar_px: int) -> bool:
        wanted = sheet.minimumSizeHint()
        is_scrolled = wanted.height() > self.height()
        return wanted.width() + (bar_px if is_scrolled else 0) <= self.width()
