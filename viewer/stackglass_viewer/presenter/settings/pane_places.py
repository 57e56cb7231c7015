"""Places of a layout's views and borders, in pixels of the tab."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from stackglass_viewer.presenter.settings.view_layout import Node, Side, Split

BORDER_PX = 6
MINIMUM_PX = (200, 110)  # minimum width and height of a view, while there is room for all
_NEAR = 0.3  # share of a view's width or height: a view dropped this near to a side goes there


class Rectangle(NamedTuple):
    """A rectangle."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Border:
    """The border after part ``number`` of a split, which the user can drag."""

    path: tuple[int, ...]  # path of the split: indices of parts from the root
    number: int
    is_upright: bool
    box: Rectangle
    begin_px: int  # its position if the parts before it had no size
    length_px: int  # the range of its position: the split's length without borders


@dataclass(frozen=True, slots=True)
class Places:
    """The places of all views and borders."""

    views: dict[str, Rectangle]
    borders: tuple[Border, ...]


Minimums = Mapping[str, tuple[int, int]]
"""Minimum width and height of each view in pixels; ``MINIMUM_PX`` for a view without an entry."""


def place_views(root: Node, whole: Rectangle, minimums: Minimums) -> Places:
    """Place views by their shares; where a view would be too small, the others get less."""
    views: dict[str, Rectangle] = {}
    borders: list[Border] = []
    _place(root, whole, (), minimums, (views, borders))
    return Places(views, tuple(borders))


def find_minimum_px(node: Node, is_across: bool, minimums: Minimums) -> int:
    """Return the minimum width (or height) of a view, or of all parts of a split with the borders
    between."""
    if isinstance(node, str):
        across_px, down_px = minimums.get(node, MINIMUM_PX)
        return across_px if is_across else down_px
    parts = [find_minimum_px(part, is_across, minimums) for part in node.parts]
    if node.is_beside == is_across:
        return sum(parts) + BORDER_PX * (len(parts) - 1)
    return max(parts)


def find_side(box: Rectangle, x: int, y: int) -> Side | None:
    """Return the side of ``box`` for a view that is dropped at a point; None = the whole box."""
    across, down = (x - box.x) / max(1, box.width), (y - box.y) / max(1, box.height)
    sides: dict[Side, float] = {
        "left": across,
        "right": 1 - across,
        "above": down,
        "below": 1 - down,
    }
    side = min(sides, key=lambda name: sides[name])
    return side if sides[side] < _NEAR else None


def halve(box: Rectangle, side: Side | None) -> Rectangle:
    """Return the half of ``box`` on ``side``; all of it if ``side`` is None."""
    half_width, half_height = box.width // 2, box.height // 2
    match side:
        case "left":
            return box._replace(width=half_width)
        case "right":
            return box._replace(x=box.x + box.width - half_width, width=half_width)
        case "above":
            return box._replace(height=half_height)
        case "below":
            return box._replace(y=box.y + box.height - half_height, height=half_height)
    return box


def _place(
    node: Node,
    box: Rectangle,
    path: tuple[int, ...],
    minimums: Minimums,
    found: tuple[dict[str, Rectangle], list[Border]],
) -> None:
    views, borders = found
    if isinstance(node, str):
        views[node] = box
        return
    begin_px, length_px = (box.x, box.width) if node.is_beside else (box.y, box.height)
    minimum_px = [find_minimum_px(part, node.is_beside, minimums) for part in node.parts]
    free_px = max(0, length_px - BORDER_PX * (len(node.parts) - 1))
    at_px = begin_px
    for number, size_px in enumerate(share_out(free_px, node.shares, minimum_px)):
        its_box = _cut(box, node, at_px, size_px)
        _place(node.parts[number], its_box, (*path, number), minimums, found)
        at_px += size_px
        if number < len(node.parts) - 1:
            border = _cut(box, node, at_px, BORDER_PX)
            before_px = begin_px + BORDER_PX * number
            borders.append(Border(path, number, node.is_beside, border, before_px, free_px))
            at_px += BORDER_PX


def _cut(box: Rectangle, split: Split, at_px: int, size_px: int) -> Rectangle:
    """Return the piece of a split's box from ``at_px`` on, ``size_px`` long."""
    if split.is_beside:
        return box._replace(x=at_px, width=size_px)
    return box._replace(y=at_px, height=size_px)


def share_out(whole_px: int, shares: Sequence[float], minimum_px: Sequence[int]) -> list[int]:
    """Divide ``whole_px`` by shares. A part that would get less than its minimum gets the minimum
    instead, as long as there is room for the minimums of all parts."""
    if sum(minimum_px) >= whole_px:
        shares = [px / sum(minimum_px) for px in minimum_px]
        minimum_px = [0] * len(minimum_px)
    fixed: dict[int, int] = {}
    while True:  # a part with its minimum leaves less to the others
        left_px = whole_px - sum(fixed.values())
        weight = sum(share for n, share in enumerate(shares) if n not in fixed) or 1.0
        short = [
            n
            for n, share in enumerate(shares)
            if n not in fixed and left_px * share / weight < minimum_px[n]
        ]
        if not short:
            break
        fixed |= {n: minimum_px[n] for n in short}
    ends, total = [0], 0.0
    for n, share in enumerate(shares):
        total += fixed[n] if n in fixed else left_px * share / weight
        ends.append(round(total))
    return [end - begin for begin, end in pairwise(ends)]
