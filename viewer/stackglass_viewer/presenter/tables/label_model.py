"""Model of the label table: the values of one key, with their sums."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.profile.label_table import Label, LabelTable
from stackglass_viewer.model.profile.label_values import LabelValues
from stackglass_viewer.model.units import format_count, format_quantity
from stackglass_viewer.presenter.tables.sorted_model import SortedModel
from stackglass_viewer.presenter.tables.table_model import (
    Cell,
    CellKind,
    Column,
    Field,
    rank_texts,
)


class LabelField(Field):
    """The columns."""

    FLAT = Column("Flat", about="Sum over the samples that have this value")
    SHARE = Column("Share", CellKind.SHARE, "Of everything, samples without this label included")
    SAMPLES = Column("Samples")
    NAME = Column("Value", CellKind.NAME)


class LabelModel(SortedModel[LabelTable]):
    """One row for each value; thousands of rows. ``set_search`` filters them."""

    keys_changed = Signal(object, str)  # all keys, a tuple of str; the key of the table

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(tuple(LabelField), parent)
        self._whole = 0  # the value of 100 %
        self._unit = ""
        self._has_samples = True
        self._is_change = False
        self._keys: tuple[tuple[str, ...], str] = ((), "")
        self._search = ""

    @property
    def has_samples(self) -> bool:
        """Whether the number of samples is known."""
        return self._has_samples

    @property
    def keys(self) -> tuple[tuple[str, ...], str]:
        """All keys, and the key of the table; "" = there are no labels."""
        return self._keys

    def set_values(self, values: LabelValues) -> None:
        """Show another table."""
        self._whole, self._unit = values.whole, values.unit
        self._has_samples, self._is_change = values.has_samples, values.is_change
        nothing = np.empty(0, dtype=np.int64)
        self._take(values.table or LabelTable(values.key, (), nothing, nothing, 0))
        keys = (values.keys, values.key)
        if keys != self._keys:
            self._keys = keys
            self.keys_changed.emit(*keys)
        self._summarise()

    def set_search(self, text: str) -> None:
        """Show only values that contain ``text``, in any case; "" = all."""
        self._search = text.casefold()
        self.begin_anew()
        self._rearrange()
        self._summarise()

    def label_at(self, row: int) -> Label | None:
        """Return key and value of a row; None = there is no such row."""
        found = self._locate(row)
        return None if found is None else (found[0].key, found[0].value[found[1]])

    def _identify(self, row: int) -> Label | None:
        return self.label_at(row)

    def _summarise(self) -> None:
        n_all = 0 if self._table is None else len(self._table.value)
        n_shown = self.n_filled
        text = format_quantity(n_all, "value")
        self._set_summary(text if n_shown == n_all else f"{format_count(n_shown)} of {text}")

    def _make_cell(self, table: LabelTable, at: int, field: Field) -> Cell:
        flat = int(table.flat[at])
        match field:
            case LabelField.FLAT:
                return Cell(field, flat, self._unit, self._is_change, is_signed=True)
            case LabelField.SHARE:
                share = flat / self._whole if self._whole else 0.0
                return Cell(field, share, is_change=self._is_change)
            case LabelField.SAMPLES:
                return Cell(field, int(table.samples[at]), "count")
            case _:
                return Cell(field, table.value[at] or "(empty)")

    def _arrange(self, table: LabelTable) -> Int64s:
        match self._sorted_by:
            case LabelField.SAMPLES:
                keys = table.samples
            case LabelField.NAME:
                keys = rank_texts(table.value)
            case _:  # differences by the size of the change, as in pprof
                keys = np.abs(table.flat) if self._is_change else table.flat
        order = self._order_by(keys, table.flat)
        if not self._search:
            return order
        is_found = [self._search in value.casefold() for value in table.value]
        found: Int64s = order[np.array(is_found, dtype=bool)[order]]
        return found
