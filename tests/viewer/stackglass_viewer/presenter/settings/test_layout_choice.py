"""The layout of a tab as its user chooses it, and what of it is shown."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.settings.layout_choice import LayoutChoice
from stackglass_viewer.presenter.settings.view_layout import (
    DETAILS,
    MOST_PANES,
    Split,
    ViewLayout,
    make_preset,
    step_focus,
)

NOTHING: frozenset[str] = frozenset()


@pytest.fixture
def choice(qt: QApplication) -> LayoutChoice:
    return LayoutChoice()


def watch(choice: LayoutChoice) -> list[ViewLayout]:
    """What is to be kept, as it comes."""
    kept: list[ViewLayout] = []
    choice.arranged.connect(kept.append)
    return kept


def views_of(choice: LayoutChoice) -> tuple[str, ...]:
    """That are shown."""
    return choice.shown.views


def test_until_views_are_put_beside_each_other_each_choice_is_alone(choice: LayoutChoice) -> None:
    kept = watch(choice)
    for view in ("both", "sandwich", "heap", "top", "flame"):
        choice.choose(view)
        assert choice.shown == make_preset(view)
        assert choice.shown.view == view
    assert not choice.is_arranged
    assert kept == []


def test_what_is_put_is_kept(choice: LayoutChoice) -> None:
    kept = watch(choice)
    choice.put("top", "right")
    choice.put("tree", "below", "flame")
    assert views_of(choice) == ("flame", "tree", "top")
    assert choice.shown.view == "tree"
    assert kept[-1] == choice.wanted
    assert choice.is_arranged


def test_flame_graph_and_table_may_be_the_beginning(choice: LayoutChoice) -> None:
    choice.choose("both")
    choice.put("source", "below", "top")
    assert views_of(choice) == ("flame", "top", "source")


def test_in_a_layout_keys_choose_for_the_view_that_has_them(choice: LayoutChoice) -> None:
    choice.put("top", "right")
    choice.choose("tree")
    assert views_of(choice) == ("flame", "tree")
    choice.choose("flame")
    assert (views_of(choice), choice.shown.view) == (("flame", "tree"), "flame")
    choice.choose("both")
    assert views_of(choice) == ("flame", "top", "tree")
    assert choice.shown.view == "flame"
    choice.focus("tree")
    choice.choose("both")
    assert views_of(choice) == ("flame", "top", "tree"), "both are there already"


def test_the_last_one_left_is_alone_again(choice: LayoutChoice) -> None:
    kept = watch(choice)
    choice.put("top", "right")
    choice.close()
    assert choice.shown == make_preset("flame")
    assert kept[-1].preset
    choice.close()
    assert choice.shown == make_preset("flame")


def test_only_the_focused_one_is_left(choice: LayoutChoice) -> None:
    choice.put("top", "right")
    choice.put("tree", "below")
    choice.focus("top")
    choice.keep_only()
    assert choice.shown == make_preset("top")


def test_sandwich_that_is_left_alone_has_its_list_of_functions(choice: LayoutChoice) -> None:
    choice.set_table_share(0.3)
    choice.put("sandwich", "right")
    choice.keep_only()
    assert choice.shown == make_preset("sandwich", 0.3)


def test_reset_is_the_beginning(choice: LayoutChoice) -> None:
    kept = watch(choice)
    choice.put("top", "right")
    choice.reset()
    assert choice.shown == make_preset("flame")
    assert kept[-1].preset


def test_focus_goes_from_view_to_view(choice: LayoutChoice) -> None:
    choice.put("top", "right")
    choice.focus(step_focus(choice.shown, 1).focused)
    assert choice.shown.focused == "flame"
    choice.focus(step_focus(choice.shown, -1).focused)
    assert choice.shown.focused == "top"


def test_focus_of_a_choice_is_its_own(choice: LayoutChoice) -> None:
    choice.choose("both")
    choice.focus("top")
    assert choice.shown == make_preset("both")


def test_what_the_data_lack_comes_back_with_them(choice: LayoutChoice) -> None:
    changes: list[None] = []
    choice.changed.connect(lambda: changes.append(None))
    choice.put("labels", "right")
    choice.set_available_views("", frozenset({"labels"}))
    assert (views_of(choice), choice.shown.focused) == (("flame",), "flame")
    n_changes = len(changes)
    choice.set_available_views("", frozenset({"labels"}))
    assert len(changes) == n_changes, "nothing has changed"
    choice.set_available_views("", NOTHING)
    assert views_of(choice) == ("flame", "labels")


def test_the_table_of_a_sample_type_gives_way_to_that_of_another(choice: LayoutChoice) -> None:
    choice.set_available_views("heap", NOTHING)
    choice.put("heap", "right")
    assert views_of(choice) == ("flame", "heap")
    assert DETAILS in choice.wanted.views
    choice.set_available_views("contention", NOTHING)
    assert (views_of(choice), choice.shown.view) == (("flame", "contention"), "contention")
    choice.set_available_views("", NOTHING)
    assert views_of(choice) == ("flame",)
    choice.choose("tree")
    assert views_of(choice) == ("tree",), "the flame graph had the keys"
    choice.set_available_views("heap", NOTHING)
    assert views_of(choice) == ("tree", "heap")


def test_a_table_of_the_sample_type_that_is_left_alone_is_that_choice(
    choice: LayoutChoice,
) -> None:
    choice.set_available_views("heap", NOTHING)
    choice.put("heap", "right")
    choice.keep_only()
    assert choice.shown == make_preset("heap")
    choice.put("flame", "left")
    assert views_of(choice) == ("flame", "heap")


def test_nothing_left_is_the_flame_graph(choice: LayoutChoice) -> None:
    choice.choose("labels")
    choice.put("time", "right")
    choice.set_available_views("", frozenset({"labels", "time"}))
    assert choice.shown == make_preset("flame")
    assert choice.is_arranged


def test_there_is_an_end_of_room(choice: LayoutChoice) -> None:
    for view in ("top", "tree", "traces", "source", "summary", "graph", "labels"):
        choice.put(view, "right")
    assert len(views_of(choice)) == MOST_PANES
    choice.put("top", "below", "flame")
    assert len(views_of(choice)) == MOST_PANES, "it has only moved"


def test_the_border_of_a_choice_is_kept_for_all(choice: LayoutChoice) -> None:
    moved: list[float] = []
    choice.table_moved.connect(moved.append)
    choice.choose("both")
    choice.move_border((), 0, 0.7)
    assert moved == [pytest.approx(0.3)]
    choice.choose("sandwich")
    assert choice.shown == make_preset("sandwich", moved[0])
    choice.grow(is_wider=True, sign=1)
    assert moved[-1] == pytest.approx(0.25)
    assert not choice.is_arranged


def test_a_border_of_a_layout_is_kept_with_it(choice: LayoutChoice) -> None:
    kept = watch(choice)
    choice.put("top", "right")
    choice.move_border((), 0, 0.7)
    assert isinstance(kept[-1].root, Split)
    assert kept[-1].root.shares == pytest.approx((0.7, 0.3))
    choice.focus("flame")
    choice.grow(is_wider=True, sign=-1)
    assert isinstance(choice.shown.root, Split)
    assert choice.shown.root.shares == pytest.approx((0.65, 0.35))


def test_a_border_is_that_of_what_is_shown(choice: LayoutChoice) -> None:
    choice.put("labels", "right")
    choice.put("top", "right")
    choice.set_available_views("", frozenset({"labels"}))
    assert views_of(choice) == ("flame", "top")
    choice.move_border((), 0, 0.2)
    assert isinstance(choice.shown.root, Split)
    assert choice.shown.root.shares == pytest.approx((0.2, 0.8))
    choice.set_available_views("", NOTHING)
    assert views_of(choice) == ("flame", "labels", "top"), "what came back has its place"


def test_another_tab_is_left_alone(choice: LayoutChoice) -> None:
    kept = watch(choice)
    choice.restore(ViewLayout(Split(True, ("flame", "top"), (0.5, 0.5)), "top"))
    assert choice.shown.view == "top"
    choice.restore(make_preset("flame"))
    assert choice.shown == make_preset("flame")
    assert kept == [], "only what the user does is kept"


def test_a_view_takes_the_place_of_another(choice: LayoutChoice) -> None:
    choice.put("top", "right")
    choice.swap_in("flame", "top")
    assert views_of(choice) == ("top", "flame")
    choice.swap_in("tree", "top")
    assert views_of(choice) == ("tree", "flame")
