"""Accessible rows: offer each row of a table or list to screen readers as one part.

Qt would offer cells, and drop them each time that rows change places. In a table of a live process,
that happens before a screen reader has read them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import (
    QAbstractItemModel,
    QItemSelection,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    Qt,
)
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QAbstractItemView, QTableView, QTreeWidget

from stackglass_viewer.view.widgets.accessible_parts import (
    AccessiblePart,
    Parts,
    announce_current,
    offer_parts,
)

Index = QModelIndex | QPersistentModelIndex
ListNames = Callable[[], tuple[int, ...]]
"""Returns the columns that name a row. The other columns are read out after them, with titles."""
_NOTHING = ("", "–")  # cells that are not read out
_THIS_ROW = (
    QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
)


def offer_rows(
    view: QAbstractItemView, list_names: ListNames, has_keys: Callable[[], bool] | None = None
) -> None:
    """Offer the rows of ``view`` to screen readers. ``has_keys``: as in ``Parts``."""
    offer_parts(
        view,
        Parts(
            count=lambda: _model_of(view).rowCount(),
            describe=partial(_describe, view, list_names),
            find=lambda place: _find(view, place),
            current=lambda: view.currentIndex().row(),
            has_keys=has_keys,
        ),
    )


def _model_of(view: QAbstractItemView) -> QAbstractItemModel:
    model = view.model()
    assert model is not None
    return model


def _find(view: QAbstractItemView, point: QPoint) -> int:
    return view.indexAt(view.viewport().mapFrom(view, point)).row()


def _describe(view: QAbstractItemView, list_names: ListNames, row: int) -> AccessiblePart | None:
    model = _model_of(view)
    if not 0 <= row < model.rowCount():
        return None
    names = list_names()
    shown = {column: _say(model.index(row, column)) for column in range(model.columnCount())}
    name = ", ".join(shown[column] for column in names if shown[column])
    rest = [
        f"{model.headerData(column, Qt.Orientation.Horizontal) or ''} {text}".strip()
        for column, text in shown.items()
        if column not in names and text not in _NOTHING
    ]
    if not name and rest:
        name, *rest = rest
    rect = view.visualRect(model.index(row, names[0] if names else 0))
    return AccessiblePart(name, ", ".join(rest), rect.translated(view.viewport().pos()))


def _say(index: QModelIndex) -> str:
    text = index.data(Qt.ItemDataRole.AccessibleTextRole)
    return str(index.data() if text is None else text).strip()


class RowTable(QTableView):
    """A table for ``offer_rows``. QTableView would report cells, with indexes that are not rows."""

    def currentChanged(self, current: Index, previous: Index) -> None:
        QAbstractItemView.currentChanged(self, current, previous)
        if self.hasFocus():
            announce_current(self)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Report no selection to screen readers: they read the current row, which is selected."""
        QAbstractItemView.selectionChanged(self, selected, deselected)

    def selectRow(self, row: int) -> None:
        """Select a row whatever keys are held. Qt's method may select nothing with Shift held."""
        index = _model_of(self).index(row, 0)
        self.selectionModel().setCurrentIndex(index, _THIS_ROW)

    def reset(self) -> None:
        """Leave no row current. Qt would choose the first row when the table gets the focus, and
        Esc would have to undo that choice."""
        super().reset()
        self.setCurrentIndex(QModelIndex())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        announce_current(self)


class RowTree(QTreeWidget):
    """A list of several columns for ``offer_rows``. Like ``RowTable``, it reports no cells."""

    def currentChanged(self, current: Index, previous: Index) -> None:
        QAbstractItemView.currentChanged(self, current, previous)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """Report no selection to screen readers: they read the current row, which is selected."""
        QAbstractItemView.selectionChanged(self, selected, deselected)
