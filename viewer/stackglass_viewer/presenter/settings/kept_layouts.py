"""Layouts that the user made, kept from one run to the next: one for each kind of profile.

::

    {"cpu": {"focused": "flame",
             "views": {"beside": [["flame", 0.6],
                                  [{"below": [["top", 0.5], ["source", 0.5]]}, 0.4]]}}}
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import isfinite

from PySide6.QtCore import QSettings

from stackglass_viewer.presenter.settings.trace_views import TRACE_VIEWS
from stackglass_viewer.presenter.settings.view_layout import (
    DETAILS,
    MOST_PANES,
    Node,
    Split,
    ViewLayout,
    arrange,
)
from stackglass_viewer.presenter.settings.view_state import DocumentInfo

VIEWS = (
    *("flame", "top", "tree", "traces", DETAILS, "sandwich", "source", "labels", "summary"),
    *("graph", "time"),
    *TRACE_VIEWS,
)
"""All views that a layout can contain, in the order of their buttons."""
_KEY = "layouts"
_DEEPEST = 8  # depth of nested splits


class KeptLayouts:
    """Reads and stores layouts. Layouts that cannot be read (of a later version, or edited by hand)
    are left out. GUI thread."""

    def __init__(self, settings: QSettings) -> None:
        self._settings = settings

    def read(self, kind: str) -> ViewLayout | None:
        """Return the layout of a kind of profile; None = the user has made none."""
        return read_layout(self._read_all().get(kind))

    def store(self, kind: str, layout: ViewLayout | None) -> None:
        """Store a layout. None, or a layout of a single view, removes the stored one."""
        kept = self._read_all()
        kept.pop(kind, None)
        if layout is not None and not layout.preset:
            kept[kind] = write_layout(layout)
        if kept:
            self._settings.setValue(_KEY, json.dumps(kept))
        else:
            self._settings.remove(_KEY)

    def _read_all(self) -> dict[str, object]:
        try:
            stored = json.loads(str(self._settings.value(_KEY, "{}")))
        except (ValueError, RecursionError):
            return {}
        return stored if isinstance(stored, dict) else {}


def name_kind(info: DocumentInfo, is_memory_trace: bool) -> str:
    """Return the kind of profile that a tab shows: each kind has a layout."""
    if is_memory_trace:
        return "trace"
    if info.is_live:
        return "capture"
    if info.choice.heap is not None:
        return "heap"
    if info.choice.contention is not None:
        return "contention"
    return "cpu" if info.has_stacks else "functions"


def write_layout(layout: ViewLayout) -> dict[str, object]:
    """Return a layout as a value for JSON."""
    return {"focused": layout.focused, "views": _write(layout.root)}


def read_layout(stored: object) -> ViewLayout | None:
    """Return a stored layout; None = it cannot be read, or has fewer than two views."""
    match stored:
        case {"focused": str(focused), "views": views}:
            seen: set[str] = set()
            root = _read(views, seen, _DEEPEST)
            return arrange(root, focused) if isinstance(root, Split) else None
    return None


def _write(node: Node) -> object:
    if isinstance(node, str):
        return node
    pairs = zip(node.parts, node.shares, strict=True)
    return {
        "beside" if node.is_beside else "below": [
            [_write(part), round(share, 4)] for part, share in pairs
        ]
    }


def _read(stored: object, seen: set[str], depth: int) -> Node | None:
    """Return a view or split; None = nothing of it can be read."""
    match stored:
        case str(view) if view in VIEWS and view not in seen and len(seen) < MOST_PANES:
            seen.add(view)
            return view
        case {"beside": list(rows)} if depth:
            return _read_parts(True, rows, seen, depth - 1)
        case {"below": list(rows)} if depth:
            return _read_parts(False, rows, seen, depth - 1)
    return None


def _read_parts(is_beside: bool, rows: Sequence[object], seen: set[str], depth: int) -> Node | None:
    found: list[tuple[Node, float]] = []
    for row in rows:
        match row:
            case [part, int() | float() as share] if isfinite(share) and 0 < share <= 1:
                node = _read(part, seen, depth)
                if node is not None:
                    found.append((node, float(share)))
    if len(found) < 2:
        return found[0][0] if found else None
    whole = sum(share for _, share in found)
    return Split(
        is_beside, tuple(node for node, _ in found), tuple(share / whole for _, share in found)
    )
