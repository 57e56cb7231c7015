"""Column widths: columns of texts share the width that columns of numbers leave."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtWidgets import QTableView

_LEAST = 0.6  # least share of a column's first width; the table scrolls rather than go below


class ColumnSizing:
    """Shares the width of a table among its columns of texts.

    A column that the user has dragged keeps its width; the last column takes the rest. Columns of
    numbers grow to the widest number that was painted.
    """

    def __init__(
        self,
        table: QTableView,
        widths_px: Sequence[int],
        shared: Collection[int],
        least: float = _LEAST,
    ) -> None:
        """``widths_px``: first widths of all columns.
        ``shared``: columns that grow and shrink in proportion to their first widths.
        ``least``: least share of its first width that such a column can have."""
        self._least = least
        self._table = table
        self._widths_px = tuple(widths_px)
        self._shared = frozenset(shared)
        self._dragged: set[int] = set()
        self._is_sharing = False
        header = table.horizontalHeader()
        header.setStretchLastSection(False)  # Qt would stretch it a moment too late
        header.sectionResized.connect(self._on_resized)

    def begin(self, widths_px: Sequence[int], shared: Collection[int]) -> None:
        """Start over with other columns, which all get their first widths."""
        self._widths_px, self._shared = tuple(widths_px), frozenset(shared)
        self._dragged.clear()
        self._is_sharing = True
        for column, width_px in enumerate(self._widths_px):
            self._table.setColumnWidth(column, width_px)
        self._is_sharing = False
        self.share()

    def show(self, is_shown: Mapping[int, bool]) -> None:
        """Hide columns without data, and show those with data again."""
        table = self._table
        changed = [each for each, shown in is_shown.items() if shown == table.isColumnHidden(each)]
        self._is_sharing = True  # Qt reports a hidden column as resized
        for column in changed:
            table.setColumnHidden(column, not is_shown[column])
        self._is_sharing = False
        if changed:
            self.share()

    def share(self) -> None:
        """Share the width anew, after the table's width or its visible columns changed."""
        table, shown = self._table, self._list_shown()
        growing = [column for column in shown if column in self._shared - self._dragged]
        if not growing:
            return
        taken_px = sum(table.columnWidth(column) for column in shown if column not in growing)
        room_px = table.viewport().width() - taken_px
        wanted_px = sum(self._widths_px[column] for column in growing)
        factor = max(room_px / wanted_px, self._least)
        self._is_sharing = True
        for column in growing[:-1]:
            table.setColumnWidth(column, int(self._widths_px[column] * factor))
        self._fill(growing[-1], shown)
        self._is_sharing = False

    def _fill(self, column: int, shown: Sequence[int]) -> None:
        """Give a column the width that the others leave."""
        table = self._table
        taken_px = sum(table.columnWidth(each) for each in shown if each != column)
        least_px = int(self._widths_px[column] * self._least)
        table.setColumnWidth(column, max(table.viewport().width() - taken_px, least_px))

    def widen(self, column: int, lack_px: int) -> None:
        """Widen a column of numbers by ``lack_px``: a number in it was cut."""
        if column in self._dragged or column in self._shared or self._table.isColumnHidden(column):
            return
        self._is_sharing = True
        self._table.setColumnWidth(column, self._table.columnWidth(column) + lack_px)
        self._is_sharing = False
        self.share()

    def _list_shown(self) -> list[int]:
        columns = range(len(self._widths_px))
        return [column for column in columns if not self._table.isColumnHidden(column)]

    def _on_resized(self, column: int, old_px: int, new_px: int) -> None:
        if self._is_sharing or not old_px or not new_px:  # Qt hides it again in each new layout
            return
        self._dragged.add(column)
        shown = self._list_shown()
        if column != shown[-1] and shown[-1] not in self._dragged:
            self._is_sharing = True
            self._fill(shown[-1], shown)
            self._is_sharing = False
