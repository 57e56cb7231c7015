"""Views of a memory trace around the view that is chosen, and beside others."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.settings.kept_layouts import VIEWS, read_layout, write_layout
from stackglass_viewer.presenter.settings.layout_choice import LayoutChoice
from stackglass_viewer.presenter.settings.trace_panes import TracePanes
from stackglass_viewer.presenter.settings.trace_views import (
    CHOSEN,
    PANES,
    TRACE_VIEWS,
    find_chosen,
    find_legend,
    find_pane,
    insert_chosen,
    make_outer,
    take_shares,
)
from stackglass_viewer.presenter.settings.view_layout import (
    Split,
    ViewLayout,
    list_views,
    make_preset,
    move_border,
    step_focus,
)

BEGIN = ("curve", "map", "side", "flame")


@pytest.fixture
def choice(qt: QApplication) -> LayoutChoice:
    made = LayoutChoice()
    made.set_outer(make_outer("map"))
    return made


def views_of(choice: LayoutChoice) -> tuple[str, ...]:
    return choice.shown.views


def test_a_choice_stands_in_its_company() -> None:
    outer = make_outer("map")
    both = make_preset("both").root
    whole = insert_chosen(outer, both)
    assert list_views(whole) == ("curve", "map", "side", "flame", "top")
    assert find_chosen(outer, whole) == both
    assert list_views(make_outer("")) == ("curve", CHOSEN)
    assert insert_chosen(CHOSEN, both) == both


def test_an_outer_layout_takes_its_own_shares_and_not_those_of_the_choice() -> None:
    outer = make_outer("map")
    layout = ViewLayout(insert_chosen(outer, make_preset("both").root), "flame", "both")
    moved = move_border(layout, (), 0, 0.3)
    moved = move_border(moved, (1,), 0, 0.9)
    taken = take_shares(outer, moved.root)
    assert isinstance(taken, Split)
    assert taken.shares == pytest.approx((0.3, 0.7))
    assert list_views(taken) == ("curve", "map", "side", CHOSEN)


def test_every_choice_keeps_the_views_of_the_trace(choice: LayoutChoice) -> None:
    assert (views_of(choice), choice.shown.view) == (BEGIN, "flame")
    choice.choose("both")
    assert (views_of(choice), choice.shown.view) == ((*BEGIN, "top"), "both")
    choice.choose("tree")
    assert (views_of(choice), choice.shown.view) == ((*BEGIN[:3], "tree"), "tree")
    assert not choice.is_arranged


def test_the_pane_below_the_curve_is_chosen(choice: LayoutChoice) -> None:
    TracePanes(choice).show("lanes")
    assert views_of(choice) == ("curve", "lanes", "side", "flame")
    TracePanes(choice).show("")
    assert views_of(choice) == ("curve", "flame")
    TracePanes(choice).show("rates")
    assert views_of(choice) == ("curve", "rates", "side", "flame")
    assert not choice.is_arranged


def test_borders_hold_while_another_view_is_chosen(choice: LayoutChoice) -> None:
    choice.move_border((), 0, 0.3)
    choice.choose("both")
    root = choice.shown.root
    assert isinstance(root, Split)
    assert root.shares == pytest.approx((0.3, 0.7))
    moved: list[float] = []
    choice.table_moved.connect(moved.append)
    choice.move_border((1,), 0, 0.6)
    assert moved == [pytest.approx(0.4)]
    choice.choose("top")
    choice.choose("both")
    assert isinstance(choice.shown.root, Split)
    assert choice.shown.root.shares == pytest.approx((0.3, 0.7))


def test_keys_go_from_view_to_view_without_another_choice(choice: LayoutChoice) -> None:
    seen = []
    for _ in range(4):
        choice.focus(step_focus(choice.shown, 1).focused)
        seen.append(choice.shown.focused)
    assert seen == list(BEGIN)
    assert choice.shown.view == "flame"
    choice.focus("map")
    choice.put("lanes", "right")
    assert views_of(choice) == ("curve", "map", "lanes", "side", "flame"), "beside the map"
    assert choice.is_arranged


def test_in_a_layout_of_the_users_a_pane_takes_the_place_of_one(choice: LayoutChoice) -> None:
    choice.focus("map")
    choice.put("lanes", "below")
    choice.focus("map")
    TracePanes(choice).show("rates")
    assert views_of(choice) == ("curve", "rates", "lanes", "side", "flame")
    TracePanes(choice).show("lanes")
    assert (views_of(choice)[1:3], choice.shown.focused) == (("rates", "lanes"), "lanes")
    TracePanes(choice).show("")
    assert views_of(choice) == ("curve", "rates", "side", "flame")


def test_a_view_that_was_left_alone_has_the_tab_for_itself(choice: LayoutChoice) -> None:
    choice.focus("map")
    choice.keep_only()
    assert (views_of(choice), choice.shown.view) == (("map",), "map")
    TracePanes(choice).show("space")
    assert views_of(choice) == ("space",)
    choice.choose("flame")
    assert views_of(choice) == ("flame",)
    TracePanes(choice).show("map")
    assert views_of(choice) == BEGIN
    choice.close()
    choice.reset()
    assert views_of(choice) == BEGIN


def test_layouts_with_such_views_are_kept(choice: LayoutChoice) -> None:
    choice.put("lanes", "right")
    read = read_layout(write_layout(choice.wanted))
    assert read is not None
    assert (read.views, read.focused) == (choice.wanted.views, "lanes")
    choice.set_available_views("", frozenset(TRACE_VIEWS))
    assert views_of(choice) == ("flame",), "a profile that is no trace lacks them"


def test_the_legend_is_that_of_what_can_be_seen(choice: LayoutChoice) -> None:
    assert find_legend(choice.shown) == "map"
    TracePanes(choice).show("rates")
    assert find_legend(choice.shown) == "rates"
    TracePanes(choice).show("space")
    assert find_legend(choice.shown) == ""
    TracePanes(choice).show("map")
    choice.put("rates", "right")
    assert find_legend(choice.shown) == "rates", "it has the keys"
    choice.focus("flame")
    assert find_legend(choice.shown) == "map"


def test_names_and_keys_are_each_of_one_view() -> None:
    keys = [view.key for view in TRACE_VIEWS.values()]
    taken = set("123456789YROVXZ")
    assert len({*keys, *taken}) == len(keys) + len(taken)
    assert len(VIEWS) == len(set(VIEWS))
    assert find_pane(BEGIN) == "map"
    assert find_pane(("curve", "map", "lanes"), "lanes") == "lanes"
    assert "curve" not in PANES
