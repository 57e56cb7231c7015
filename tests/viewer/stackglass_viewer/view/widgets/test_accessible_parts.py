"""Parts of painted widgets, as a screen reader asks for them."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QPoint, QRect
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QApplication, QWidget

from stackglass_viewer.view.widgets.accessible_parts import (
    AccessiblePart,
    Parts,
    announce_current,
    offer_parts,
)

NAME, VALUE = QAccessible.Text.Name, QAccessible.Text.Value


class Shelf(QWidget):
    """Paints books, 20 pixels each."""

    def __init__(self) -> None:
        super().__init__()
        self.books = ["Ulysses", "Emma", "Faust"]
        self.chosen = -1
        self.setAccessibleName("Shelf")
        self.resize(200, 40)
        parts = Parts(
            lambda: len(self.books),
            self.describe,
            lambda place: place.x() // 20,
            lambda: self.chosen,
        )
        offer_parts(self, parts)

    def describe(self, index: int) -> AccessiblePart | None:
        if index >= len(self.books):
            return None
        name = self.books[index]
        return AccessiblePart(name, f"{len(name)} letters", QRect(20 * index, 0, 20, 40))


@pytest.fixture
def shelf(qt: QApplication) -> Iterator[Shelf]:
    made = Shelf()
    made.show()
    yield made
    if shiboken6.isValid(made):
        made.deleteLater()


def ask(widget: QWidget) -> QAccessibleInterface:
    return QAccessible.queryAccessibleInterface(widget)


def test_parts_have_name_value_and_place(shelf: Shelf) -> None:
    whole = ask(shelf)
    assert whole.text(NAME) == "Shelf"
    assert whole.role() == QAccessible.Role.List
    assert [whole.child(i).text(NAME) for i in range(whole.childCount())] == shelf.books
    emma = whole.child(1)
    assert emma.text(VALUE) == "4 letters"
    assert emma.rect() == QRect(shelf.mapToGlobal(QPoint(20, 0)), shelf.rect().size()).intersected(
        QRect(shelf.mapToGlobal(QPoint(20, 0)), QRect(0, 0, 20, 40).size())
    )
    assert whole.indexOfChild(emma) == 1
    place = shelf.mapToGlobal(QPoint(45, 5))
    assert whole.childAt(place.x(), place.y()).text(NAME) == "Faust"
    assert whole.child(3) is None


def test_a_part_is_as_it_is_now(shelf: Shelf) -> None:
    emma = ask(shelf).child(1)
    shelf.books = ["Ulysses", "Dune"]
    assert (ask(shelf).childCount(), emma.text(NAME)) == (2, "Dune")
    faust = ask(shelf).child(2)
    assert faust is None
    shelf.books = ["Ulysses"]
    assert emma.text(NAME) == ""
    assert emma.rect() == QRect()


def test_keys_move_the_focus_from_part_to_part(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[QAccessible.Event, int]] = []
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(
        QAccessible, "updateAccessibility", lambda event: sent.append((event.type(), event.child()))
    )
    announce_current(shelf)
    assert sent == []  # none is current
    shelf.chosen = 2
    announce_current(shelf)
    assert sent == [(QAccessible.Event.Focus, 2)]
    states = [ask(shelf).child(i).state() for i in range(3)]
    assert [bool(state.selected) for state in states] == [False, False, True]
    assert all(state.focusable for state in states)


def test_a_part_that_says_something_else_is_read_again(
    shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as a marker that keys move: it has the focus already."""
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    monkeypatch.setattr(QAccessible, "updateAccessibility", lambda _event: None)
    shelf.chosen = 1
    announce_current(shelf)
    emma = ask(shelf).child(1)
    announce_current(shelf)
    assert ask(shelf).child(1) is emma, "nothing has changed"
    shelf.books[1] = "Dune"
    announce_current(shelf)
    dune = ask(shelf).child(1)
    assert dune is not emma
    assert (dune.text(NAME), ask(shelf).indexOfChild(dune)) == ("Dune", 1)


def test_a_widget_that_was_asked_before_offers_its_parts(
    qt: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As every view that is made while a screen reader runs."""
    made = QWidget()
    assert ask(made).role() == QAccessible.Role.Client
    monkeypatch.setattr(QAccessible, "isActive", lambda: True)
    part = AccessiblePart("a", "", QRect(0, 0, 1, 1))
    offer_parts(made, Parts(lambda: 1, lambda _index: part, lambda _place: 0, lambda: 0))
    assert ask(made).role() == QAccessible.Role.List
    assert ask(made).child(0).text(NAME) == "a"
    made.deleteLater()


def test_parts_outlive_their_widget_without_harm(shelf: Shelf, qt: QApplication) -> None:
    whole = ask(shelf)
    parts = [whole.child(i) for i in range(3)]
    assert parts[0].isValid()
    shelf.deleteLater()
    qt.sendPostedEvents(shelf, QEvent.Type.DeferredDelete)
    assert not shiboken6.isValid(shelf)
    assert not any(shiboken6.isValid(each) for each in parts)
    del whole, parts
    gc.collect()


def test_a_deleted_widget_is_released_with_all_that_its_parts_hold(qt: QApplication) -> None:
    """Else each closed tab would leave its table of functions behind."""
    made = Shelf()
    books = weakref.ref(made)
    made.deleteLater()
    del made
    qt.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert books() is None


def test_other_widgets_are_as_qt_has_them(qt: QApplication) -> None:
    plain = QWidget()
    assert ask(plain).childCount() == 0
    assert ask(plain).role() == QAccessible.Role.Client


def test_widgets_in_it_come_after_its_parts(shelf: Shelf) -> None:
    lens = QWidget(shelf)
    lens.setAccessibleName("Lens")
    lens.setGeometry(20, 0, 20, 20)
    whole = ask(shelf)
    assert whole.childCount() == 3  # it is not shown yet
    lens.show()
    assert whole.childCount() == 4
    last = whole.child(3)
    assert last.text(NAME) == "Lens"
    assert whole.indexOfChild(last) == 3
    assert whole.indexOfChild(whole.child(1)) == 1
    corner = shelf.mapToGlobal(QPoint(0, 0))
    under = whole.childAt(corner.x() + 25, corner.y() + 5)
    assert under is not None
    assert under.text(NAME) == "Lens"
    beside = whole.childAt(corner.x() + 25, corner.y() + 30)
    assert beside is not None
    assert beside.text(NAME) == "Emma"
    assert whole.child(4) is None
