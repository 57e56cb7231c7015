"""A label that cuts its text, and what its tool tip says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.widgets.elided_label import ElidedLabel

TEXT = "a text that is longer than eighty pixels"
NARROW_PX, WIDE_PX = 80, 2000


@pytest.fixture
def label(qt: QApplication) -> Iterator[ElidedLabel]:
    made = ElidedLabel(Qt.TextElideMode.ElideRight)
    made.resize(WIDE_PX, 20)
    made.show()
    yield made
    made.deleteLater()


def test_what_is_cut_is_in_the_tool_tip(label: ElidedLabel) -> None:
    label.set_text(TEXT)
    assert (label.text(), label.toolTip()) == (TEXT, "")
    label.resize(NARROW_PX, 20)
    assert label.text().endswith("…")
    assert label.toolTip() == TEXT


def test_a_few_letters_say_nothing(label: ElidedLabel) -> None:
    """``1 …`` stood in the bars of memory and waits."""
    label.set_text(TEXT)
    label.resize(label.fontMetrics().horizontalAdvance("a te"), 20)
    assert (label.text(), label.toolTip()) == ("", TEXT)
    label.set_text("1")
    assert label.text() == "1"


def test_what_else_there_is_to_say_outlives_another_width(label: ElidedLabel) -> None:
    label.set_text(TEXT, "and why")
    assert label.toolTip() == "and why"
    label.resize(NARROW_PX, 20)
    assert label.toolTip() == f"{TEXT}\nand why"
    label.resize(WIDE_PX, 20)
    assert label.toolTip() == "and why"
    label.set_text(TEXT)
    assert label.toolTip() == ""


def test_a_name_that_looks_like_html_is_whole_in_the_tip(label: ElidedLabel) -> None:
    label.set_text("<I as core::iter::IntoIterator>::into_iter")
    label.resize(NARROW_PX, 20)
    assert "&lt;I as core" in label.toolTip()
