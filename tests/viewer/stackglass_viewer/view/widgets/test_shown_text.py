"""Names with signs that Qt would read as markup, and values with their units."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QHelpEvent, QStandardItem, QStandardItemModel, QTextDocument
from PySide6.QtWidgets import QApplication, QTableView, QToolTip, QWidget

from stackglass_viewer.view.widgets import shown_text
from stackglass_viewer.view.widgets.shown_text import (
    escape_ampersands,
    join_units,
    make_tip,
    show_item_tip,
    show_tip,
    strip_mnemonics,
)

RUST = "<I as core::iter::IntoIterator>::into_iter"


def read_as_qt(tip: str) -> str:
    document = QTextDocument()
    document.setHtml(tip)
    return document.toPlainText()


def test_a_name_that_looks_like_html_is_shown_whole() -> None:
    for text in (RUST, f"{RUST}\nlib.rs:7", "Only std::vector<a>", "a &lt; b"):
        assert make_tip(text) != text
        assert read_as_qt(make_tip(text)) == text


def test_other_texts_stay_plain() -> None:
    for text in ("<module>", "<lambda>", "a & b", "one\n<b>", ""):
        assert make_tip(text) == text


def test_each_sign_is_doubled() -> None:
    assert escape_ampersands("a&b && c") == "a&&b &&&& c"


def test_a_text_of_an_action_is_read_as_it_is_shown() -> None:
    assert strip_mnemonics("&Open…") == "Open…"
    for text in ("a&b", "a && b", "&", "plain"):
        assert strip_mnemonics(escape_ampersands(text)) == text


@pytest.fixture
def table(qt: QApplication) -> Iterator[QTableView]:
    made = QTableView()
    model = QStandardItemModel(made)
    for text in (RUST, "plain", ""):
        item = QStandardItem("shown")
        item.setToolTip(text)
        model.appendRow(item)
    made.setModel(model)
    made.show()
    yield made
    QToolTip.hideText()
    made.close()
    made.deleteLater()


def ask(table: QTableView, row: int) -> str:
    model = table.model()
    assert model is not None
    place = table.visualRect(model.index(row, 0)).center() if row >= 0 else QPoint(-9, -9)
    event = QHelpEvent(QEvent.Type.ToolTip, place, table.viewport().mapToGlobal(place))
    show_item_tip(table, event)
    return QToolTip.text()


def test_the_tip_of_a_cell_shows_its_text(table: QTableView) -> None:
    assert read_as_qt(ask(table, 0)) == RUST
    assert ask(table, 1) == "plain"
    model = table.model()
    assert model is not None
    assert model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole) == RUST


def test_every_tip_that_the_view_shows_is_plain() -> None:
    """Tips with names of a profile were shown by ``QToolTip.showText`` in several places."""
    view = Path(shown_text.__file__).parents[1]
    others = (path for path in view.rglob("*.py") if path != Path(shown_text.__file__))
    assert [path.name for path in others if "QToolTip.showText" in path.read_text()] == []


def test_a_tip_is_shown_as_it_is(qt: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(QToolTip, "showText", lambda _place, text, _view: said.append(text))
    widget = QWidget()
    for text in (RUST, "plain"):
        show_tip(QPoint(), text, widget)
    assert [read_as_qt(said[0]), said[1]] == [RUST, "plain"]


def test_a_value_and_its_unit_stay_on_one_line() -> None:
    assert join_units("from 9.282 ms to 1.5 s") == "from 9.282\u00a0ms to 1.5\u00a0s"
    assert join_units("at 100 Hz, 12.3 µs each, 7 MiB") == (
        "at 100\u00a0Hz, 12.3\u00a0µs each, 7\u00a0MiB"
    )
    for text in ("3 samples of 12", "line 5 says", "2 hours", "f 1 B2", ""):
        assert join_units(text) == text
