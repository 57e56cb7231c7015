"""Layout choice of a tab: how its user arranges the views.

::

    view keys, menu, drag ─▶ wanted ─┬─▶ shown: the wanted views that the profile has
                                     └─▶ arranged: the layout to be kept
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.presenter.settings.trace_views import (
    CHOSEN,
    TRACE_VIEWS,
    find_chosen,
    insert_chosen,
    take_shares,
)
from stackglass_viewer.presenter.settings.view_layout import (
    DETAILS,
    Node,
    Side,
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
    swap_in,
    take_borders,
)

_OWN_TABLES = ("heap", "contention")
_FIRST = "flame"


class LayoutChoice(QObject):
    """The wanted layout and the shown one. GUI thread.

    Until the user puts a view beside another one, each choice has a layout of its own, a preset.
    In a layout that the user arranged, a chosen view gets the focus; a view that is not in the
    layout replaces the focused one.
    """

    changed = Signal()  # the shown layout has changed
    arranged = Signal(object)  # ViewLayout that the user made; a preset = there is none
    table_moved = Signal(float)  # new share of the width of the table beside a graph

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.wanted = make_preset(_FIRST)
        self.shown = self.wanted  # the wanted layout without missing views
        self._table_share: float | None = None  # None = the default
        self.outer: Node = CHOSEN  # the outer layout: the views around every preset
        self._first_outer: Node | None = None  # the first one that was set; None = none was set
        self._own_table = ""
        self._missing: frozenset[str] = frozenset()

    @property
    def is_arranged(self) -> bool:
        """Whether the user has put views beside each other."""
        return not self.wanted.preset

    def name_shown(self, view: str) -> str:
        """Return the view that is shown for ``view``: ``DETAILS`` is the sample type's table."""
        return self._own_table or view if view == DETAILS else view

    def set_outer(self, outer: Node) -> None:
        """Set the views around every preset, as in the tab of a memory trace; see ``trace_views``.
        ``reset`` restores the first ones."""
        self.outer = outer
        self._first_outer = self._first_outer or outer
        if not self.is_arranged:
            self._want(self._make_preset(self.wanted.preset))

    def set_table_share(self, share: float | None) -> None:
        """Set the table's share of the width beside a graph; None = the default."""
        self._table_share = share
        if self.wanted.preset:
            self._want(self._make_preset(self.wanted.preset))

    def set_available_views(self, own_table: str, missing: frozenset[str]) -> None:
        """Set which views there are. ``own_table``: the sample type's table, "" = it has none;
        ``missing``: views that the profile lacks. The wanted layout keeps their places."""
        self._own_table, self._missing = own_table, missing
        if self.is_arranged and self._find_shown() != self.shown:
            self._want(self.wanted)

    def choose(self, view: str) -> None:
        """Choose a view, or ``both``: flame graph and table."""
        if not self.is_arranged:
            self._want(self._make_preset(view))
        elif view == "both":
            layout = choose(self.wanted, "flame")
            has_table = "top" in layout.views
            self._arrange(
                layout if has_table else focus(put(layout, "top", "flame", "right"), "flame")
            )
        else:
            self._arrange(choose(self._focus_wanted(), _generalize(view)))

    def put(self, view: str, side: Side, target: str = "") -> None:
        """Put a view on a side of ``target``; "" = of the focused view."""
        layout = self._focus_wanted()
        is_new = _generalize(view) not in layout.views
        if not is_new or layout.has_room:
            neighbour = _generalize(target) or layout.focused
            self._arrange(put(layout, _generalize(view), neighbour, side))

    def swap_in(self, view: str, target: str) -> None:
        """Replace ``target`` by a view; a view that is there already trades places with it."""
        self._arrange(swap_in(self._focus_wanted(), _generalize(view), _generalize(target)))

    def close(self, view: str = "") -> None:
        """Close a view; "" = the focused one. The last view stays."""
        if len(self.shown.views) > 1:
            layout = self._focus_wanted()
            self._arrange(close(layout, _generalize(view) or layout.focused))

    def keep_only(self) -> None:
        """Close all views but the focused one."""
        focused = self._focus_wanted().focused
        self._arrange(arrange(focused, focused))

    def reset(self) -> None:
        """Restore the layout of the first start."""
        self.outer = self._first_outer or CHOSEN
        first = self._make_preset(_FIRST)
        self._want(first)
        self.arranged.emit(first)

    def restore(self, layout: ViewLayout) -> None:
        """Show a stored layout; ``arranged`` is not emitted."""
        self._want(self._make_preset(layout.preset) if layout.preset else layout)

    def focus(self, view: str) -> None:
        """Note that a view has the focus."""
        if (self.is_arranged or self._first_outer is not None) and view != self.shown.focused:
            is_there = view in self.wanted.views
            self._want(focus(self.wanted, view if is_there else _generalize(view)))

    def grow(self, is_wider: bool, sign: int) -> None:
        """Give the focused view more room (1) or less (-1)."""
        layout = self._focus_wanted()
        self._move(lambda shown: grow(shown, layout.focused, is_wider, sign))

    def move_border(self, path: tuple[int, ...], number: int, position: float) -> None:
        """Move a border of the shown layout; see ``view_layout.move_border``."""
        self._move(lambda shown: move_border(shown, path, number, position))

    def _move(self, move: Callable[[ViewLayout], ViewLayout]) -> None:
        """Move a border of the shown layout, and keep it for the wanted one."""
        if not self.is_arranged:
            moved = move(self.wanted)
            if moved.preset not in TRACE_VIEWS:
                chosen = find_chosen(self.outer, moved.root)
                self.outer = take_shares(self.outer, moved.root)
                share = find_share(replace(moved, root=chosen), "top")
            self._want(moved)
            if "top" in moved.views and moved.preset != "top":
                self._table_share = share
                self.table_moved.emit(self._table_share)
            return
        if len(self.shown.views) == len(self.wanted.views):
            self._arrange(move(self.wanted))
        else:
            self._arrange(take_borders(self.wanted, move(self._generalize_shown())))

    def _generalize_shown(self) -> ViewLayout:
        """Return the shown layout with ``DETAILS`` in place of the sample type's table."""
        shown = self.shown
        own = self._own_table
        return swap_in(shown, DETAILS, own) if own in shown.views else shown

    def _focus_wanted(self) -> ViewLayout:
        """Return the wanted layout with the focus of the shown one, which is on another view if the
        focused one is missing."""
        if not self.is_arranged:
            return self._generalize_shown()
        return focus(self.wanted, _generalize(self.shown.focused))

    def _make_preset(self, view: str) -> ViewLayout:
        if self._table_share is None:
            preset = make_preset(view)
        else:
            preset = make_preset(view, self._table_share)
        if view in TRACE_VIEWS:
            return preset
        return replace(preset, root=insert_chosen(self.outer, preset.root))

    def _arrange(self, layout: ViewLayout) -> None:
        """Show a layout that the user made."""
        if layout.preset:  # a single view is left
            self.outer = CHOSEN
            is_own = layout.preset == DETAILS
            layout = self._make_preset(self._own_table or _FIRST if is_own else layout.preset)
        self._want(layout)
        self.arranged.emit(layout)

    def _want(self, layout: ViewLayout) -> None:
        self.wanted = layout
        self.shown = self._find_shown()
        self.changed.emit()

    def _find_shown(self) -> ViewLayout:
        """Return the wanted layout without missing views. A preset stays as it is: its page shows
        the views that exist."""
        if self.wanted.preset:
            return self.wanted
        return resolve(self.wanted, self._own_table, self._missing) or make_preset(_FIRST)


def _generalize(view: str) -> str:
    """Return ``DETAILS`` for a sample type's own table, else the view itself."""
    return DETAILS if view in _OWN_TABLES else view
