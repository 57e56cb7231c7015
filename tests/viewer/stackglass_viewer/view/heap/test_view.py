"""The table of the heap's sites, and the one of types in its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel, QPushButton, QWidget

from harness.heap_talk import HeapTalk
from stackglass_viewer.model.proto.wire_pb2 import FromEngine, TypeCensus
from stackglass_viewer.presenter.settings.view_state import LiveStatus
from stackglass_viewer.presenter.tables.heap_model import HeapModel
from stackglass_viewer.presenter.tables.type_model import TypeModel
from stackglass_viewer.view.heap.type_view import TypeView
from stackglass_viewer.view.heap.view import HeapView
from stackglass_viewer.view.widgets.empty_note import EmptyNote
from stackglass_viewer.view.widgets.theme import load_theme

WaitUntil = Callable[[Callable[[], bool]], None]


@pytest.fixture
def types(qt: QApplication) -> TypeModel:
    return TypeModel()


@pytest.fixture
def view(types: TypeModel) -> Iterator[HeapView]:
    window = QWidget()
    made = HeapView(HeapModel(), types, load_theme("light"), window, window)
    window.resize(900, 400)
    made.resize(900, 400)
    window.show()
    QTest.qWaitForWindowActive(window)
    yield made
    window.close()
    window.deleteLater()


def is_focused(name: str) -> bool:
    """Whether a table has the keys, and not what keeps its place until it is made."""
    focused = QApplication.focusWidget()
    if not isinstance(focused, QAbstractItemView):
        return False
    return focused.isVisible() and focused.accessibleName() == name


def test_the_table_that_is_shown_gets_the_keys(view: HeapView, wait_until: WaitUntil) -> None:
    for grouping, name in (("types", "Objects by type"), ("sites", "Sites of the heap")):
        view._grouping.chosen.emit(grouping)
        view.setFocus()
        # The table of sites is made in one event, shown in the next, and then has the focus.
        wait_until(partial(is_focused, name))


def test_a_view_that_is_made_at_a_click_gives_the_keys_to_its_table(
    view: HeapView, wait_until: WaitUntil
) -> None:
    view.setFocus()
    wait_until(partial(is_focused, "Sites of the heap"))
    for grouping, name in (("types", "Objects by type"), ("functions", "Sites of the heap")):
        QTest.mouseClick(view._grouping.button(grouping), Qt.MouseButton.LeftButton)
        wait_until(partial(is_focused, name))


def test_esc_clears_the_table_that_is_shown(
    view: HeapView, types: TypeModel, wait_until: WaitUntil
) -> None:
    talk = HeapTalk()
    census = TypeCensus(type_name=[1], type_count=[4], type_bytes=[400])
    talk.live.apply(FromEngine(census=census))
    types.set_table(talk.live.list_types())
    view._grouping.chosen.emit("types")
    view.setFocus()
    wait_until(partial(is_focused, "Objects by type"))
    assert not view.clear_selection()
    focused = QApplication.focusWidget()
    assert focused is not None
    QTest.keyClick(focused, Qt.Key.Key_Down)
    assert types.chosen_row == 0
    assert view.clear_selection()
    assert types.chosen_row == -1
    assert not view.clear_selection()


def test_a_count_of_before_the_first_look_is_described(view: HeapView, types: TypeModel) -> None:
    """The view is made when it is first chosen; the count of a saved session comes earlier."""
    talk = HeapTalk()
    talk.live.apply(
        FromEngine(census=TypeCensus(type_name=[1], type_count=[4], type_bytes=[400], n_objects=4))
    )
    types.set_table(talk.live.list_types())
    view._grouping.chosen.emit("types")
    [shown] = view.findChildren(TypeView)
    assert shown.about.text().startswith("4")
    assert [label.text() for label in shown.findChildren(QLabel) if "Select a type" in label.text()]


def test_an_empty_table_of_types_offers_to_count(
    view: HeapView, types: TypeModel, wait_until: WaitUntil
) -> None:
    asked: list[bool] = []
    view.census_requested.connect(lambda: asked.append(True))
    view.show_status(LiveStatus("running", 7))
    view._grouping.chosen.emit("types")
    wait_until(lambda: bool(find_offers(view)))
    find_offers(view)[0].click()
    assert asked == [True]
    view.show_status(LiveStatus("running", 7, is_counting=True))
    assert not find_offers(view)
    talk = HeapTalk()
    talk.live.apply(FromEngine(census=TypeCensus(type_name=[1], type_count=[4], type_bytes=[400])))
    types.set_table(talk.live.list_types())
    view.show_status(LiveStatus("running", 7))
    assert not find_offers(view), "beside rows"


def find_offers(view: HeapView) -> list[QPushButton]:
    """The shown buttons of the placeholder, which stands in the table."""
    return [
        button
        for note in view.findChildren(EmptyNote)
        for button in note.findChildren(QPushButton)
        if button.isVisible()
    ]
