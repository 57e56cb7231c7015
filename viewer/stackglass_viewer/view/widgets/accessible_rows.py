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
    Part,
    Parts,
    announce_current,
    offer_parts,
)

Index = QModelIndex | QPersistentModelIndex
ListNames = Callable[[], tuple[int, ...]]
"""Columns that say what a row is; the others follow with their titles."""
_NOTHING = ("", "–")
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


def _find(view: QAbstractItemView, place: QPoint) -> int:
    return view.indexAt(view.viewport().mapFrom(view, place)).row()


def _describe(view: QAbstractItemView, list_names: ListNames, row: int) -> Part | None:
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
    place = view.visualRect(model.index(row, names[0] if names else 0))
    return Part(name, ", ".join(rest), place.translated(view.viewport().pos()))


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
        """The current row is the selected one."""
        QAbstractItemView.selectionChanged(self, selected, deselected)

    def selectRow(self, row: int) -> None:
        """Select a row whatever keys are held. Qt's method may select nothing with Shift held."""
        index = _model_of(self).index(row, 0)
        self.selectionModel().setCurrentIndex(index, _THIS_ROW)

    def reset(self) -> None:
        """No row is current after the model was reset. Qt would choose the first one when the table
        gets the focus, and Esc would have to undo that choice."""
        super().reset()
        self.setCurrentIndex(QModelIndex())

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        announce_current(self)


class RowTree(QTreeWidget):
    """A list of several columns for ``offer_rows``: it does not report cells either."""

    def currentChanged(self, current: Index, previous: Index) -> None:
        QAbstractItemView.currentChanged(self, current, previous)

    def selectionChanged(self, selected: QItemSelection, deselected: QItemSelection) -> None:
        """The current row is the selected one."""
        QAbstractItemView.selectionChanged(self, selected, deselected)
