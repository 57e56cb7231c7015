"""Layout of a tab's views as its user chooses it.

::

    view keys, menu, drag ─▶ wanted ─┬─▶ shown: what of it the profile has
                                     └─▶ arranged: to be kept
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.presenter.settings.trace_views import (
    SUBJECT,
    TRACE_VIEWS,
    accompany,
    find_subject,
    take_company,
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
    take_borders,
    take_place,
)

_OWN_TABLES = ("heap", "contention")
_FIRST = "flame"


class LayoutChoice(QObject):
    """Until the user puts a view beside another one, each choice has a layout of its own, a
    preset. In a layout of the user's, views are chosen for the one that has the keys. GUI thread.
    """

    changed = Signal()  # of what is shown
    arranged = Signal(object)  # ViewLayout, by the user; a preset = he has made none
    table_moved = Signal(float)  # the table beside a graph has this share of the width now

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.wanted = make_preset(_FIRST)
        self.shown = self.wanted  # what of it the profile has
        self._table_share: float | None = None  # None = as usual
        self.company: Node = SUBJECT  # what stands around every choice
        self._first_company: Node | None = None  # None = nothing ever does
        self._own_table = ""
        self._missing: frozenset[str] = frozenset()

    @property
    def is_arranged(self) -> bool:
        """Whether the user has put views beside each other."""
        return not self.wanted.preset

    def name_shown(self, view: str) -> str:
        """``DETAILS`` is the table that the sample type has."""
        return self._own_table or view if view == DETAILS else view

    def set_company(self, company: Node) -> None:
        """Views that stand around every choice, as in the tab of a memory trace; see
        ``trace_views``. The first one is that of ``reset``."""
        self.company = company
        self._first_company = self._first_company or company
        if not self.is_arranged:
            self._want(self._make_preset(self.wanted.preset))

    def set_table_share(self, share: float | None) -> None:
        """Place the border between a graph and its table; None = where it usually is."""
        self._table_share = share
        if self.wanted.preset:
            self._want(self._make_preset(self.wanted.preset))

    def take_facts(self, own_table: str, missing: frozenset[str]) -> None:
        """``own_table``: of the sample type, "" = it has none; ``missing``: views that the profile
        lacks. A layout keeps its place for what may come with other data."""
        self._own_table, self._missing = own_table, missing
        if self.is_arranged and self._find_shown() != self.shown:
            self._want(self.wanted)

    def choose(self, view: str) -> None:
        """A view, or ``both``: flame graph and table."""
        if not self.is_arranged:
            self._want(self._make_preset(view))
        elif view == "both":
            layout = choose(self.wanted, "flame")
            has_table = "top" in layout.views
            self._arrange(
                layout if has_table else focus(put(layout, "top", "flame", "right"), "flame")
            )
        else:
            self._arrange(choose(self._focus_wanted(), _name(view)))

    def put(self, view: str, side: Side, target: str = "") -> None:
        """A view to a side of another one; "" = of that which has the keys."""
        layout = self._focus_wanted()
        is_new = _name(view) not in layout.views
        if not is_new or layout.has_room:
            self._arrange(put(layout, _name(view), _name(target) or layout.focused, side))

    def take_place(self, view: str, target: str) -> None:
        """A view in the place of another; one that is there changes places with it."""
        self._arrange(take_place(self._focus_wanted(), _name(view), _name(target)))

    def close(self, view: str = "") -> None:
        """ "" = the view that has the keys; the last one stays."""
        if len(self.shown.views) > 1:
            layout = self._focus_wanted()
            self._arrange(close(layout, _name(view) or layout.focused))

    def keep_only(self) -> None:
        """The view that has the keys."""
        focused = self._focus_wanted().focused
        self._arrange(arrange(focused, focused))

    def reset(self) -> None:
        """Choose the layout of the very first start."""
        self.company = self._first_company or SUBJECT
        first = self._make_preset(_FIRST)
        self._want(first)
        self.arranged.emit(first)

    def restore(self, layout: ViewLayout) -> None:
        """One that was kept; the user has not just made it."""
        self._want(self._make_preset(layout.preset) if layout.preset else layout)

    def focus(self, view: str) -> None:
        """The keys go to this view now."""
        if (self.is_arranged or self._first_company is not None) and view != self.shown.focused:
            is_there = view in self.wanted.views
            self._want(focus(self.wanted, view if is_there else _name(view)))

    def grow(self, is_wider: bool, sign: int) -> None:
        """Give the view that has the keys more room (1) or less (-1)."""
        layout = self._focus_wanted()
        self._move(lambda shown: grow(shown, layout.focused, is_wider, sign))

    def move_border(self, path: tuple[int, ...], number: int, place: float) -> None:
        """See ``view_layout.move_border``; of what is shown."""
        self._move(lambda shown: move_border(shown, path, number, place))

    def _move(self, move: Callable[[ViewLayout], ViewLayout]) -> None:
        """The borders are those of what can be shown now."""
        if not self.is_arranged:
            moved = move(self.wanted)
            if moved.preset not in TRACE_VIEWS:
                subject = find_subject(self.company, moved.root)
                self.company = take_company(self.company, moved.root)
                share = find_share(replace(moved, root=subject), "top")
            self._want(moved)
            if "top" in moved.views and moved.preset != "top":
                self._table_share = share
                self.table_moved.emit(self._table_share)
            return
        if len(self.shown.views) == len(self.wanted.views):
            self._arrange(move(self.wanted))
        else:
            self._arrange(take_borders(self.wanted, move(self._name_shown())))

    def _name_shown(self) -> ViewLayout:
        """What is shown, as a layout that the user wants."""
        shown = self.shown
        own = self._own_table
        return take_place(shown, DETAILS, own) if own in shown.views else shown

    def _focus_wanted(self) -> ViewLayout:
        """The view that has the keys may stand for another one, which is missing."""
        if not self.is_arranged:
            return self._name_shown()
        return focus(self.wanted, _name(self.shown.focused))

    def _make_preset(self, view: str) -> ViewLayout:
        if self._table_share is None:
            preset = make_preset(view)
        else:
            preset = make_preset(view, self._table_share)
        if view in TRACE_VIEWS:
            return preset
        return replace(preset, root=accompany(self.company, preset.root))

    def _arrange(self, layout: ViewLayout) -> None:
        """Show a layout that the user made."""
        if layout.preset == DETAILS:
            layout = make_preset(self._own_table or _FIRST)
        if layout.preset:  # it was left alone
            self.company = SUBJECT
        self._want(layout)
        self.arranged.emit(layout)

    def _want(self, layout: ViewLayout) -> None:
        self.wanted = layout
        self.shown = self._find_shown()
        self.changed.emit()

    def _find_shown(self) -> ViewLayout:
        """A preset is as it is: the page says which of them there are."""
        if self.wanted.preset:
            return self.wanted
        return resolve(self.wanted, self._own_table, self._missing) or make_preset(_FIRST)


def _name(view: str) -> str:
    """In a layout of the user's, the table of a sample type gives way to that of another one."""
    return DETAILS if view in _OWN_TABLES else view
