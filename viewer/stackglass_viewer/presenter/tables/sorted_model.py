"""Base of models with one immutable table, which the user sorts by a column."""

from __future__ import annotations

from typing import Generic, TypeVar

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.presenter.tables.table_model import Cell, Field, TableModel, keep_places

_Table = TypeVar("_Table")


class SortedModel(TableModel, Generic[_Table]):
    """The rows of one table. Subclasses define their order and their cells. GUI thread."""

    _table: _Table | None = None

    # -- for subclasses

    def _arrange(self, table: _Table) -> Int64s:
        """Return (n_rows,) the rows of ``table``, by ``_sorted_by`` and ``_is_descending``."""
        raise NotImplementedError

    def _make_cell(self, table: _Table, at: int, field: Field) -> Cell:
        """Return what row ``at`` of the table shows in a column."""
        raise NotImplementedError

    def _take(self, table: _Table | None) -> None:
        """Show another table, in the chosen order; None = no rows."""

        def put() -> None:
            self._table = table

        order = np.empty(0, dtype=np.int64) if table is None else self._arrange(table)
        self._replace(self._choose_order(order, lambda: self._keep(table, order)), put)

    def _keep(self, table: _Table | None, order: Int64s) -> Int64s | None:
        """Return ``order`` with the rows that are shown in their places; see ``keep_places``."""
        before = self._identify_all()
        shown = self._table, self._order
        self._table, self._order = table, order  # for _identify_all, which reads them
        after = self._identify_all()
        self._table, self._order = shown
        return keep_places(order, after, before)

    def _follow_measure(self, measure: Field, measures: tuple[Field, ...]) -> None:
        """Sort by ``measure`` if the rows are sorted by another one of ``measures``.

        Any other order was chosen by the user, and stays.
        """
        if self._sorted_by is not measure and self._sorted_by in measures:
            self._sort_by(measure)

    def _locate(self, row: int) -> tuple[_Table, int] | None:
        """Return the table, and the row of it that is at ``row``; None = there is none."""
        if self._table is None or not 0 <= row < len(self._order):
            return None
        at = int(self._order[row])
        return (self._table, at) if at >= 0 else None

    # -- called by TableModel

    def cell(self, row: int, column: int) -> Cell | None:
        """Return what a cell shows; None = there is no such cell."""
        table, order = self._table, self._order
        if table is None or not 0 <= row < len(order):
            return None
        at = int(order[row])
        return self._make_cell(table, at, self._fields[column]) if at >= 0 else None

    def _rearrange(self) -> None:
        if self._table is not None:
            self._take(self._table)
