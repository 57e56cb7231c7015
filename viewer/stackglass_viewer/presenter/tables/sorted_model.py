"""Base of the models of one immutable table whose rows the user sorts by a column."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.presenter.tables.table_model import Cell, Field, TableModel, keep_places

_Table = TypeVar("_Table")


class SortedModel(TableModel, Generic[_Table]):
    """GUI thread. Subclasses say how a table is sorted and what its cells hold."""

    _table: _Table | None = None

    # -- for subclasses

    def _arrange(self, table: _Table) -> Int64s:
        """(n_rows,) the rows of ``table`` in the order of ``_sorted_by`` and ``_is_descending``."""
        raise NotImplementedError

    def _make_cell(self, table: _Table, at: int, field: Field) -> Cell:
        """What row ``at`` of the table shows in a column."""
        raise NotImplementedError

    def _take(self, table: _Table | None) -> None:
        """Show other values, in the order that was chosen; None = no rows."""

        def put() -> None:
            self._table = table

        order = np.empty(0, dtype=np.int64) if table is None else self._arrange(table)
        self._replace(self._choose_order(order, lambda: self._keep(table, order)), put)

    def _keep(self, table: _Table | None, order: Int64s) -> Int64s | None:
        before = self._identify_all()
        shown = self._table, self._order
        self._table, self._order = table, order  # to ask what its rows are known by
        after = self._identify_all()
        self._table, self._order = shown
        return keep_places(order, after, before)

    def _follow_measure(self, measure: Field, others: tuple[Field, ...]) -> None:
        """Sort by what is counted now, if the rows are sorted by one of ``others``, which were
        counted before; any other order was asked for and stays."""
        if self._sorted_by is not measure and self._sorted_by in others:
            self._sort_by(measure)

    def _find_place(self, row: int) -> tuple[_Table, int] | None:
        """The table, and the row of it that stands at ``row``; None = there is none, or no more."""
        if self._table is None or not 0 <= row < len(self._order):
            return None
        at = int(self._order[row])
        return (self._table, at) if at >= 0 else None

    # -- what TableModel asks for

    def cell(self, row: int, column: int) -> Cell | None:
        """What a cell shows; None = there is no such cell."""
        place = self._find_place(row)
        return None if place is None else self._make_cell(*place, self._fields[column])

    def _rearrange(self) -> None:
        if self._table is not None:
            self._take(self._table)
