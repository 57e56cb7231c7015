"""Places of views: shares, minimum sizes, borders, and what a view is dropped on."""

from __future__ import annotations

import pytest

from stackglass_viewer.presenter.settings.pane_places import (
    BORDER_PX,
    MINIMUM_PX,
    Rectangle,
    find_minimum_px,
    find_side,
    halve,
    place_views,
    share_out,
)
from stackglass_viewer.presenter.settings.view_layout import Side, Split

HALVES = (0.5, 0.5)
FOUR = Split(
    True,
    (Split(False, ("flame", "tree"), HALVES), Split(False, ("top", "source"), (0.25, 0.75))),
    (0.4, 0.6),
)
WHOLE = Rectangle(0, 0, 1006, 706)


def test_one_view_has_everything() -> None:
    places = place_views("flame", WHOLE, {})
    assert (places.views, places.borders) == ({"flame": WHOLE}, ())


def test_four_views_and_their_borders() -> None:
    places = place_views(FOUR, WHOLE, {})
    assert places.views == {
        "flame": Rectangle(0, 0, 400, 350),
        "tree": Rectangle(0, 356, 400, 350),
        "top": Rectangle(406, 0, 600, 175),
        "source": Rectangle(406, 181, 600, 525),
    }
    upright = next(border for border in places.borders if border.is_upright)
    assert (upright.path, upright.number, upright.box) == ((), 0, Rectangle(400, 0, BORDER_PX, 706))
    assert (upright.begin_px, upright.length_px) == (0, 1000)
    lying = [border for border in places.borders if not border.is_upright]
    assert [border.path for border in lying] == [(0,), (1,)]
    assert lying[1].box == Rectangle(406, 175, 600, BORDER_PX)


@pytest.mark.parametrize("size", [(1006, 706), (940, 415), (417, 227), (300, 80), (7, 7), (1, 1)])
def test_views_neither_overlap_nor_leave_the_area(size: tuple[int, int]) -> None:
    whole = Rectangle(0, 0, *size)
    places = place_views(FOUR, whole, {"source": (300, 200)})
    boxes = list(places.views.values())
    for n, box in enumerate(boxes):
        assert box.width >= 0
        assert box.height >= 0
        assert box.x + box.width <= max(whole.width, BORDER_PX)
        assert box.y + box.height <= max(whole.height, BORDER_PX)
        for other in boxes[n + 1 :]:
            is_beside = box.x + box.width <= other.x or other.x + other.width <= box.x
            is_below = box.y + box.height <= other.y or other.y + other.height <= box.y
            assert is_beside or is_below


def test_a_view_is_not_smaller_than_it_needs() -> None:
    places = place_views(Split(True, ("flame", "top"), (0.9, 0.1)), Rectangle(0, 0, 806, 400), {})
    assert places.views["top"].width == MINIMUM_PX[0]
    wide = place_views(
        Split(True, ("flame", "top"), (0.9, 0.1)), Rectangle(0, 0, 806, 400), {"top": (333, 100)}
    )
    assert wide.views["top"].width == 333


def test_what_a_layout_needs() -> None:
    minimums = {"flame": (160, 127), "tree": (100, 92), "top": (145, 132), "source": (200, 130)}
    assert find_minimum_px(FOUR, False, minimums) == 132 + 130 + BORDER_PX
    assert find_minimum_px(FOUR, True, minimums) == 160 + 200 + BORDER_PX


@pytest.mark.parametrize(
    ("whole_px", "shares", "minimum_px", "expected"),
    [
        (100, (0.5, 0.5), (0, 0), [50, 50]),
        (101, (1 / 3, 1 / 3, 1 / 3), (0, 0, 0), [34, 33, 34]),
        (100, (0.9, 0.1), (0, 30), [70, 30]),
        (100, (0.8, 0.1, 0.1), (0, 30, 30), [40, 30, 30]),
        (60, (0.9, 0.1), (50, 50), [30, 30]),
        (0, (0.9, 0.1), (50, 50), [0, 0]),
    ],
)
def test_pixels_make_up_the_whole(
    whole_px: int, shares: tuple[float, ...], minimum_px: tuple[int, ...], expected: list[int]
) -> None:
    assert share_out(whole_px, shares, minimum_px) == expected
    assert sum(expected) == whole_px


@pytest.mark.parametrize(
    ("x", "y", "side", "half"),
    [
        (110, 100, "left", Rectangle(100, 50, 100, 100)),
        (290, 100, "right", Rectangle(200, 50, 100, 100)),
        (200, 55, "above", Rectangle(100, 50, 200, 50)),
        (200, 145, "below", Rectangle(100, 100, 200, 50)),
        (200, 100, None, Rectangle(100, 50, 200, 100)),
    ],
)
def test_where_a_dropped_view_goes(x: int, y: int, side: Side | None, half: Rectangle) -> None:
    box = Rectangle(100, 50, 200, 100)
    assert find_side(box, x, y) == side
    assert halve(box, side) == half
