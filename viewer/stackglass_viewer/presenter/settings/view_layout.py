"""Layout of a tab's views, as a frozen value: which views stand beside and below each other.

::

    flame │ top          beside(flame, below(top, source))
          ├────────
          │ source

A layout has a view at most once, because a view has one widget in a tab.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from typing import Literal

DETAILS = "details"
"""The table that belongs to the sample type: sites of the heap, or waits of contention."""
MOST_PANES = 6
LEAST_SHARE = 0.1  # least share of a part of a split after the user has moved its border

Side = Literal["left", "right", "above", "below"]
_BEFORE: frozenset[Side] = frozenset(("left", "above"))
_BESIDE: frozenset[Side] = frozenset(("left", "right"))
_STEP = 0.05  # share of a split by which a key moves a border


@dataclass(frozen=True, slots=True)
class Split:
    """Parts beside each other, from left to right, or below each other, from the top."""

    is_beside: bool
    parts: tuple[Node, ...]  # at least two
    shares: tuple[float, ...]  # of the split's width or height; their sum is 1


Node = str | Split  # a view, or several


@dataclass(frozen=True, slots=True)
class ViewLayout:
    """The views of a tab, and the focused one.

    ``preset``: the layout is that of one choice, ``both`` or a single view; "" = the user has
    arranged it.
    """

    root: Node
    focused: str
    preset: str = ""

    @property
    def views(self) -> tuple[str, ...]:
        """The views, from the left and the top."""
        return list_views(self.root)

    @property
    def view(self) -> str:
        """The view in front: the choice, or the focused view."""
        return self.preset or self.focused

    @property
    def has_room(self) -> bool:
        """Whether one more view may stand beside the others."""
        return len(self.views) < MOST_PANES


def list_views(node: Node) -> tuple[str, ...]:
    if isinstance(node, str):
        return (node,)
    return tuple(view for part in node.parts for view in list_views(part))


def make_preset(name: str, table_share: float = 0.45) -> ViewLayout:
    """Return the layout of one choice. ``table_share``: width of a table beside a graph."""
    if name == "both":
        return ViewLayout(
            Split(True, ("flame", "top"), (1 - table_share, table_share)), "flame", name
        )
    if name == "sandwich":
        split = Split(True, ("top", "sandwich"), (table_share, 1 - table_share))
        return ViewLayout(split, "sandwich", name)
    return ViewLayout(name, name, name)


def arrange(root: Node, focused: str) -> ViewLayout:
    """Return a layout that the user has arranged; a single view makes a preset."""
    if isinstance(root, str):
        return ViewLayout(root, root, root)
    views = list_views(root)
    return ViewLayout(root, focused if focused in views else views[0])


def focus(layout: ViewLayout, view: str) -> ViewLayout:
    """Return the layout with the focus on ``view``, if it has this view."""
    return replace(layout, focused=view) if view in layout.views else layout


def step_focus(layout: ViewLayout, step: int) -> ViewLayout:
    """Move the focus to the next view (1) or the previous one (-1), wrapping around."""
    views = layout.views
    return replace(layout, focused=views[(views.index(layout.focused) + step) % len(views)])


def put(layout: ViewLayout, view: str, target: str, side: Side) -> ViewLayout:
    """Put a view on a side of ``target``; a view that is in the layout already moves there."""
    if view == target or target not in layout.views:
        return layout
    root = _drop(layout.root, view)
    if root is None:
        return layout
    return arrange(_insert(root, view, target, side), view)


def swap_in(layout: ViewLayout, view: str, target: str) -> ViewLayout:
    """Replace ``target`` by a view; a view that is in the layout already trades places with it."""
    if target not in layout.views:
        return layout
    names = {target: view, view: target}
    return arrange(rename(layout.root, lambda name: names.get(name, name)), view)


def choose(layout: ViewLayout, view: str) -> ViewLayout:
    """Choose a view in an arranged layout: focus it, or if the layout does not have it, put it in
    the place of the focused view."""
    if view in layout.views:
        return replace(layout, focused=view)
    return swap_in(layout, view, layout.focused)


def close(layout: ViewLayout, view: str) -> ViewLayout:
    """Return the layout without a view; the last view stays."""
    root = _drop(layout.root, view)
    if root is None or view not in layout.views:
        return layout
    views = layout.views
    after = list_views(root)[min(views.index(view), len(views) - 2)]
    return arrange(root, after if layout.focused == view else layout.focused)


def resolve(layout: ViewLayout, own_table: str, missing: Collection[str]) -> ViewLayout | None:
    """Return the layout with the views that can be shown; None = there are none.

    ``own_table`` replaces ``DETAILS``; "" = there is no such table. Views in ``missing`` are
    removed.
    """

    def find(view: str) -> str:
        return own_table if view == DETAILS else view

    left: Node | None = layout.root
    for view in layout.views:
        if left is not None and (not find(view) or find(view) in missing):
            left = _drop(left, view)
    if left is None:
        return None
    root, focused = rename(left, find), find(layout.focused)
    views = list_views(root)
    preset = layout.preset if len(views) == len(layout.views) else ""
    focused = focused if focused in views else views[0]
    return replace(layout, root=root, focused=focused, preset=preset)


def move_border(
    layout: ViewLayout, path: tuple[int, ...], number: int, position: float
) -> ViewLayout:
    """Move a border. ``path``: the split, as indices of parts from the root; ``number``: index of
    the border; ``position``: its new position as a share of the split."""
    return replace(layout, root=_move(layout.root, path, number, position))


def grow(layout: ViewLayout, view: str, is_wider: bool, sign: int) -> ViewLayout:
    """Give a view more or less room, by the border of the nearest split of that direction."""
    path = _find_path(layout.root, view)
    for depth in range(len(path) - 1, -1, -1):
        split = _at(layout.root, path[:depth])
        if isinstance(split, Split) and split.is_beside == is_wider:
            at = path[depth]
            is_last = at == len(split.parts) - 1
            border = at - 1 if is_last else at
            position = sum(split.shares[: border + 1]) + _STEP * (-sign if is_last else sign)
            return move_border(layout, path[:depth], border, position)
    return layout


def take_borders(layout: ViewLayout, shown: ViewLayout) -> ViewLayout:
    """Return the layout with the borders of ``shown``, a part of it; other views keep their
    shares."""
    return replace(layout, root=_take_borders(layout.root, shown.root), focused=shown.focused)


def find_share(layout: ViewLayout, view: str) -> float:
    """Return a view's share of the root's width or height; 1 = it is not a part of the root."""
    root = layout.root
    if isinstance(root, str) or view not in root.parts:
        return 1.0
    return root.shares[root.parts.index(view)]


def rename(node: Node, find: Callable[[str], str]) -> Node:
    """Return the tree with each view replaced by the result of ``find``."""
    if isinstance(node, str):
        return find(node)
    return replace(node, parts=tuple(rename(part, find) for part in node.parts))


def _drop(node: Node, view: str) -> Node | None:
    """Return the tree without a view; None = nothing is left."""
    if isinstance(node, str):
        return None if node == view else node
    kept = [
        (left, share)
        for part, share in zip(node.parts, node.shares, strict=True)
        if (left := _drop(part, view)) is not None
    ]
    return _join(node.is_beside, kept)


def _join(is_beside: bool, parts: list[tuple[Node, float]]) -> Node | None:
    """Return a split of ``parts``, merged with parts of the same direction; its shares sum up to 1.
    A single part is returned itself, None without parts."""
    flat: list[tuple[Node, float]] = []
    for part, share in parts:
        if isinstance(part, Split) and part.is_beside == is_beside:
            flat += [
                (each, share * its_share)
                for each, its_share in zip(part.parts, part.shares, strict=True)
            ]
        else:
            flat.append((part, share))
    if len(flat) < 2:
        return flat[0][0] if flat else None
    whole = sum(share for _, share in flat)
    return Split(
        is_beside, tuple(part for part, _ in flat), tuple(share / whole for _, share in flat)
    )


def _insert(node: Node, view: str, target: str, side: Side) -> Node:
    """Return the tree with a view beside ``target``, which gives half of its room."""
    is_beside = side in _BESIDE
    if isinstance(node, str):
        if node != target:
            return node
        parts = (view, node) if side in _BEFORE else (node, view)
        return Split(is_beside, parts, (0.5, 0.5))
    pairs = zip(node.parts, node.shares, strict=True)
    joined = _join(
        node.is_beside, [(_insert(part, view, target, side), share) for part, share in pairs]
    )
    return node if joined is None else joined


def _move(node: Node, path: tuple[int, ...], number: int, position: float) -> Node:
    if isinstance(node, str):
        return node
    if path:
        if not 0 <= path[0] < len(node.parts):
            return node
        part = _move(node.parts[path[0]], path[1:], number, position)
        return replace(node, parts=(*node.parts[: path[0]], part, *node.parts[path[0] + 1 :]))
    if not 0 <= number < len(node.parts) - 1:
        return node
    begin = sum(node.shares[:number])
    both = node.shares[number] + node.shares[number + 1]
    least = min(LEAST_SHARE, both / 2)
    first = min(max(position - begin, least), both - least)
    return replace(
        node, shares=(*node.shares[:number], first, both - first, *node.shares[number + 2 :])
    )


def _take_borders(node: Node, shown: Node) -> Node:
    if isinstance(node, str) or isinstance(shown, str):
        return node
    pairs = tuple(zip(shown.parts, shown.shares, strict=True))
    # With one part left, a split may have been merged with the split around it.
    owned = [
        [pair for pair in pairs if not set(list_views(part)).isdisjoint(list_views(pair[0]))]
        for part in node.parts
    ]
    left = [number for number, parts in enumerate(owned) if parts]
    parts, shares = list(node.parts), list(node.shares)
    if len(left) == 1:
        parts[left[0]] = _take_borders(parts[left[0]], shown)
    else:
        whole = sum(shares[number] for number in left)
        for number in left:
            inner = _join(shown.is_beside, owned[number])
            parts[number] = parts[number] if inner is None else _take_borders(parts[number], inner)
            shares[number] = whole * sum(share for _, share in owned[number])
    return replace(node, parts=tuple(parts), shares=tuple(shares))


def _find_path(node: Node, view: str) -> tuple[int, ...]:
    """Return indices of parts from the root down to a view, which must be there."""
    if isinstance(node, str):
        return ()
    at = next(n for n, part in enumerate(node.parts) if view in list_views(part))
    return (at, *_find_path(node.parts[at], view))


def _at(node: Node, path: tuple[int, ...]) -> Node:
    for step in path:
        if isinstance(node, str):
            break
        node = node.parts[step]
    return node
