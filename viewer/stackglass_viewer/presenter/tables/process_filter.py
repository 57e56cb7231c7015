"""Order and search of the list of processes."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSortFilterProxyModel,
    Qt,
)

from stackglass_viewer.presenter.tables.process_model import ROW_ROLE, SORT_ROLE, ProcessModel

Index = QModelIndex | QPersistentModelIndex


class ProcessFilter(QSortFilterProxyModel):
    """Shows processes that contain every search word in their PID, command, owner or version.

    In any order of sorting, children stand below their parents. While the order is held, each row
    keeps its place, and new ones come last."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words: tuple[str, ...] = ()
        self._is_held = False
        self._places: dict[int, int] = {}  # by PID, while held

    def setSourceModel(self, model: QAbstractItemModel) -> None:
        super().setSourceModel(model)
        assert isinstance(model, ProcessModel)
        self._processes = model
        model.rearranged.connect(self._on_rearranged)

    def hold_order(self) -> None:
        """Keep each row at its place until ``release_order``: the pointer may be over one."""
        self._is_held = True
        self._processes.hold(self)
        self._note_places()

    def release_order(self) -> None:
        """Sort the rows again."""
        if self._is_held:
            self._is_held, self._places = False, {}
            self._processes.release(self)
            self.invalidate()

    def _note_places(self) -> None:
        pids = [self.index(number, 0).data(ROW_ROLE).pid for number in range(self.rowCount())]
        self._places = {pid: place for place, pid in enumerate(pids)}

    def _on_rearranged(self) -> None:
        self.invalidate()
        if self._is_held:
            self._note_places()

    def lessThan(self, left: Index, right: Index) -> bool:
        """Compare two rows by their places if held, else by their first ancestors that differ,
        which are siblings."""
        if self._places:
            last = len(self._places)
            places = [self._places.get(one.data(ROW_ROLE).pid, last) for one in (left, right)]
            if places[0] != places[1]:
                return (places[0] < places[1]) == (self.sortOrder() == Qt.SortOrder.AscendingOrder)
        left_path = self._processes.path_to(left.row())
        right_path = self._processes.path_to(right.row())
        for one, other in zip(left_path, right_path, strict=False):
            if one != other:
                return self._is_less(one, other, left.column())
        is_ancestor = len(left_path) < len(right_path)
        return is_ancestor == (self.sortOrder() == Qt.SortOrder.AscendingOrder)

    def _is_less(self, one: int, other: int, column: int) -> bool:
        keys = []
        for row in (one, other):
            index = self._processes.index(row, column)
            key = index.data(SORT_ROLE)
            key = key.lower() if isinstance(key, str) else key
            keys.append((key, index.data(ROW_ROLE).pid))
        return bool(keys[0] < keys[1])

    def set_search(self, text: str) -> None:
        """Show the rows that contain all words of ``text``, in the order of sorting."""
        self._places = {}
        self.beginFilterChange()
        self._words = tuple(text.lower().split())
        self.endFilterChange(QSortFilterProxyModel.Direction.Rows)
        self._on_rearranged()

    def filterAcceptsRow(self, source_row: int, source_parent: Index) -> bool:
        row = self.sourceModel().index(source_row, 0, source_parent).data(ROW_ROLE)
        text = f"{row.pid} {row.python} {row.command} {row.owner}".lower()
        return all(word in text for word in self._words)
