"""The lines of a source file as an item model, and the ground that says what they cost."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.graph.line_costs import LineCosts
from stackglass_viewer.presenter.tables.source_model import SourceField, SourceModel, SourceText
from stackglass_viewer.view.source.painter import SourcePainter
from stackglass_viewer.view.widgets.theme import load_theme

NUMBERS = list(SourceField).index(SourceField.NUMBER)


@pytest.fixture
def model(qt: QApplication) -> SourceModel:
    """Line 1 grew, line 2 shrank, line 3 did neither."""
    flat = np.array([40, -20, 0])
    costs = LineCosts(np.array([1, 2, 3]), flat, flat, np.zeros(3, dtype=bool))
    made = SourceModel()
    made.show_text(
        SourceText("f", "a.py", "a.py", ("a", "b", "c"), costs, 1, 60, "count", is_change=True)
    )
    return made


def test_heat_has_the_sign_of_a_change(model: SourceModel) -> None:
    assert [model.heat_at(row) for row in range(3)] == [1.0, -0.5, 0.0]
    assert model.list_hot() == [0, 1]


def test_what_shrank_has_another_ground_than_what_grew(model: SourceModel) -> None:
    theme = load_theme("light")
    image = QImage(40, 78, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    cells = SourcePainter(model, theme)
    cells.begin(painter)
    for row in range(3):
        cells.paint(painter, row, NUMBERS, QRect(0, 26 * row, 40, 26))
    painter.end()
    grown, shrunk, same = (QColor(image.pixel(1, 26 * row + 1)) for row in range(3))
    assert grown.red() > grown.blue()
    assert shrunk.blue() > shrunk.red()
    assert same == QColor("white")


@pytest.mark.parametrize(
    ("number", "cum", "is_change", "expected"),
    [
        ([], [], False, (False, False)),
        ([3], [0], False, (False, True)),
        ([0], [9], False, (True, False)),
        ([3], [9], False, (True, True)),
        ([3], [0], True, (True, True)),
    ],
)
def test_no_samples_differ_from_no_line_numbers(
    number: list[int], cum: list[int], is_change: bool, expected: tuple[bool, bool]
) -> None:
    sums = np.array(cum, dtype=np.int64)
    of_function = np.ones(len(cum), dtype=bool)
    costs = LineCosts(np.array(number, dtype=np.int64), sums, sums, of_function)
    text = SourceText("f", "a.py", "", None, costs, 1, 9, "count", is_change=is_change)
    assert (text.has_samples, text.has_numbers) == expected


def test_a_line_far_beyond_the_end_of_the_file_is_one_row(qt: QApplication) -> None:
    """A profile may name any line. A row for each line up to it would not fit into memory."""
    sums = np.array([5, 9])
    costs = LineCosts(np.array([2, 1 << 40]), sums, sums, np.zeros(2, dtype=bool))
    model = SourceModel()
    model.show_text(SourceText("f", "a.py", "a.py", ("a", "b", "c"), costs, 2, 14, "count"))
    assert [model.line_at(row) for row in range(model.rowCount())] == [1, 2, 3, 1 << 40]
    assert model.index(3, NUMBERS).data() == str(1 << 40)
    assert model.list_hot() == [3, 1]
