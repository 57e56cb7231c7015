"""Views that only memory traces have, and their places around the chosen view.

::

    curve │ side          A choice such as the flame graph takes the place of ``SUBJECT``.
    ──────┤               The views around it, its company, stay.
    map   │
    ──────┴─────
    SUBJECT
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from typing import NamedTuple

from stackglass_viewer.presenter.settings.view_layout import Node, Split, ViewLayout, list_views

SUBJECT = "subject"
"""Stands for the chosen view in its company."""


class TraceView(NamedTuple):
    """Text, icon and key of a view, for menus and titles."""

    text: str  # of its menu entry
    icon: str
    key: str  # pressed after B

    @property
    def title(self) -> str:
        return self.text.replace("&", "")


TRACE_VIEWS = {
    "curve": TraceView("&Memory over time", "timeline", "M"),
    "map": TraceView("&Heap map", "heap", "H"),
    "space": TraceView("&Arenas", "heap", "A"),
    "classes": TraceView("Size &classes", "table", "C"),
    "rates": TraceView("Allocation &rate", "timeline", "G"),
    "rate_rows": TraceView("Allocation rate, ta&ble", "table", "J"),
    "lanes": TraceView("&Threads and collections", "lanes", "T"),
    "garbage": TraceView("&Lifetimes", "table", "L"),
    "survivors": TraceView("&Survivors", "table", "S"),
    "blocks": TraceView("Bl&ocks of a cell", "table", "N"),
    "side": TraceView("Legend and &findings", "summary", "F"),
}
"""The views by name, in the order of menus."""
PANES = tuple(name for name in TRACE_VIEWS if name not in ("curve", "side"))
"""Views of which one stands below the curve, until the user puts another beside it."""

_CURVE_SHARE, _LEFT_SHARE, _ABOVE_SHARE = 0.35, 0.77, 0.53


def make_company(pane: str) -> Node:
    """Return the first company of a memory trace. ``pane`` "" = the curve without pane and side:
    there is no room for its legend."""
    if not pane:
        return Split(False, ("curve", SUBJECT), (0.2, 0.8))
    left = Split(False, ("curve", pane), (_CURVE_SHARE, 1 - _CURVE_SHARE))
    above = Split(True, (left, "side"), (_LEFT_SHARE, 1 - _LEFT_SHARE))
    return Split(False, (above, SUBJECT), (_ABOVE_SHARE, 1 - _ABOVE_SHARE))


def accompany(company: Node, root: Node) -> Node:
    """Return the company with a choice's views in place of ``SUBJECT``."""
    if isinstance(company, str):
        return root if company == SUBJECT else company
    return replace(company, parts=tuple(accompany(part, root) for part in company.parts))


def take_company(company: Node, moved: Node) -> Node:
    """Return the company with the borders of ``moved``: the same company around some choice."""
    if isinstance(company, str) or isinstance(moved, str):
        return company
    pairs = zip(company.parts, moved.parts, strict=True)
    return replace(company, parts=tuple(take_company(*pair) for pair in pairs), shares=moved.shares)


def find_subject(company: Node, moved: Node) -> Node:
    """Return the choice's views in ``moved``."""
    if isinstance(company, str) or isinstance(moved, str):
        return moved
    pairs = zip(company.parts, moved.parts, strict=True)
    return next(find_subject(*pair) for pair in pairs if SUBJECT in list_views(pair[0]))


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
