"""Model of the table of functions, over numpy columns."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Qt, Signal

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.graph.search import Query, match_frames
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.tables.table_model import (
    Cell,
    CellKind,
    Column,
    Field,
    TableModel,
    name_place,
)
from stackglass_viewer.presenter.worker import Worker


class TopColumn(Field):
    """The columns."""

    FLAT = Column("Flat")
    FLAT_SHARE = Column("Flat %", CellKind.SHARE)
    CUM = Column("Cum")
    CUM_SHARE = Column("Cum %", CellKind.SHARE)
    CUM_BEFORE = Column("Cum before", about="Value of the function and its callees in the base")
    CUM_AFTER = Column(
        "Cum after",
        about="Value of the function and its callees in the profile compared with the base",
    )
    CALLS = Column("Calls")
    NAME = Column("Function", CellKind.NAME)
    FILE = Column("File", CellKind.PLACE)


_STACK_COLUMNS = (
    TopColumn.FLAT,
    TopColumn.FLAT_SHARE,
    TopColumn.CUM,
    TopColumn.CUM_SHARE,
    TopColumn.NAME,
    TopColumn.FILE,
)
_CALL_COLUMNS = (
    TopColumn.CALLS,
    *_STACK_COLUMNS,
)
_COMPARED_COLUMNS = (
    *_STACK_COLUMNS[:4],
    TopColumn.CUM_BEFORE,
    TopColumn.CUM_AFTER,
    *_STACK_COLUMNS[4:],
)
# Growth between two moments has no shares: there is no meaningful whole.
_CHANGE_COLUMNS = (TopColumn.FLAT, TopColumn.CUM, TopColumn.NAME, TopColumn.FILE)


_AMOUNTS = (TopColumn.CUM_BEFORE, TopColumn.CUM_AFTER)  # in comparisons: values without a sign


@dataclass(frozen=True, slots=True)
class Arrangement:
    """How rows are chosen and ordered."""

    column: TopColumn = TopColumn.FLAT
    is_descending: bool = True
    pattern: str = ""


def _text_rank(texts: Sequence[str]) -> Int64s:
    """Return (n,) the rank of each text in alphabetical order.

    The texts are compared as bytes of fixed width: numpy sorts such texts without the GIL, but
    Python strings with the GIL.
    """
    keys = np.array([text[:80].casefold().encode()[:80] for text in texts], dtype="S80")
    rank = np.empty(len(keys), dtype=np.int64)
    rank[np.argsort(keys, kind="stable")] = np.arange(len(keys))
    return rank


def order_rows(data: TopTable, wish: Arrangement) -> Int64s:
    """Return (n_rows,) the functions that match, in order; functions without a value are left out.

    Raises PatternError.
    """
    rows = np.flatnonzero((data.flat != 0) | (data.cum != 0))
    if wish.pattern:
        names, files = (
            [data.name[row] for row in rows.tolist()],
            [data.file[row] for row in rows.tolist()],
        )
        rows = rows[match_frames(names, files, Query(wish.pattern))]
    match wish.column:
        case TopColumn.NAME | TopColumn.FILE:
            texts = data.name if wish.column is TopColumn.NAME else data.file
            keys = _text_rank([texts[row] for row in rows.tolist()])
        case TopColumn.CALLS if data.calls is not None:
            keys = data.calls[rows]
        case TopColumn.CUM | TopColumn.CUM_SHARE:
            keys = data.cum[rows]
        case TopColumn.CUM_BEFORE if data.cum_before is not None:
            keys = data.cum_before[rows]
        case TopColumn.CUM_AFTER if data.cum_before is not None:
            keys = data.cum_before[rows] + data.cum[rows]
        case _:
            keys = data.flat[rows]
    is_by_change = wish.column not in (*_AMOUNTS, TopColumn.NAME, TopColumn.FILE)
    if data.is_change and data.has_shares and is_by_change:  # as in pprof, by size of the change
        keys = np.abs(keys)
    other = (
        data.flat[rows] if wish.column in (TopColumn.CUM, TopColumn.CUM_SHARE) else data.cum[rows]
    )
    if wish.is_descending:
        return np.asarray(rows[np.lexsort((-other, -keys))], dtype=np.int64)
    return np.asarray(rows[np.lexsort((-other, keys))], dtype=np.int64)


def _choose_columns(data: TopTable | None) -> tuple[TopColumn, ...]:
    if data is not None and data.cum_before is not None:
        return _COMPARED_COLUMNS
    if data is None or (data.calls is None and data.has_shares):
        return _STACK_COLUMNS
    return _CALL_COLUMNS if data.has_shares else _CHANGE_COLUMNS


def _name_file(data: TopTable, function: int) -> str:
    """Return ``shop.py:12``, without a line number the file; "" = unknown."""
    file = data.file[function]
    return name_place(file, int(data.line[function])) if file and data.line is not None else file


class TopModel(TableModel):
    """One row for each function. A worker sorts and filters them; the table shows the old order
    meanwhile. GUI thread."""

    pattern_refused = Signal(str)  # what is wrong with the filter's pattern; "" = nothing
    arranged = Signal()  # the rows are in the order that was requested last

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(_STACK_COLUMNS, parent)
        self._worker = worker
        self._data: TopTable | None = None
        self._pending: TopTable | None = None  # the newest table, which may not be shown yet
        self._wish = Arrangement()

    # -- what is shown

    @property
    def columns(self) -> tuple[TopColumn, ...]:
        """The columns of the shown table."""
        return _choose_columns(self._data)

    @property
    def is_empty(self) -> bool:
        """Whether the shown table has no rows; False before the first table."""
        return self._data is not None and not len(self._order)

    @property
    def n_functions(self) -> int:
        """The number of all functions, also of those without a value or filtered out."""
        return self._data.n_functions if self._data is not None else 0

    @property
    def table(self) -> TopTable | None:
        """The newest table, whose rows may not be shown yet; None before the first."""
        return self._pending

    def set_data(self, data: TopTable, order: Int64s | None = None) -> None:
        """Show another table. The worker arranges its rows, unless ``order`` has them."""
        before, self._pending = self._data, data
        if order is None:
            self._arrange()
            return
        if before is None or _choose_columns(data) != _choose_columns(before):
            self.beginResetModel()
            self._data, self._order, self._fields = data, order, _choose_columns(data)
            self.endResetModel()
            return

        def put() -> None:
            self._data = data

        self._replace(self._choose_order(order, lambda: self._keep(before, data, order)), put)

    def _keep(self, before: TopTable, data: TopTable, order: Int64s) -> Int64s | None:
        """Return an order in which functions keep their places, even without a value now; new ones
        come last. None = the functions have other numbers now."""
        if data.name[: before.n_functions] != before.name:
            return None
        is_kept = np.zeros(data.n_functions, dtype=bool)
        is_kept[self._order] = True
        return np.concatenate((self._order, order[~is_kept[order]]))

    def set_filter(self, pattern: str) -> None:
        """Show only functions with a name or file that this regular expression matches."""
        self._wish = Arrangement(self._wish.column, self._wish.is_descending, pattern)
        self.begin_anew()
        self._arrange()

    @property
    def wish(self) -> Arrangement:
        """How rows are to be chosen and ordered, for a worker that arranges them itself."""
        return self._wish

    def function_at(self, row: int) -> int:
        """Return the function of a row; -1 = there is no such row."""
        return int(self._order[row]) if 0 <= row < len(self._order) else -1

    def name_of(self, function: int) -> str:
        """Return the name of a function; "" = there is none."""
        data = self._pending
        if data is None or not 0 <= function < data.n_functions:
            return ""
        return data.name[function]

    def find_function(self, name: str, file: str) -> int:
        """Return the function of this name in this file; -1 = there is none."""
        data = self._pending
        if data is None:
            return -1
        same = (each for each in range(data.n_functions) if data.name[each] == name)
        return next((each for each in same if data.file[each] == file), -1)

    def row_of(self, function: int) -> int:
        """Return the row of a function; -1 = it is filtered out or has no value."""
        found = np.flatnonzero(self._order == function)
        return int(found[0]) if len(found) else -1

    def cell(self, row: int, column: int) -> Cell | None:
        """Return what a cell shows; None = there is no such cell."""
        data = self._data
        if data is None or not 0 <= row < len(self._order):
            return None
        kind, function = _choose_columns(data)[column], int(self._order[row])
        if kind is TopColumn.NAME:  # its end says most
            name, file = data.name[function], _name_file(data, function)
            about = "\n".join(filter(None, map(make_printable, (name, file))))  # file may be hidden
            return Cell(kind, name, about=about, keeps_end=True)
        if kind is TopColumn.FILE:
            return Cell(kind, _name_file(data, function))
        unit = "count" if kind is TopColumn.CALLS else data.unit
        value = self._value(data, kind, function)
        # Rows that are held under the pointer may be of a table without any value.
        has_bar = not data.has_shares and data.total and isinstance(value, int)
        bar = abs(value) / data.total if has_bar else 0.0
        is_change = data.is_change and kind not in _AMOUNTS
        return Cell(kind, value, unit, is_change, bar=bar, is_signed=True)

    @staticmethod
    def _value(data: TopTable, column: TopColumn, function: int) -> int | float:
        match column:
            case TopColumn.FLAT:
                return int(data.flat[function])
            case TopColumn.CUM:
                return int(data.cum[function])
            case TopColumn.FLAT_SHARE:
                return float(data.flat[function] / data.total) if data.total else 0.0
            case TopColumn.CUM_SHARE:
                return float(data.cum[function] / data.total) if data.total else 0.0
            case TopColumn.CUM_BEFORE | TopColumn.CUM_AFTER:
                before = int(data.cum_before[function]) if data.cum_before is not None else 0
                is_after = column is TopColumn.CUM_AFTER
                return before + int(data.cum[function]) if is_after else before
            case TopColumn.CALLS:
                return int(data.calls[function]) if data.calls is not None else 0
            case _:
                raise ValueError(f"{column} is not a number")

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if 0 <= column < len(self.columns):
            is_descending = order == Qt.SortOrder.DescendingOrder
            self._wish = Arrangement(self.columns[column], is_descending, self._wish.pattern)
            self.begin_anew()
            self._arrange()

    # -- arranging

    def _arrange(self) -> None:
        data, wish = self._pending, self._wish
        if data is None:
            return
        self._worker.submit(
            "arrange",
            lambda: (data, wish, order_rows(data, wish)),
            self._on_arranged,
            self._on_refused,
        )

    def _on_arranged(self, result: tuple[TopTable, Arrangement, Int64s]) -> None:
        data, wish, order = result
        self.pattern_refused.emit("")
        if wish != self._wish:
            return
        if data is self._pending:
            self.set_data(data, order)
        if self._data is self._pending:  # else the newest table is being arranged
            self.arranged.emit()

    def _on_refused(self, error: Exception) -> None:
        self.pattern_refused.emit(str(error))

    def _identify(self, row: int) -> int:
        return int(self._order[row])

    def _find_rows(self, identities: Sequence[Hashable]) -> list[int]:
        """Search the order once for each row: there may be 100 000 functions, but few rows."""
        return [self.row_of(each) if isinstance(each, int) else -1 for each in identities]

    def _rearrange(self) -> None:
        self._arrange()
