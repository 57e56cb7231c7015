"""Layouts of views: what putting, closing, choosing and moving a border make of them."""

from __future__ import annotations

import pytest

from stackglass_viewer.presenter.settings.view_layout import (
    DETAILS,
    Split,
    ViewLayout,
    arrange,
    choose,
    close,
    find_share,
    focus,
    grow,
    make_preset,
    move_border,
    put,
    resolve,
    step_focus,
    swap_in,
    take_borders,
)

HALVES = (0.5, 0.5)


def make_four() -> ViewLayout:
    """::

    flame │ top
    ──────┼─────
    tree  │ source
    """
    layout = put(make_preset("flame"), "top", "flame", "right")
    layout = put(layout, "tree", "flame", "below")
    return put(layout, "source", "top", "below")


def test_a_view_goes_to_each_side() -> None:
    flame = make_preset("flame")
    assert put(flame, "top", "flame", "right").root == Split(True, ("flame", "top"), HALVES)
    assert put(flame, "top", "flame", "left").root == Split(True, ("top", "flame"), HALVES)
    assert put(flame, "top", "flame", "above").root == Split(False, ("top", "flame"), HALVES)
    assert put(flame, "top", "flame", "below").root == Split(False, ("flame", "top"), HALVES)


def test_what_was_put_has_the_keys_and_is_the_users_layout() -> None:
    layout = put(make_preset("flame"), "top", "flame", "right")
    assert (layout.focused, layout.preset, layout.view) == ("top", "", "top")


def test_four_views_are_two_by_two() -> None:
    left, right = Split(False, ("flame", "tree"), HALVES), Split(False, ("top", "source"), HALVES)
    assert make_four().root == Split(True, (left, right), HALVES)
    assert make_four().views == ("flame", "tree", "top", "source")


def test_a_third_view_in_a_row_takes_half_of_the_one_beside_it() -> None:
    layout = put(put(make_preset("flame"), "top", "flame", "right"), "tree", "top", "right")
    assert layout.root == Split(True, ("flame", "top", "tree"), (0.5, 0.25, 0.25))


def test_a_view_that_is_there_moves_and_leaves_its_room() -> None:
    moved = put(make_four(), "source", "flame", "left")
    left = Split(False, ("flame", "tree"), HALVES)
    inner = Split(False, (Split(True, ("source", "flame"), HALVES), "tree"), HALVES)
    assert moved.root == Split(True, (inner, "top"), HALVES)
    assert left.parts == ("flame", "tree")


def test_what_cannot_be_put_changes_nothing() -> None:
    layout = make_four()
    assert put(layout, "flame", "flame", "left") == layout
    assert put(layout, "graph", "heap", "left") == layout
    assert put(make_preset("flame"), "flame", "top", "left") == make_preset("flame")


def test_closing_gives_the_room_to_the_neighbours_and_the_keys_to_the_next() -> None:
    layout = close(focus(make_four(), "tree"), "tree")
    right = Split(False, ("top", "source"), HALVES)
    assert layout.root == Split(True, ("flame", right), HALVES)
    assert layout.focused == "top"
    assert close(make_four(), "flame").focused == "source", "the keys stay where they were"


def test_the_last_view_stays_and_is_a_preset_again() -> None:
    layout = close(put(make_preset("flame"), "top", "flame", "right"), "flame")
    assert layout == make_preset("top")
    assert close(layout, "top") == layout
    assert close(layout, "heap") == layout


def test_choosing_goes_to_the_view_or_takes_the_place_of_the_focused_one() -> None:
    assert choose(make_four(), "flame") == focus(make_four(), "flame")
    chosen = choose(focus(make_four(), "tree"), "graph")
    assert chosen.views == ("flame", "graph", "top", "source")
    assert chosen.focused == "graph"


def test_a_view_dropped_on_another_changes_places_with_it() -> None:
    swapped = swap_in(make_four(), "source", "flame")
    assert swapped.views == ("source", "tree", "top", "flame")
    assert swap_in(make_four(), "source", "heap") == make_four()
    assert swap_in(make_preset("flame"), "tree", "flame") == make_preset("tree")


def test_focus_goes_round() -> None:
    layout = focus(make_four(), "flame")
    names = []
    for _ in range(4):
        layout = step_focus(layout, 1)
        names.append(layout.focused)
    assert names == ["tree", "top", "source", "flame"]
    assert step_focus(layout, -1).focused == "source"
    assert focus(layout, "heap") == layout


@pytest.mark.parametrize(("place", "share"), [(0.3, 0.3), (-1.0, 0.1), (2.0, 0.9), (0.5, 0.5)])
def test_a_border_moves_within_limits(place: float, share: float) -> None:
    layout = move_border(make_four(), (), 0, place)
    assert isinstance(layout.root, Split)
    assert layout.root.shares == pytest.approx((share, 1 - share))
    assert layout.focused == make_four().focused


def test_a_border_within_a_part_moves_alone() -> None:
    layout = move_border(make_four(), (1,), 0, 0.75)
    assert isinstance(layout.root, Split)
    assert layout.root.shares == HALVES
    right = layout.root.parts[1]
    assert isinstance(right, Split)
    assert right.shares == (0.75, 0.25)


def test_borders_that_are_not_there_do_not_move() -> None:
    for path, number in (((5,), 0), ((), 3), ((0, 0), 0), ((), -1)):
        assert move_border(make_four(), path, number, 0.7) == make_four()


@pytest.mark.parametrize(
    ("view", "is_wider", "sign", "expected"),
    [
        ("flame", True, 1, (0.55, 0.45)),
        ("flame", True, -1, (0.45, 0.55)),
        ("source", True, 1, (0.45, 0.55)),
    ],
)
def test_a_view_gets_more_or_less_room(
    view: str, is_wider: bool, sign: int, expected: tuple[float, float]
) -> None:
    root = grow(make_four(), view, is_wider, sign).root
    assert isinstance(root, Split)
    assert root.shares == pytest.approx(expected)


def test_a_view_grows_down_within_its_column() -> None:
    root = grow(make_four(), "top", False, 1).root
    assert isinstance(root, Split)
    assert root.shares == HALVES
    right = root.parts[1]
    assert isinstance(right, Split)
    assert right.shares == pytest.approx((0.55, 0.45))
    assert grow(make_preset("flame"), "flame", True, 1) == make_preset("flame")


def test_presets() -> None:
    both = make_preset("both", 0.4)
    assert (both.views, both.view, both.focused) == (("flame", "top"), "both", "flame")
    assert find_share(both, "top") == 0.4
    sandwich = make_preset("sandwich", 0.4)
    assert (sandwich.views, sandwich.focused) == (("top", "sandwich"), "sandwich")
    assert find_share(sandwich, "top") == 0.4
    assert find_share(make_preset("top"), "top") == 1


def test_the_table_of_the_sample_type_stands_in_its_place() -> None:
    layout = put(make_preset("flame"), DETAILS, "flame", "right")
    shown = resolve(layout, "heap", frozenset())
    assert shown is not None
    assert (shown.views, shown.focused, shown.view) == (("flame", "heap"), "heap", "heap")
    alone = resolve(layout, "", frozenset())
    assert alone is not None
    assert (alone.views, alone.focused) == (("flame",), "flame")


def test_what_the_profile_lacks_leaves_its_room() -> None:
    shown = resolve(make_four(), "", {"top", "source"})
    assert shown is not None
    assert shown.root == Split(False, ("flame", "tree"), HALVES)
    assert shown.focused == "flame"
    assert resolve(make_four(), "", {"flame", "tree", "top", "source"}) is None


def test_borders_of_what_is_shown_are_those_of_the_whole() -> None:
    shown = resolve(make_four(), "", {"tree"})
    assert shown is not None
    moved = move_border(move_border(shown, (), 0, 0.7), (1,), 0, 0.2)
    whole = take_borders(make_four(), moved)
    assert whole.views == make_four().views
    assert resolve(whole, "", {"tree"}) == moved


def test_borders_of_a_split_that_became_one_with_another() -> None:
    """flame │ (top over (tree │ source)): without top these are three in a row."""
    inner = Split(True, ("tree", "source"), HALVES)
    root = Split(True, ("flame", Split(False, ("top", inner), HALVES)), (0.4, 0.6))
    shown = resolve(arrange(root, "tree"), "", {"top"})
    assert shown is not None
    assert shown.root == Split(True, ("flame", "tree", "source"), (0.4, 0.3, 0.3))
    moved = move_border(shown, (), 1, 0.9)
    back = resolve(take_borders(arrange(root, "tree"), moved), "", {"top"})
    assert back is not None
    assert isinstance(back.root, Split)
    assert back.root.parts == ("flame", "tree", "source")
    assert back.root.shares == pytest.approx((0.4, 0.5, 0.1))


def test_there_is_an_end_of_room() -> None:
    layout = make_preset("flame")
    for view in ("top", "tree", "source", "graph", "time"):
        assert layout.has_room
        layout = put(layout, view, "flame", "right")
    assert not layout.has_room


def test_a_focus_that_is_not_there_is_the_first() -> None:
    assert arrange(Split(True, ("flame", "top"), HALVES), "heap").focused == "flame"
    assert arrange("tree", "heap") == make_preset("tree")
