"""A label that cuts its text, and what its tool tip says."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.widgets.elided_label import ElidedLabel, FiguresLabel

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


FIGURES = "13.1 MiB in use  ·  RSS 31.3 MiB  ·  before attach 10.2 MiB"


@pytest.mark.parametrize(
    ("text", "room_for", "shown"),
    [
        (FIGURES, FIGURES, FIGURES),
        (
            FIGURES,
            "13.1 MiB in use  ·  RSS 31.3 MiB  ·  before a…",
            "13.1 MiB in use  ·  RSS 31.3 MiB …",
        ),
        (FIGURES, "13.1 MiB in use  ·  RSS 31.3 M…", "13.1 MiB in use …"),
        (FIGURES, "13.1 MiB in use  …", "13.1 MiB in use …"),
        (FIGURES, "13.1 MiB in us…", "13.1 MiB in …"),
        (FIGURES, "13.1 M…", ""),
        (
            "20.2 s waited for locks in 10.0 s",
            "20.2 s waited for locks in 10.…",
            "20.2 s waited for locks in …",
        ),
        ("20.2 s waited for locks in 10.0 s", "20.2 s wai…", "20.2 s …"),
    ],
)
def test_figures_are_cut_after_a_whole_one(
    qt: QApplication, text: str, room_for: str, shown: str
) -> None:
    """The bar of a heap showed ``Resident 3…`` of 31.3 MiB."""
    label = FiguresLabel()
    label.ensurePolished()  # it gets another font if the application has a theme
    label.set_text(text)
    label.resize(label.fontMetrics().horizontalAdvance(room_for) + 1, 20)
    label.show()
    assert label.text() == shown
    assert label.fontMetrics().horizontalAdvance(label.text()) <= label.width()
    label.deleteLater()


def test_letters_from_right_to_left_begin_at_the_left(label: ElidedLabel) -> None:
    """A function's name stood far from its place."""
    label.set_text("\u0645\u0631\u062d\u0628\u0627")
    picture = label.grab().toImage()
    background = picture.pixelColor(WIDE_PX - 1, 0)
    columns = [
        x
        for x in range(picture.width())
        for y in range(picture.height())
        if picture.pixelColor(x, y) != background
    ]
    assert columns
    assert max(columns) < picture.width() / 2
