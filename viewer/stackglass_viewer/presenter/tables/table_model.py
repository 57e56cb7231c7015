"""Base of the models of number tables: cells, sorting, and rows that keep their places."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from enum import Enum
from typing import Any, NamedTuple

import numpy as np
from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
)

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.units import format_change, format_share, format_value, make_printable
from stackglass_viewer.presenter.tables.first_order import choose_first_order

Index = QModelIndex | QPersistentModelIndex

FIELD_ROLE = Qt.ItemDataRole.UserRole  # the Field of a header section

_TEXT_SIDE = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_NUMBER_SIDE = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ANSWERED = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.AccessibleTextRole,
)
NOTHING = "–"
ORDER_HELD = "order held"
_GONE = -1  # in an order: the place of a row that is gone


class CellKind(Enum):
    """How the cells of a column are painted."""

    NUMBER = "number"
    SHARE = "share"  # a percentage, 0 … 1, with a bar below it
    RATIO = "ratio"  # a percentage that may be above 100%
    NAME = "name"  # a text that is cut at its end
    PLACE = "place"  # a text that is cut at its beginning, in a muted colour


_TEXTS = (CellKind.NAME, CellKind.PLACE)


class Column(NamedTuple):
    """Title and kind of a column: the value of a ``Field``."""

    title: str
    kind: CellKind = CellKind.NUMBER
    about: str = ""  # tool tip of the header


class Field(Enum):
    """A column. Each table has a subclass, with a ``Column`` as the value of each member."""

    title: str
    kind: CellKind
    is_text: bool

    def __init__(self, title: str, kind: CellKind = CellKind.NUMBER, about: str = "") -> None:
        """Copy the column to attributes: ``value`` is slow, and painting reads it often."""
        self.title = title
        self.kind = kind
        self.is_text = kind in _TEXTS


class Cell(NamedTuple):
    """All that a delegate needs in order to paint one cell.

    It is a tuple, unlike the other values of the viewer: a hundred are made for each painting of a
    table, and a frozen dataclass takes four times as long to make.
    """

    field: Field
    value: int | float | str  # a share is 0 … 1 of the total; below zero: there is no value
    unit: str = ""
    is_change: bool = False  # whether the value is written with its sign
    is_below: bool = False  # whether the value is an upper bound
    is_above: bool = False  # whether the value is a lower bound
    is_bad: bool = False  # whether the cell is highlighted as a problem
    bar: float = 0.0  # length of a bar below a number, 0 … 1
    about: str = ""  # tool tip of a text; "" = the text itself
    keeps_end: bool = False  # whether a name is cut at its beginning instead of its end
    is_signed: bool = False  # whether numbers below zero are values


def say_cell(cell: Cell) -> str:
    """Return the text of a cell, with its unit; ``NOTHING`` if there is no value."""
    value = cell.value
    if isinstance(value, str):
        return make_printable(value)
    if cell.field.kind in (CellKind.SHARE, CellKind.RATIO):
        if cell.is_change:  # without a sign, as in pprof: the value beside it has one
            return format_share(abs(value))
        return format_share(value) if value >= 0 or cell.is_signed else NOTHING
    if cell.is_change and value:
        return format_change(value, cell.unit)
    if not value or (value < 0 and not cell.is_signed):
        return NOTHING
    bound = "≤" if cell.is_below else "≥" if cell.is_above else ""
    return bound + format_value(value, cell.unit)


def _write_tip(cell: Cell) -> str:
    """Return the tool tip of a text, whose lines may be names."""
    return "\n".join(map(make_printable, cell.about.split("\n"))) or say_cell(cell)


class TableModel(QAbstractTableModel):
    """The rows of an immutable table, in an order. GUI thread.

    Rows are sorted on the GUI thread, so there should be thousands at most. ``DisplayRole`` gives
    numbers and plain names, ``AccessibleTextRole`` the painted text. Delegates read a whole
    ``cell`` instead, because each call through Qt costs more than its answer. Subclasses define
    the cells, the identity of rows, and the order.
    """

    summary_changed = Signal(str)
    order_held = Signal(bool)  # whether held rows are not in order
    column_sorted = Signal(int)  # the model has sorted by this column, the largest first

    def __init__(self, fields: Sequence[Field], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._fields = tuple(fields)
        self._order: Int64s = np.empty(0, dtype=np.int64)  # (n_rows,) row of the table, or _GONE
        self._sorted_by: Field = self._fields[0]
        self._is_descending = True
        self._is_held = False
        self._is_displaced = False  # whether held rows are not in order
        self._ignores_hold = False  # whether the next rows are put in order even if rows are held
        self._summary = ""

    # -- rows under the pointer

    def hold(self, is_held: bool) -> None:
        """Hold the rows while the pointer is on a row: they keep their places when values change.

        New rows come last, and a row that is gone leaves its place empty. Afterwards the rows are
        put in order.
        """
        self._is_held = is_held
        if not is_held and self._is_displaced:
            self._rearrange()

    def begin_anew(self) -> None:
        """Hold no row at the next change: other data are shown, or the user has sorted the rows."""
        self._ignores_hold = True

    @property
    def sorting(self) -> tuple[int, Qt.SortOrder]:
        """The column that the rows are sorted by, and in which order."""
        descending, ascending = Qt.SortOrder.DescendingOrder, Qt.SortOrder.AscendingOrder
        column = self._fields.index(self._sorted_by)
        return column, descending if self._is_descending else ascending

    @property
    def is_order_held(self) -> bool:
        """Whether held rows are not in order."""
        return self._is_displaced

    @property
    def n_filled(self) -> int:
        """The number of rows; places of held rows that are gone do not count."""
        return int(np.count_nonzero(self._order != _GONE))

    def _choose_order(self, order: Int64s, keep: Callable[[], Int64s | None]) -> Int64s:
        """Return ``order``, or while rows are held the result of ``keep``.

        ``keep`` is called only then; it returns None if no row can keep its place.
        """
        kept = keep() if self._is_held and not self._ignores_hold else None
        self._ignores_hold = False
        is_displaced = kept is not None and not np.array_equal(kept, order)
        if is_displaced != self._is_displaced:
            self._is_displaced = is_displaced
            self.order_held.emit(is_displaced)
            self._set_summary(self._summary)
        return order if kept is None else kept

    @property
    def summary(self) -> str:
        """The summary of the rows, which also says if their order is held. "" = none yet."""
        if not self._is_displaced:
            return self._summary
        return f"{self._summary}  ·  {ORDER_HELD}" if self._summary else ORDER_HELD

    def _set_summary(self, summary: str) -> None:
        self._summary = summary
        self.summary_changed.emit(self.summary)

    # -- for subclasses

    def cell(self, row: int, column: int) -> Cell | None:
        """Return what a cell shows; None = there is no such cell."""
        raise NotImplementedError

    def copied_cell(self, row: int, column: int) -> Cell | None:
        """Return a cell for the clipboard, with a text that is not shortened."""
        return self.cell(row, column)

    def _identify(self, row: int) -> Hashable:
        """Return the identity of a row, which it keeps in other tables; None = it has none."""
        raise NotImplementedError

    def _identify_all(self) -> Sequence[Hashable]:
        """Return the identities of all rows. Large models that change often have a faster way."""
        return [self._identify(row) for row in range(len(self._order))]

    def _rearrange(self) -> None:
        """Put the rows into the order of ``_sorted_by`` and ``_is_descending``."""
        raise NotImplementedError

    def _replace(self, order: Int64s, put: Callable[[], None]) -> None:
        """Replace values (by calling ``put``) and order, so that selection and scrolling stay.

        Rows are inserted at the end before all rows move to their new places, and removed there
        after that: a view that loses its current row would choose a neighbour.
        """
        n_old, n_new = len(self._order), len(order)
        n_gone = max(n_old - n_new, 0)
        if n_gone == n_old > 0:
            self.beginRemoveRows(QModelIndex(), 0, n_old - 1)
            put()
            self._order = order
            self.endRemoveRows()
            return
        held = {index.row(): self._identify(index.row()) for index in self.persistentIndexList()}
        if n_new > n_old:
            self.beginInsertRows(QModelIndex(), n_old, n_new - 1)
            if n_old:  # until then the new rows repeat the first one
                self._order = np.append(self._order, np.repeat(self._order[:1], n_new - n_old))
            else:
                put()
                self._order = order
            self.endInsertRows()
        self.layoutAboutToBeChanged.emit()
        before = self.persistentIndexList()
        put()
        self._order = order
        rows = self._find_rows([held.get(index.row()) for index in before])
        after = [
            self.index(row, index.column()) if row >= 0 else QModelIndex()
            for index, row in zip(before, rows, strict=True)
        ]
        self._order = np.append(order, np.repeat(order[:1], n_gone))
        self.changePersistentIndexList(before, after)
        self.layoutChanged.emit()
        if n_gone:
            self.beginRemoveRows(QModelIndex(), n_new, n_old - 1)
            self._order = order
            self.endRemoveRows()

    def _find_rows(self, identities: Sequence[Hashable]) -> list[int]:
        """Return the positions of rows; -1 = a row is not there."""
        known = self._identify_all() if identities else ()
        place = {identity: row for row, identity in enumerate(known)}
        return [place.get(identity, -1) for identity in identities]

    def _find_row(self, identity: Hashable) -> int:
        """Return the position of a row; -1 = it is not there."""
        known = enumerate(self._identify_all())
        return next((row for row, each in known if each == identity), -1)

    # -- Qt's interface

    def rowCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._order)

    def columnCount(self, parent: Index | None = None) -> int:
        return 0 if parent is not None and parent.isValid() else len(self._fields)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if role not in _ANSWERED or not index.isValid():
            return None
        cell = self.cell(index.row(), index.column())
        if cell is None or (role == Qt.ItemDataRole.ToolTipRole and not cell.field.is_text):
            return None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return say_cell(cell)
        return _write_tip(cell) if role == Qt.ItemDataRole.ToolTipRole else cell.value

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation != Qt.Orientation.Horizontal or not 0 <= section < len(self._fields):
            return None
        field = self._fields[section]
        if role == Qt.ItemDataRole.DisplayRole:
            return field.title
        if role == Qt.ItemDataRole.ToolTipRole:
            return field.value.about or None
        if role == FIELD_ROLE:
            return field
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return _TEXT_SIDE if field.is_text else _NUMBER_SIDE
        if role == Qt.ItemDataRole.InitialSortOrderRole:
            return choose_first_order(field.is_text)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        if 0 <= column < len(self._fields):
            self._sorted_by = self._fields[column]
            self._is_descending = order == Qt.SortOrder.DescendingOrder
            self.begin_anew()
            self._rearrange()

    def _sort_by(self, field: Field) -> None:
        """Set the order: the largest of ``field`` first. The caller arranges the rows."""
        self._sorted_by, self._is_descending = field, True
        self.column_sorted.emit(self._fields.index(field))

    def _order_by(self, keys: Int64s, others: Int64s) -> Int64s:
        """Return (n_rows,) the order by ``keys``; rows of equal keys by ``others``, descending."""
        order = np.lexsort((-others, -keys if self._is_descending else keys))
        return np.asarray(order, dtype=np.int64)


def keep_places(
    order: Int64s, identities: Sequence[Hashable], before: Sequence[Hashable]
) -> Int64s | None:
    """Return an order in which rows keep their places; None = no row is still there.

    ``identities`` are those of the rows in the new ``order``, ``before`` those in the old one. New
    rows come last.
    """
    place = {identity: at for identity, at in zip(identities, order.tolist(), strict=True)}
    kept = [place.pop(identity, _GONE) for identity in before]
    if before and all(at == _GONE for at in kept):
        return None
    return np.array([*kept, *place.values()], dtype=np.int64)


def rank_texts(texts: Sequence[str]) -> Int64s:
    """Return (n,) the rank of each text in alphabetical order."""
    keys = [text.casefold() for text in texts]
    places = {text: place for place, text in enumerate(sorted(set(keys)))}
    return np.array([places[key] for key in keys], dtype=np.int64)


def rank_places(files: Sequence[str], lines: Int64s) -> Int64s:
    """Return (n,) the rank of each line, by file and then by number."""
    pairs = zip(files, lines.tolist(), strict=True)
    return rank_texts([f"{file}:{line:09}" for file, line in pairs])


def name_place(file: str, line: int) -> str:
    """Return ``shop.py:12``; without a line number the file."""
    return f"{file}:{line}" if line else file
