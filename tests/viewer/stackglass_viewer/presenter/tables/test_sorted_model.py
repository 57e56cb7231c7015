"""Tables that the user sorts: order, cells, and what follows a change of measure."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import Qt

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.presenter.tables.sorted_model import SortedModel
from stackglass_viewer.presenter.tables.table_model import (
    Cell,
    CellKind,
    Column,
    Field,
    name_place,
    rank_places,
    rank_texts,
)


class Fruit(Field):
    """The columns."""

    WEIGHT = Column("Weight")
    COUNT = Column("Count")
    NAME = Column("Name", CellKind.NAME)


Table = list[tuple[str, int, int]]


class FruitModel(SortedModel[Table]):
    """Rows are (name, weight, count)."""

    def __init__(self) -> None:
        super().__init__(tuple(Fruit))

    def show(self, table: Table, measure: Fruit) -> None:
        self._follow_measure(measure, (Fruit.WEIGHT, Fruit.COUNT))
        self._take(table)

    def names(self) -> list[object]:
        cells = [self.cell(row, 2) for row in range(self.rowCount())]
        return [cell.value for cell in cells if cell is not None]

    def _identify(self, row: int) -> str | None:
        found = self._locate(row)
        return None if found is None else found[0][found[1]][0]

    def _make_cell(self, table: Table, at: int, field: Field) -> Cell:
        return Cell(field, table[at][(Fruit.NAME, Fruit.WEIGHT, Fruit.COUNT).index(field)])

    def _arrange(self, table: Table) -> Int64s:
        weights = np.array([row[1] for row in table])
        if self._sorted_by is Fruit.NAME:
            return self._order_by(rank_texts([row[0] for row in table]), weights)
        is_by_count = self._sorted_by is Fruit.COUNT
        return self._order_by(
            np.array([row[2] for row in table]) if is_by_count else weights, weights
        )


FRUIT: Table = [("fig", 2, 90), ("Pear", 7, 4), ("apple", 5, 5)]


def test_largest_first_and_then_as_the_user_sorts() -> None:
    model = FruitModel()
    assert model.cell(0, 0) is None
    model.sort(2)  # before there is a table
    model.sort(0, Qt.SortOrder.DescendingOrder)
    model.show(FRUIT, Fruit.WEIGHT)
    assert model.names() == ["Pear", "apple", "fig"]
    model.sort(2)
    assert model.names() == ["apple", "fig", "Pear"]
    assert model.cell(3, 0) is None


def test_the_order_follows_the_measure_unless_another_was_chosen() -> None:
    model = FruitModel()
    sorted_by: list[int] = []
    model.column_sorted.connect(sorted_by.append)
    model.show(FRUIT, Fruit.WEIGHT)
    model.show(FRUIT, Fruit.COUNT)
    assert (model.names(), sorted_by) == (["fig", "apple", "Pear"], [1])
    model.sort(2)
    model.show(FRUIT, Fruit.WEIGHT)
    assert (model.names(), sorted_by) == (["apple", "fig", "Pear"], [1])


def test_rows_that_are_aimed_at_stay_where_they_are() -> None:
    model = FruitModel()
    said: list[str] = []
    model.summary_changed.connect(said.append)
    model.show(FRUIT, Fruit.WEIGHT)
    model._set_summary("3 fruits")
    model.hold(True)
    model.show([("fig", 9, 0), ("apple", 1, 0), ("plum", 8, 0)], Fruit.WEIGHT)
    rows = [model.cell(row, 2) for row in range(model.rowCount())]
    assert [None if cell is None else cell.value for cell in rows] == [None, "apple", "fig", "plum"]
    assert said == ["3 fruits", "3 fruits  ·  order held"]
    model.show([("fig", 9, 0), ("apple", 1, 0), ("Pear", 8, 0)], Fruit.WEIGHT)
    assert model.names() == ["apple", "fig", "Pear"]
    model.hold(False)
    assert model.names() == ["fig", "Pear", "apple"]
    assert said[2:] == ["3 fruits"]


def test_what_the_user_sorts_and_what_is_something_else_is_not_held() -> None:
    model = FruitModel()
    model.show(FRUIT, Fruit.WEIGHT)
    model.hold(True)
    model.sort(2)
    assert model.names() == ["apple", "fig", "Pear"]
    model.begin_anew()
    model.show([("quince", 1, 1), ("fig", 1, 1)], Fruit.WEIGHT)
    assert model.names() == ["fig", "quince"]
    model.show([("lime", 1, 1), ("kiwi", 1, 1)], Fruit.WEIGHT)  # not one that there was
    assert model.names() == ["kiwi", "lime"]
    assert not model.is_order_held


def test_places_are_ranked_by_file_and_number() -> None:
    lines = np.array([100, 20, 3])
    assert rank_places(["b.py", "b.py", "C.py"], lines).tolist() == [1, 0, 2]
    assert (name_place("b.py", 3), name_place("b.py", 0)) == ("b.py:3", "b.py")
