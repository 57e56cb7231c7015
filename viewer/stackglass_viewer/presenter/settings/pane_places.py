"""Places of a layout's views and borders in a tab, in pixels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from stackglass_viewer.presenter.settings.view_layout import Node, Side, Split

BORDER_PX = 6
LEAST = (200, 110)  # pixels of a view, across and down, where there is room for all
_NEAR = 0.3  # of a view's width and height: what is dropped there stands beside it


class Box(NamedTuple):
    """A rectangle."""

    x: int
    y: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Border:
    """Between part ``number`` of a split and the next one; it can be dragged."""

    path: tuple[int, ...]  # of the split: numbers of parts from the root
    number: int
    is_upright: bool
    box: Box
    begin_px: int  # where it is if the parts before it have nothing
    length_px: int  # that it can move: the split's without its borders


@dataclass(frozen=True, slots=True)
class Places:
    """Of all views and borders."""

    views: dict[str, Box]
    borders: tuple[Border, ...]


Leasts = Mapping[str, tuple[int, int]]
"""By view, the pixels that it needs across and down; ``LEAST`` if there are none."""


def place_views(root: Node, whole: Box, leasts: Leasts) -> Places:
    """Shares of the width and height; where a view would be too small, the others give way."""
    views: dict[str, Box] = {}
    borders: list[Border] = []
    _place(root, whole, (), leasts, (views, borders))
    return Places(views, tuple(borders))


def find_least_px(node: Node, is_across: bool, leasts: Leasts) -> int:
    """The least pixels of a view, or of all parts of a split and the borders between."""
    if isinstance(node, str):
        across_px, down_px = leasts.get(node, LEAST)
        return across_px if is_across else down_px
    parts = [find_least_px(part, is_across, leasts) for part in node.parts]
    if node.is_beside == is_across:
        return sum(parts) + BORDER_PX * (len(parts) - 1)
    return max(parts)


def find_side(box: Box, x: int, y: int) -> Side | None:
    """Where a view goes that is dropped at a point of another; None = in its place."""
    across, down = (x - box.x) / max(1, box.width), (y - box.y) / max(1, box.height)
    sides: dict[Side, float] = {
        "left": across,
        "right": 1 - across,
        "above": down,
        "below": 1 - down,
    }
    side = min(sides, key=lambda name: sides[name])
    return side if sides[side] < _NEAR else None


def halve(box: Box, side: Side | None) -> Box:
    """What a view gets that goes to a side of another; None = all of it."""
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
    box: Box,
    path: tuple[int, ...],
    leasts: Leasts,
    found: tuple[dict[str, Box], list[Border]],
) -> None:
    views, borders = found
    if isinstance(node, str):
        views[node] = box
        return
    begin_px, length_px = (box.x, box.width) if node.is_beside else (box.y, box.height)
    least = [find_least_px(part, node.is_beside, leasts) for part in node.parts]
    free_px = max(0, length_px - BORDER_PX * (len(node.parts) - 1))
    at_px = begin_px
    for number, size_px in enumerate(share_out(free_px, node.shares, least)):
        its_box = _cut(box, node, at_px, size_px)
        _place(node.parts[number], its_box, (*path, number), leasts, found)
        at_px += size_px
        if number < len(node.parts) - 1:
            border = _cut(box, node, at_px, BORDER_PX)
            before_px = begin_px + BORDER_PX * number
            borders.append(Border(path, number, node.is_beside, border, before_px, free_px))
            at_px += BORDER_PX


def _cut(box: Box, split: Split, at_px: int, size_px: int) -> Box:
    """Of a split's box, a piece along it."""
    if split.is_beside:
        return box._replace(x=at_px, width=size_px)
    return box._replace(y=at_px, height=size_px)


def share_out(whole_px: int, shares: Sequence[float], least: Sequence[int]) -> list[int]:
    """Whole pixels that make up the whole: by shares, and where that is less than a part needs,
    its least, as long as there is room for that."""
    if sum(least) >= whole_px:
        shares, least = [px / sum(least) for px in least], [0] * len(least)
    fixed: dict[int, int] = {}
    while True:
        left_px = whole_px - sum(fixed.values())
        weight = sum(share for n, share in enumerate(shares) if n not in fixed) or 1.0
        short = [
            n
            for n, share in enumerate(shares)
            if n not in fixed and left_px * share / weight < least[n]
        ]
        if not short:
            break
        fixed |= {n: least[n] for n in short}
    ends, total = [0], 0.0
    for n, share in enumerate(shares):
        total += fixed[n] if n in fixed else left_px * share / weight
        ends.append(round(total))
    return [end - begin for begin, end in pairwise(ends)]
