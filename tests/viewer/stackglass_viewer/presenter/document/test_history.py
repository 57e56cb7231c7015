"""The way back through what was looked at."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.document.history import History, Place
from stackglass_viewer.presenter.document.navigation import View
from stackglass_viewer.presenter.settings.filter_sets import FilterSet

START = Place("flame", -1, FilterSet(), View())
STEP = (Transform(TransformKind.FOCUS, "f"),)
ZOOM, OTHER_ZOOM = View(0.2, 0.4), View(0.1, 0.5, 30.0)


class Tab:
    """A tab that shows what it is asked for."""

    def __init__(self) -> None:
        self.place = START
        self.may_go = (False, False)
        self.history = History(lambda: self.place)
        self.history.place_wanted.connect(self._show)
        self.history.changed.connect(self._hear)

    def _show(self, place: Place) -> None:
        self.place = place
        self.history.note()  # as the parts of a tab would

    def _hear(self, back: bool, forward: bool) -> None:
        self.may_go = (back, forward)

    def change(self, zoom_before: View | None = None, **fields: object) -> None:
        self.place = replace(self.place, **fields)  # type: ignore[arg-type] # by name
        self.history.note(zoom_before)


@pytest.fixture
def tab(qt: QApplication) -> Tab:
    made = Tab()
    made.history.begin()
    return made


def test_everything_is_a_step(tab: Tab) -> None:
    places = [START]
    tab.change(view="top")
    places.append(tab.place)
    tab.change(filters=FilterSet(STEP))
    places.append(tab.place)
    tab.change(filters=FilterSet(STEP, frozenset([("route", "/a")])))
    places.append(tab.place)
    tab.change(View(), zoom=ZOOM)
    places.append(tab.place)
    tab.change(function=3)
    for place in reversed(places):
        tab.history.go(-1)
        assert tab.place == place
    assert tab.may_go == (False, True)
    tab.history.go(-1)  # there is no more
    assert tab.place == START
    for place in places[1:]:
        tab.history.go(1)
        assert tab.place == place
    assert tab.may_go == (True, True)
    tab.change(view="summary")
    assert tab.may_go == (True, False)


def test_what_was_scrolled_to_meanwhile_is_kept(tab: Tab) -> None:
    tab.place = replace(tab.place, zoom=ZOOM)  # by the wheel
    tab.change(view="top")
    tab.place = replace(tab.place, zoom=OTHER_ZOOM)
    tab.history.go(-1)
    assert tab.place == replace(START, zoom=ZOOM)
    tab.history.go(1)
    assert tab.place == replace(START, view="top", zoom=OTHER_ZOOM)


def test_functions_one_after_another_are_one_step(tab: Tab) -> None:
    for function in (1, 2, 3):
        tab.change(function=function)
    tab.history.go(-1)
    assert tab.place == START
    tab.history.go(1)
    assert tab.place.function == 3


def test_each_function_of_the_sandwich_is_a_step(tab: Tab) -> None:
    tab.change(view="sandwich", function=1)
    tab.change(function=2)
    tab.change(function=3)
    functions = []
    for _ in range(3):
        tab.history.go(-1)
        functions.append(tab.place.function)
    assert functions == [2, 1, -1]
    assert tab.place == START


def test_the_same_again_is_no_step(tab: Tab) -> None:
    tab.change(view="flame")
    assert tab.may_go == (False, False)


def test_nothing_is_noted_before_something_is_shown(qt: QApplication) -> None:
    tab = Tab()
    tab.change(view="top")
    tab.history.begin()
    tab.change(view="flame")
    tab.history.go(-1)
    assert tab.place.view == "top"
    assert tab.may_go == (False, True)


def test_zoom_into_another_graph_is_forgotten(tab: Tab) -> None:
    tab.place = replace(tab.place, zoom=ZOOM)
    tab.change(view="top")
    tab.history.forget_zoom()
    tab.history.go(-1)
    assert tab.place == START


def test_a_label_of_another_name_is_that_in_all_places(tab: Tab) -> None:
    old, new = (FilterSet(labels=frozenset([("process", name)])) for name in ("a 1", "b 1"))
    tab.change(filters=old)
    tab.change(view="top")
    tab.change(view="tree")
    tab.history.go(-1)
    tab.place = replace(tab.place, filters=new)
    tab.history.rename_labels({("process", "a 1"): ("process", "b 1")})
    tab.history.note()  # the place is the same: no step
    assert tab.may_go == (True, True)
    tab.history.go(1)
    assert (tab.place.view, tab.place.filters) == ("tree", new)
    tab.history.go(-1)
    tab.history.go(-1)
    assert (tab.place.view, tab.place.filters) == ("flame", new)
    tab.history.go(-1)
    assert tab.place == START
