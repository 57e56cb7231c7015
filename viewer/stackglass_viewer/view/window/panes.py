"""Panes: connect the layout of a tab's views to the view area, the heads and the rail's buttons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, QPoint, Signal

from stackglass_viewer.presenter.settings.kept_layouts import VIEWS
from stackglass_viewer.presenter.settings.layout_choice import LayoutChoice
from stackglass_viewer.presenter.settings.pane_places import Border
from stackglass_viewer.presenter.settings.trace_views import TRACE_VIEWS, make_outer
from stackglass_viewer.presenter.settings.view_layout import DETAILS
from stackglass_viewer.presenter.settings.view_state import DocumentInfo
from stackglass_viewer.view.widgets.view_rail import ViewRail, name_view
from stackglass_viewer.view.window.graph_views import GraphViews
from stackglass_viewer.view.window.head_menu import show_button_menu, show_head_menu
from stackglass_viewer.view.window.pane_head import PaneHead
from stackglass_viewer.view.window.table_views import TABLE_ENTRIES, TableViews
from stackglass_viewer.view.window.view_area import ViewArea

if TYPE_CHECKING:  # for start-up time: it imports all views of memory traces
    from stackglass_viewer.view.memory_trace.views import TraceViews

LATE_VIEWS = ("labels", "time", "tree", "traces")
"""Views that a profile may lack; only its data show whether it does."""


class Views(NamedTuple):
    """The two objects that make the views of a tab."""

    graphs: GraphViews
    tables: TableViews


class Panes(QObject):
    """Turns actions on heads, borders and buttons into layouts, and shows the layout."""

    focus_wanted = Signal()  # give the keyboard focus to the layout's focused view

    def __init__(
        self,
        choice: LayoutChoice,
        area: ViewArea,
        rail: ViewRail,
        views: Views,
        list_missing: Callable[[], frozenset[str]],
    ) -> None:
        super().__init__(area)
        self._choice, self._area, self._rail = choice, area, rail
        self._graphs, self._tables = views
        self._list_missing = list_missing
        self._trace: TraceViews | None = None
        area.focused.connect(choice.focus)
        area.border_dragged.connect(self._move_border)
        area.put_requested.connect(lambda view, side, target: choice.put(view, side, target))
        area.put_requested.connect(self.focus_wanted)
        area.swap_requested.connect(choice.swap_in)
        area.swap_requested.connect(self.focus_wanted)
        area.head_made.connect(self._connect_head)
        rail.dragged.connect(lambda view, point: area.show_drop(self._find(view), point))
        rail.dropped.connect(lambda view, point: area.drop(self._find(view), point))
        rail.menu_requested.connect(
            lambda view, point: show_button_menu(choice, self._find(view), point, area)
        )

    def add_trace(self, trace: TraceViews) -> None:
        """Add the views of a memory trace."""
        self._trace = trace
        trace.bar.beside_requested.connect(self._show_trace_menu)
        self._choice.set_outer(make_outer("map"))

    def show(self, own_table: str) -> None:
        """Show the current layout. ``own_table``: name of the sample type's table, "" = none."""
        layout = self._choice.shown
        self.press(layout.view if layout.view in TABLE_ENTRIES else own_table)
        shown = () if layout.preset else layout.views
        self._rail.mark([_name_button(view) for view in shown])
        graphs = self._graphs.show_layout(layout)
        tables = self._tables.show(layout.views, layout.focused)
        traced = self._trace.widgets if self._trace is not None else {}
        self._area.show_layout(layout, {**graphs, **tables, **traced})
        if self._trace is not None:
            self._trace.show_layout(layout)

    def press(self, own_table: str) -> None:
        """Press the button of the chosen view, and set the details button to ``own_table``."""
        self._rail.show_details(own_table)
        self._rail.choose(_name_button(self._choice.shown.view))

    def offer_views(self, info: DocumentInfo, has: Mapping[str, bool]) -> None:
        """Show the buttons of views that the profile has.

        ``has``: for each of ``LATE_VIEWS``, whether the profile has data for it.
        """
        has_graph = info.has_stacks or info.has_calls
        self._rail.set_visible(DETAILS, info.has_heap or info.has_contention)
        self._rail.set_visible("both", info.has_stacks)
        self._rail.set_visible("sandwich", has_graph)
        self._rail.set_visible("graph", has_graph)
        for view in LATE_VIEWS:
            self._rail.set_visible(view, has[view])

    def _connect_head(self, head: PaneHead) -> None:
        choice, area = self._choice, self._area
        head.chosen.connect(choice.focus)
        head.chosen.connect(self.focus_wanted)
        head.close_requested.connect(choice.close)
        head.close_requested.connect(self.focus_wanted)
        head.dragged.connect(area.show_drop)
        head.dropped.connect(area.drop)
        head.menu_requested.connect(self._show_menu)

    def _move_border(self, border: Border, position: float) -> None:
        self._choice.move_border(border.path, border.number, position)

    def _find(self, view: str) -> str:
        """Return the view that a button chooses; for the details button, it depends on the type."""
        return self._choice.name_shown(view)

    def _show_menu(self, view: str, point: QPoint) -> None:
        missing = self._list_missing()
        views = [self._find(name) for name in VIEWS if name not in missing]
        self._show_views(view, views, point)

    def _show_trace_menu(self, point: QPoint) -> None:
        self._show_views(self._choice.shown.focused, TRACE_VIEWS, point)

    def _show_views(self, view: str, views: Iterable[str], point: QPoint) -> None:
        titled = [(name_view(name)[0], name) for name in views]
        show_head_menu(self._choice, view, titled, point, self._area)


def _name_button(view: str) -> str:
    return DETAILS if view in TABLE_ENTRIES else view
