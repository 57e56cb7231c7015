"""Tabs of memory traces; part of the composition root.

::

    Loader ─▶ MemoryTrace ─▶ TraceDocument ─▶ tab with TraceViews around its graph
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from stackglass_viewer.model.graph.search import exact_pattern
from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.demo import EXAMPLE
from stackglass_viewer.presenter.memory_trace.document import TraceDocument
from stackglass_viewer.presenter.memory_trace.subject import Brush, Wish
from stackglass_viewer.presenter.settings.palettes import GraphStyle
from stackglass_viewer.presenter.settings.trace_panes import TracePanes
from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.remotes import OpenTab
from stackglass_viewer.view.memory_trace.views import TraceTables, TraceViews
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.windows import Windows

_ABOUT_EXAMPLE = (
    "An example. Time runs to the right, addresses downwards. The teeth are photos that come and "
    "go; what stays after each is a cache that nothing empties. Click the curve or the map."
)


class Traces:
    """Opens memory traces in tabs. GUI thread."""

    def __init__(
        self, windows: Windows, style: Callable[[], GraphStyle], open_tab: OpenTab
    ) -> None:
        self._windows = windows
        self._style = style
        self._open_tab = open_tab

    def show(self, trace: MemoryTrace, path: str, *steps: Callable[[ProfilePage], object]) -> None:
        """Open a tab for a trace that the loader has opened. The tab closes the trace."""
        title = Path(path).name
        document = TraceDocument(trace, title, self._style(), self._windows)
        names = (title, make_printable(path))
        self._open_tab(document, names, partial(_begin, document, path), *steps)


def _begin(document: TraceDocument, path: str, page: ProfilePage) -> None:
    """Give the tab its views, and show the peak."""
    tables = TraceTables(
        document.classes,
        document.garbage,
        document.survivors,
        document.blocks.model,
        document.rate_rows,
    )
    views = page.add_bar(
        lambda theme, _: TraceViews(document.trace, tables, theme, page, page.area)
    )
    panes = TracePanes(page.layout_choice)
    views.bar.pane_chosen.connect(lambda pane: panes.show(pane))
    connect_trace(document, views)
    _connect_tables(document, views, page)
    document.start()
    if path == str(EXAMPLE):
        document.notices.put("example", Notice("info", _ABOUT_EXAMPLE))


def connect_trace(document: TraceDocument, views: TraceViews) -> None:
    """Connect the views of a memory trace: the values that they show, and the user's actions."""
    bar, cursor, choice, drawer = views.bar, document.cursor, document.map, document.drawer
    legend = views.side.legend
    document.wish_changed.connect(lambda wish: _show_wish(document, views, wish))
    document.subject_changed.connect(bar.show_subject)
    document.progress_changed.connect(bar.show_progress)
    document.palette_changed.connect(views.show_palette)
    cursor.moved.connect(views.show_cursor)
    cursor.playing_changed.connect(bar.show_playing)
    bar.kind_chosen.connect(document.choose_kind)
    bar.play_toggled.connect(cursor.play)
    bar.speed_chosen.connect(cursor.set_speed)
    bar.all_requested.connect(choice.show_all)
    choice.window_changed.connect(views.show_window)
    choice.window_changed.connect(lambda _: bar.show_zoomed(choice.is_zoomed))
    drawer.curve_changed.connect(views.curve.show_curve)
    drawer.picture_changed.connect(views.map.show_picture)
    drawer.picture_changed.connect(legend.show_picture)
    drawer.progress_changed.connect(legend.show_progress)
    legend.colouring_chosen.connect(choice.choose_colouring)
    legend.group_chosen.connect(choice.choose_group)
    for view in views.time_views:
        view.moment_chosen.connect(document.move_cursor)
        view.zoomed.connect(choice.zoom)
        view.panned.connect(choice.pan)
        view.all_requested.connect(choice.show_all)
        view.brush_dropped.connect(lambda: document.choose_brush(None))
        view.play_toggled.connect(lambda: cursor.play(not cursor.is_playing))
        view.width_changed.connect(lambda: _measure(document, views))
    for view in (views.curve, views.lanes, views.rates):
        view.brush_drawn.connect(lambda drawn: document.choose_brush(Brush(drawn[0], drawn[1])))
    views.map.addresses_drawn.connect(
        lambda drawn: document.choose_brush(_make_brush(document, drawn))
    )
    views.map.cell_chosen.connect(document.choose_cell)
    views.space.area_chosen.connect(document.blocks.choose_cell)
    views.shown_changed.connect(lambda _: _on_shown_changed(document, views))
    document.lanes.changed.connect(views.lanes.show_picture)
    document.state.changed.connect(views.space.show_state)
    document.statistics.changed.connect(views.side.show_statistics)
    document.statistics.changed.connect(lambda value: views.lanes.show_lanes(value.lanes))
    document.statistics.changed.connect(lambda value: views.garbage.show_bars(value.lifetimes))
    _connect_rates(document, views)
    legend.show_colouring(choice.colouring)
    bar.show_speed(cursor.speed)
    bar.show_zoomed(False)
    views.show_palette(document.palette)
    views.show_window(choice.window)
    views.show_cursor(cursor.time_ns)
    _watch(document, views)


def _connect_rates(document: TraceDocument, views: TraceViews) -> None:
    rates, legend = document.rates, views.side.rates
    rates.changed.connect(views.rates.show_chart)
    rates.changed.connect(legend.show_chart)
    rates.wish_changed.connect(legend.show_wish)
    legend.grouping_chosen.connect(rates.choose_grouping)
    legend.measure_chosen.connect(rates.choose_measure)
    legend.group_chosen.connect(rates.choose_group)
    views.rates.group_chosen.connect(rates.choose_group)
    legend.offer_lines(rates.has_lines)
    legend.show_wish(rates.wish)


def _connect_tables(document: TraceDocument, views: TraceViews, page: ProfilePage) -> None:
    blocks, side = document.blocks, views.side
    blocks.listed.connect(lambda about: _show_blocks(views, about, blocks.model.rowCount()))
    blocks.shown.connect(side.block.show_block)
    side.block.row_chosen.connect(blocks.choose_row)
    views.blocks.row_chosen.connect(blocks.choose_row)
    views.blocks.row_chosen.connect(side.block.show_row)
    views.garbage.row_activated.connect(lambda row: _search(page, document.garbage.line_at(row)))
    views.rate_rows.row_activated.connect(
        lambda row: _search(page, document.rate_rows.line_at(row))
    )
    views.survivors.row_activated.connect(
        lambda row: _search(page, document.survivors.line_at(row))
    )


def _show_blocks(views: TraceViews, about: str, n_rows: int) -> None:
    """Show the blocks of a cell. If there are none, the legend stays in their place."""
    views.side.block.show_list(about, n_rows)
    if n_rows:
        views.side.show_part("block")


def _show_wish(document: TraceDocument, views: TraceViews, wish: Wish) -> None:
    views.bar.show_kind(wish.kind)
    brush = wish.brush
    views.show_brush(None if brush is None else (brush.begin_ns, brush.end_ns))
    addresses = None if brush is None else brush.addresses
    axis = document.trace.axis
    positions = None
    if addresses is not None:
        positions = (axis.to_position(addresses[0]), axis.to_position(addresses[1]))
    views.map.show_addresses(positions)


def _make_brush(document: TraceDocument, drawn: tuple[int, int, int, int]) -> Brush:
    """Return a brush of times and addresses.

    ``drawn``: begin and end (ns), lowest and highest position on the map's axis.
    """
    begin_ns, end_ns, low, high = drawn
    axis = document.trace.axis
    addresses = (axis.to_address(low), axis.to_address(max(high - 1, low)) + 1)
    return Brush(begin_ns, end_ns, addresses)


def _measure(document: TraceDocument, views: TraceViews) -> None:
    """Ask for pictures in the size that the views have now. Curve and map are drawn together, as
    wide as the wider one."""
    rows, columns = views.map.shape_px
    curve_px = views.curve.picture_rect.width()
    if views.map.isHidden():
        columns = curve_px
    elif not views.curve.isHidden():
        columns = max(columns, curve_px)
    document.map.set_shape(rows, columns)
    document.lanes.set_width(views.lanes.picture_rect.width())
    document.rates.set_width(views.rates.picture_rect.width())


def _on_shown_changed(document: TraceDocument, views: TraceViews) -> None:
    """Ask for the pictures and data that the views shown now need."""
    _measure(document, views)
    _watch(document, views)


def _watch(document: TraceDocument, views: TraceViews) -> None:
    """Start or stop reading the data that is read only while its view is shown."""
    shown = views.shown
    document.state.watch(not shown.isdisjoint(("space", "classes")))
    document.lanes.watch("lanes" in shown)
    document.rates.watch(not shown.isdisjoint(("rates", "rate_rows")))


def _search(page: ProfilePage, line: LineName | None) -> None:
    """Search the flame graph for the function of a row that was double-clicked."""
    if line is not None and line.function:
        page.show_view("flame")
        page.search.set_pattern(exact_pattern(line.function))
