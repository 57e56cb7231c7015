"""Stacks, and holders or waiters, beside a table: rows come and go as Qt's model tester wants."""

from __future__ import annotations

from PySide6.QtCore import QAbstractItemModel
from PySide6.QtTest import QAbstractItemModelTester

from stackglass_viewer.model.contention.pairs import PairSide
from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.presenter.tables.side_models import PairModel, StackModel

WORK, WAIT, MAIN = (
    LineName(name, "app.py", at) for at, name in enumerate(["work", "wait", "main"])
)
FIRST, SECOND = PairSide(WORK, 1, 3, 2000), PairSide(WAIT, 2, 1, 1000)


def watch(model: QAbstractItemModel) -> None:
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    tester.setParent(model)


def read(model: QAbstractItemModel, column: int) -> list[object]:
    return [model.index(row, column).data() for row in range(model.rowCount())]


def test_a_stack_grows_shrinks_and_is_cleared() -> None:
    model = StackModel()
    watch(model)
    for lines in ([WORK, MAIN], [WORK, WAIT, MAIN], [WAIT], []):
        model.set_lines(lines)
        assert read(model, 0) == [line.function for line in lines]


def test_pairs_come_go_and_change_places() -> None:
    model = PairModel()
    watch(model)
    for sides in ([FIRST], [FIRST, SECOND], [SECOND, FIRST], []):
        model.set_sides(sides)
        assert read(model, 0) == [side.total_ns for side in sides]
        assert [model.stack_at(row) for row in range(len(sides))] == [each.stack for each in sides]


def test_rows_can_be_read_while_they_are_replaced() -> None:
    """A view or a screen reader may read all rows at each signal; an error there ends the
    program."""
    stack, pairs = StackModel(), PairModel()
    seen: list[object] = []
    for model in (stack, pairs):

        def read_all(*_: object, model: StackModel | PairModel = model) -> None:
            seen.extend(model.cell(row, 0) for row in range(model.rowCount()))

        model.rowsInserted.connect(read_all)
        model.layoutChanged.connect(read_all)
        model.rowsAboutToBeRemoved.connect(read_all)
    for lines in ([WORK, MAIN], [WORK, WAIT, MAIN], [WAIT]):
        stack.set_lines(lines)
    for sides in ([FIRST], [FIRST, SECOND], [SECOND]):
        pairs.set_sides(sides)
    assert None not in seen
    assert len(seen) > 20
