"""The border between a graph and the table beside it: where the user has moved it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QSplitter, QWidget

_WHOLE = 10_000  # of the sizes that borders are placed by


class TableBorder(QObject):
    """Of a splitter, one part of which is the table."""

    moved = Signal(float)  # by the user; the table's share of the width

    def __init__(self, parts: QSplitter, table: QWidget) -> None:
        super().__init__(parts)
        self._parts, self._table = parts, table
        self._share: float | None = None  # of the width; None = as usual
        self._has_graph = False  # beside the table
        parts.splitterMoved.connect(self._on_moved)

    def place(self, share: float | None) -> None:
        """None = where it usually is."""
        self._share = share
        self._apply()

    def begin(self, has_graph: bool) -> None:
        """Other parts are shown. ``has_graph``: the table, and a graph beside it."""
        self._has_graph = has_graph
        self._apply()

    def _apply(self) -> None:
        if self._share is None or not self._has_graph:
            return
        table = round(self._share * _WHOLE)
        parts = [self._parts.widget(place) for place in range(self._parts.count())]
        self._parts.setSizes([table if part is self._table else _WHOLE - table for part in parts])

    def _on_moved(self) -> None:
        if self._has_graph and self._parts.width():
            self._share = self._table.width() / self._parts.width()
            self.moved.emit(self._share)
