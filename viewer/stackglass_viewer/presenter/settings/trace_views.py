"""Views that only memory traces have, and their places around the chosen view.

::

    curve │ side          A choice such as the flame graph takes the place of ``CHOSEN``.
    ──────┤               The views around it, the outer layout, stay.
    map   │
    ──────┴─────
    CHOSEN
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from stackglass_viewer.presenter.settings.view_layout import Node, Split, ViewLayout, list_views

CHOSEN = "chosen"
"""Stands for the views of the choice in an outer layout."""


class TraceViewInfo(NamedTuple):
    """Text, icon and key of a view, for menus and titles."""

    text: str  # of its menu entry
    icon: str
    key: str  # pressed after B

    @property
    def title(self) -> str:
        return self.text.replace("&", "")


TRACE_VIEWS = {
    "curve": TraceViewInfo("&Memory over time", "timeline", "M"),
    "map": TraceViewInfo("&Heap map", "heap", "H"),
    "space": TraceViewInfo("&Arenas", "heap", "A"),
    "classes": TraceViewInfo("Size &classes", "table", "C"),
    "rates": TraceViewInfo("Allocation &rate", "timeline", "G"),
    "rate_rows": TraceViewInfo("Allocation rate, ta&ble", "table", "J"),
    "lanes": TraceViewInfo("&Threads and collections", "lanes", "T"),
    "garbage": TraceViewInfo("&Lifetimes", "table", "L"),
    "survivors": TraceViewInfo("&Survivors", "table", "S"),
    "blocks": TraceViewInfo("Bl&ocks of a cell", "table", "N"),
    "side": TraceViewInfo("Legend and &findings", "summary", "F"),
}
"""The views by name, in the order of menus."""
PANES = tuple(name for name in TRACE_VIEWS if name not in ("curve", "side"))
"""Views for the place below the curve: one at a time, until the user puts another beside it."""

_CURVE_SHARE, _LEFT_SHARE, _ABOVE_SHARE = 0.35, 0.77, 0.53


def make_outer(pane: str) -> Node:
    """Return the first outer layout of a memory trace. ``pane`` "" = the curve alone, which leaves
    no room for the legend in the side view."""
    if not pane:
        return Split(False, ("curve", CHOSEN), (0.2, 0.8))
    left = Split(False, ("curve", pane), (_CURVE_SHARE, 1 - _CURVE_SHARE))
    above = Split(True, (left, "side"), (_LEFT_SHARE, 1 - _LEFT_SHARE))
    return Split(False, (above, CHOSEN), (_ABOVE_SHARE, 1 - _ABOVE_SHARE))


def insert_chosen(outer: Node, root: Node) -> Node:
    """Return the outer layout with a choice's views in place of ``CHOSEN``."""
    if isinstance(outer, str):
        return root if outer == CHOSEN else outer
    return replace(outer, parts=tuple(insert_chosen(part, root) for part in outer.parts))


def take_shares(outer: Node, moved: Node) -> Node:
    """Return the outer layout with the shares of ``moved``, the same layout around some choice."""
    if isinstance(outer, str) or isinstance(moved, str):
        return outer
    pairs = zip(outer.parts, moved.parts, strict=True)
    return replace(outer, parts=tuple(take_shares(*pair) for pair in pairs), shares=moved.shares)


def find_chosen(outer: Node, moved: Node) -> Node:
    """Return the choice's views in ``moved``."""
    if isinstance(outer, str) or isinstance(moved, str):
        return moved
    pairs = zip(outer.parts, moved.parts, strict=True)
    return next(find_chosen(*pair) for pair in pairs if CHOSEN in list_views(pair[0]))


def find_pane(views: Collection[str], focused: str = "") -> str:
    """Return the pane among ``views``: the focused one, else the first; "" = there is none."""
    if focused in PANES:
        return focused
    return next((view for view in views if view in PANES), "")


def find_legend(layout: ViewLayout) -> str:
    """Return the view with the colours that the legend explains; "" = there is none."""
    coloured = ("map", "rates", "rate_rows")
    if layout.focused in coloured:
        return layout.focused
    return next((view for view in layout.views if view in coloured), "")
