"""Model of this machine's Python processes, as a tree; a worker lists them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from enum import IntEnum
from typing import Any
from weakref import WeakSet

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
)

from stackglass_viewer.model.units import format_share, format_value, make_printable
from stackglass_viewer.presenter.settings.command_texts import shorten_command
from stackglass_viewer.presenter.settings.view_state import ProcessRow
from stackglass_viewer.presenter.tables.first_order import choose_first_order
from stackglass_viewer.presenter.tables.process_history import ProcessHistory
from stackglass_viewer.presenter.worker import Worker

_REFRESH_MS = 2000

Index = QModelIndex | QPersistentModelIndex


class ProcessColumn(IntEnum):
    PID = 0
    PYTHON = 1
    COMMAND = 2
    OWNER = 3
    CPU = 4
    MEMORY = 5
    STATE = 6


_STEP = "   "
_BELOW = "└ "
_NUMBERS = (ProcessColumn.PID, ProcessColumn.CPU, ProcessColumn.MEMORY)
SORT_ROLE = Qt.ItemDataRole.UserRole
ROW_ROLE = Qt.ItemDataRole.UserRole + 1  # the ProcessRow
HISTORY_ROLE = Qt.ItemDataRole.UserRole + 2  # CPU or memory: tuple of float, oldest first


class ProcessModel(QAbstractTableModel):
    """One row for each process. A process keeps its row from one refresh to the next.

    While the rows are held, a process that ends keeps its row, too, and the row says so.
    """

    rearranged = Signal()  # rows may have other parents
    ending = Signal(object)  # set of PIDs whose rows will be removed now

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[ProcessRow] = []
        self._row_of: dict[int, int] = {}  # row by PID
        self._holders: WeakSet[QObject] = WeakSet()  # a window may be destroyed with its dialog
        self._ended: set[int] = set()  # PIDs of processes that ended while the rows were held
        self._history = ProcessHistory()

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(ProcessColumn)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self._rows[index.row()]
        if role == ROW_ROLE:
            return row
        if role == HISTORY_ROLE:
            return self._list_history(row.pid, index.column())
        if index.column() == ProcessColumn.CPU:
            return self._describe_cpu(row.pid, role)
        if role in (Qt.ItemDataRole.DisplayRole, SORT_ROLE):
            match index.column():
                case ProcessColumn.COMMAND if role == Qt.ItemDataRole.DisplayRole:
                    return self._indent(row) + shorten_command(row.command)
                case ProcessColumn.PID:
                    return row.pid
                case ProcessColumn.PYTHON:
                    return row.python
                case ProcessColumn.COMMAND:
                    return shorten_command(row.command)
                case ProcessColumn.OWNER:
                    return row.owner
                case ProcessColumn.MEMORY:
                    return row.rss_bytes
                case ProcessColumn.STATE:
                    return row.reason if not row.is_attachable else ""
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == ProcessColumn.MEMORY:
            return format_value(row.rss_bytes, "bytes")
        if role == Qt.ItemDataRole.ToolTipRole and index.column() == ProcessColumn.COMMAND:
            parent = f"\nChild of process {row.parent_pid}" if row.parent_pid else ""
            return make_printable(row.command) + parent
        return None

    def path_to(self, row: int) -> tuple[int, ...]:
        """Return the rows from the first listed ancestor of a row down to the row itself."""
        path = [row]
        while (parent := self._row_of.get(self._rows[path[-1]].parent_pid, -1)) >= 0:
            if parent in path:
                break  # a PID was used again while the list was made
            path.append(parent)
        return tuple(reversed(path))

    def _indent(self, row: ProcessRow) -> str:
        number = self._row_of.get(row.pid, -1)
        depth = len(self.path_to(number)) - 1 if number >= 0 else 0
        return _STEP * (depth - 1) + _BELOW if depth else ""

    def _list_history(self, pid: int, column: int) -> tuple[float, ...]:
        if column == ProcessColumn.CPU:
            return self._history.list_cpu(pid)
        return self._history.list_memory(pid) if column == ProcessColumn.MEMORY else ()

    def _describe_cpu(self, pid: int, role: int) -> Any:
        share = self._history.cpu_share(pid)
        if role == SORT_ROLE:
            return -1.0 if share is None else share
        if role == Qt.ItemDataRole.DisplayRole:
            return "–" if share is None else format_share(share)
        return None

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if role == Qt.ItemDataRole.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return ("PID", "Python", "Command", "Owner", "CPU", "Memory", "")[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and orientation == Qt.Orientation.Horizontal:
            is_number = section in _NUMBERS
            side = Qt.AlignmentFlag.AlignRight if is_number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.InitialSortOrderRole:
            return choose_first_order(section not in _NUMBERS)
        return None

    def set_rows(self, rows: Sequence[ProcessRow]) -> None:
        """Show these processes. Processes that stay keep their rows and stay selected."""
        self._history.add(rows)
        fresh = {row.pid: row for row in rows}
        if self._holders:
            ended = {row.pid: _mark_ended(row) for row in self._rows if row.pid not in fresh}
            self._ended = set(ended)
            fresh.update(ended)
        self._show(fresh)

    def hold(self, holder: QObject) -> None:
        """Remove no row until ``release`` was called for each holder."""
        self._holders.add(holder)

    def release(self, holder: QObject) -> None:
        """Hold the rows no longer; nothing happens if ``holder`` does not hold them."""
        self._holders.discard(holder)
        if self._ended and not self._holders:
            alive = {row.pid: row for row in self._rows if row.pid not in self._ended}
            self._ended = set()
            self._show(alive)

    def _show(self, fresh: dict[int, ProcessRow]) -> None:
        """Show the rows of ``fresh``, by PID, which is used up."""
        self._row_of = {}  # while rows move, no row has a parent
        self.ending.emit({row.pid for row in self._rows} - fresh.keys())
        for number in range(len(self._rows) - 1, -1, -1):
            if self._rows[number].pid not in fresh:
                self.beginRemoveRows(QModelIndex(), number, number)
                del self._rows[number]
                self.endRemoveRows()
        for number, row in enumerate(self._rows):
            new = fresh.pop(row.pid)
            if new != row:
                self._rows[number] = new
                self.dataChanged.emit(
                    self.index(number, 0), self.index(number, len(ProcessColumn) - 1)
                )
        if fresh:
            first = len(self._rows)
            self.beginInsertRows(QModelIndex(), first, first + len(fresh) - 1)
            self._rows.extend(fresh.values())
            self.endInsertRows()
        self._row_of = {row.pid: number for number, row in enumerate(self._rows)}
        self.rearranged.emit()


def _mark_ended(row: ProcessRow) -> ProcessRow:
    return replace(row, is_attachable=False, reason=f"process {row.pid} has ended", remedy="")


class ProcessList(QObject):
    """Refreshes a ``ProcessModel`` while it has watchers."""

    refreshed = Signal(int)  # number of processes
    found = Signal(tuple)  # tuple of ProcessRow, by PID
    failed = Signal(str)

    def __init__(
        self, find_processes: Callable[[], Sequence[ProcessRow]], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._find_processes = find_processes
        self.model = ProcessModel(self)
        self._watchers: dict[str, int] = {}  # interval that each watcher wants, ms
        self._worker: Worker | None = None
        self._timer = QTimer(self)
        self._timer.timeout.connect(self.refresh)

    def start(self, watcher: str, interval_ms: int = _REFRESH_MS) -> None:
        """Refresh at once and at intervals, until ``stop`` was called for each watcher."""
        self._watchers[watcher] = interval_ms
        if self._worker is None:
            self._worker = Worker("processes")
        self.refresh()
        self._timer.start(min(self._watchers.values()))

    def stop(self, watcher: str) -> None:
        """Stop for one watcher; nothing happens if it has not started."""
        self._watchers.pop(watcher, None)
        if self._watchers:
            self._timer.setInterval(min(self._watchers.values()))
        else:
            self.end()

    def end(self) -> None:
        """Stop for all watchers, and wait until the thread has ended."""
        self._watchers.clear()
        self._timer.stop()
        if self._worker is not None:
            self._worker.stop()
            self._worker = None

    def refresh(self) -> None:
        if self._worker is not None:
            self._worker.submit("find", self._find_processes, self._on_found, self._on_failed)

    def _on_found(self, rows: Sequence[ProcessRow]) -> None:
        self.model.set_rows(rows)
        self.refreshed.emit(len(rows))
        self.found.emit(tuple(rows))

    def _on_failed(self, error: Exception) -> None:
        self.failed.emit(str(error))
