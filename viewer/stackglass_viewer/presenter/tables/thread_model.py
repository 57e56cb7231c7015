"""The threads of a capture as a list with boxes to tick."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from stackglass_viewer.presenter.settings.view_state import ThreadRow

Index = QModelIndex | QPersistentModelIndex

SHARE_ROLE = Qt.ItemDataRole.UserRole  # float, 0 … 1


class ThreadModel(QAbstractListModel):
    """No tick at all means every thread, those to come included."""

    chosen_changed = Signal(object)  # frozenset[int] of tids; None = all

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[ThreadRow] = []
        self._chosen: frozenset[int] = frozenset()

    @property
    def chosen(self) -> frozenset[int] | None:
        return self._chosen or None

    @property
    def summary(self) -> str:
        """What the button says: ``All threads``, a name, or ``3 threads``."""
        if not self._chosen:
            return "All threads"
        if len(self._chosen) == 1:
            (tid,) = self._chosen
            return next((row.name for row in self._rows if row.tid == tid), f"thread {tid}")
        return f"{len(self._chosen)} threads"

    def set_rows(self, rows: Sequence[ThreadRow]) -> None:
        """The same threads in the same order keep their rows."""
        new = sorted(rows, key=lambda row: row.tid)
        if [row.tid for row in new] != [row.tid for row in self._rows]:
            self.beginResetModel()
            self._rows = new
            self.endResetModel()
        elif new != self._rows:
            self._rows = new
            self.dataChanged.emit(self.index(0), self.index(len(new) - 1))

    def choose_all(self) -> None:
        self._choose(frozenset())

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def flags(self, index: Index) -> Qt.ItemFlag:
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        flag = Qt.ItemFlag
        return flag.ItemIsEnabled | flag.ItemIsUserCheckable | flag.ItemIsSelectable

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.name
        if role == SHARE_ROLE:
            return row.share
        if role == Qt.ItemDataRole.ToolTipRole:
            return f"thread id {row.tid}" if row.tid else "The thread was not identified"
        if role == Qt.ItemDataRole.CheckStateRole:
            is_on = row.tid in self._chosen
            return Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked
        return None

    def setData(self, index: Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        if role != Qt.ItemDataRole.CheckStateRole or not index.isValid():
            return False
        tid = self._rows[index.row()].tid
        is_on = Qt.CheckState(value) == Qt.CheckState.Checked
        self._choose(self._chosen | {tid} if is_on else self._chosen - {tid})
        return True

    def _choose(self, chosen: frozenset[int]) -> None:
        if chosen == self._chosen:
            return
        self._chosen = chosen
        if self._rows:
            self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))
        self.chosen_changed.emit(self.chosen)
