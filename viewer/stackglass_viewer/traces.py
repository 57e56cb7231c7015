"""Tabs of memory traces; part of the composition root.

::

    Loader ─▶ MemoryTrace ─▶ TraceDocument ─▶ tab with a TracePanel above its graph
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from stackglass_viewer.model.graph.search import exact_pattern
from stackglass_viewer.model.live.line_names import LineName
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.presenter.demo import EXAMPLE
from stackglass_viewer.presenter.memory_trace.document import TraceDocument
from stackglass_viewer.presenter.memory_trace.subject import Brush, Wish
from stackglass_viewer.presenter.settings.palettes import GraphStyle
from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.remotes import OpenTab
from stackglass_viewer.view.memory_trace.panel import TracePanel, TraceTables
from stackglass_viewer.view.window.profile_page import ProfilePage
from stackglass_viewer.windows import Windows

_ABOUT_EXAMPLE = (
    "An example. Time runs to the right, addresses downwards. The teeth are photos that come and "
    "go; what stays after each is a cache that nothing empties. Click the curve or the map."
)


class Traces:
    """GUI thread."""

    def __init__(
        self, windows: Windows, style: Callable[[], GraphStyle], open_tab: OpenTab
    ) -> None:
        self._windows = windows
        self._style = style
        self._open_tab = open_tab

    def show(self, trace: MemoryTrace, path: str, *steps: Callable[[ProfilePage], object]) -> None:
        """The loader has opened it: open its tab, which closes it."""
        title = Path(path).name
        document = TraceDocument(trace, title, self._style(), self._windows)
        self._open_tab(document, (title, path), partial(_begin, document, path), *steps)


def _begin(document: TraceDocument, path: str, page: ProfilePage) -> None:
    """Give the tab its panel, and show the peak."""
    tables = TraceTables(
        document.classes,
        document.garbage,
        document.survivors,
        document.blocks.model,
        document.rate_rows,
    )
    panel = page.add_bar(partial(TracePanel, document.trace, tables))
    connect_trace(document, panel)
    _connect_tables(document, panel, page)
    document.start()
    if path == str(EXAMPLE):
        document.notices.put("example", Notice("info", _ABOUT_EXAMPLE))


def connect_trace(document: TraceDocument, panel: TracePanel) -> None:
    """The panel of a memory trace: what it shows, and what its user wants."""
    bar, cursor, choice, drawer = panel.bar, document.cursor, document.map, document.drawer
    legend = panel.side.legend
    document.wish_changed.connect(lambda wish: _show_wish(document, panel, wish))
    document.subject_changed.connect(bar.show_subject)
    document.progress_changed.connect(bar.show_progress)
    document.palette_changed.connect(panel.show_palette)
    cursor.moved.connect(panel.show_cursor)
    cursor.playing_changed.connect(bar.show_playing)
    bar.kind_chosen.connect(document.choose_kind)
    bar.play_toggled.connect(cursor.play)
    bar.speed_chosen.connect(cursor.set_speed)
    bar.all_requested.connect(choice.show_all)
    choice.window_changed.connect(panel.show_window)
    choice.window_changed.connect(lambda _: bar.show_zoomed(choice.is_zoomed))
    drawer.curve_changed.connect(panel.curve.show_curve)
    drawer.picture_changed.connect(panel.map.show_picture)
    drawer.picture_changed.connect(legend.show_picture)
    drawer.progress_changed.connect(legend.show_progress)
    legend.colouring_chosen.connect(choice.choose_colouring)
    legend.group_chosen.connect(choice.choose_group)
    for view in panel.time_views:
        view.moment_chosen.connect(document.move_cursor)
        view.zoomed.connect(choice.zoom)
        view.panned.connect(choice.pan)
        view.all_requested.connect(choice.show_all)
        view.brush_dropped.connect(lambda: document.choose_brush(None))
        view.play_toggled.connect(lambda: cursor.play(not cursor.is_playing))
        view.width_changed.connect(lambda: _measure(document, panel))
    for view in (panel.curve, panel.lanes, panel.rates):
        view.brush_drawn.connect(lambda drawn: document.choose_brush(Brush(drawn[0], drawn[1])))
    panel.map.addresses_drawn.connect(
        lambda drawn: document.choose_brush(_make_brush(document, drawn))
    )
    panel.map.cell_chosen.connect(document.choose_cell)
    panel.space.area_chosen.connect(document.blocks.choose_cell)
    panel.pane_shown.connect(lambda _: _watch(document, panel))
    document.lanes.changed.connect(panel.lanes.show_picture)
    document.state.changed.connect(panel.space.show_state)
    document.statistics.changed.connect(panel.side.show_statistics)
    document.statistics.changed.connect(lambda value: panel.lanes.show_lanes(value.lanes))
    document.statistics.changed.connect(lambda value: panel.garbage.show_bars(value.lifetimes))
    _connect_rates(document, panel)
    legend.show_colouring(choice.colouring)
    bar.show_speed(cursor.speed)
    bar.show_zoomed(False)
    panel.show_palette(document.palette)
    panel.show_window(choice.window)
    panel.show_cursor(cursor.time_ns)
    _watch(document, panel)


def _connect_rates(document: TraceDocument, panel: TracePanel) -> None:
    rates, legend = document.rates, panel.side.rates
    rates.changed.connect(panel.rates.show_chart)
    rates.changed.connect(legend.show_chart)
    rates.wish_changed.connect(legend.show_wish)
    legend.grouping_chosen.connect(rates.choose_grouping)
    legend.measure_chosen.connect(rates.choose_measure)
    legend.group_chosen.connect(rates.choose_group)
    panel.rates.group_chosen.connect(rates.choose_group)
    legend.offer_lines(rates.has_lines)
    legend.show_wish(rates.wish)


def _connect_tables(document: TraceDocument, panel: TracePanel, page: ProfilePage) -> None:
    blocks, side = document.blocks, panel.side
    blocks.listed.connect(lambda about: _show_blocks(panel, about, blocks.model.rowCount()))
    blocks.shown.connect(side.block.show_block)
    side.block.row_chosen.connect(blocks.choose_row)
    panel.blocks.row_chosen.connect(blocks.choose_row)
    panel.blocks.row_chosen.connect(side.block.show_row)
    panel.garbage.row_activated.connect(lambda row: _search(page, document.garbage.line_at(row)))
    panel.rate_rows.row_activated.connect(
        lambda row: _search(page, document.rate_rows.line_at(row))
    )
    panel.survivors.row_activated.connect(
        lambda row: _search(page, document.survivors.line_at(row))
    )


def _show_blocks(panel: TracePanel, about: str, n_rows: int) -> None:
    """The legend stays where a cell without blocks was clicked."""
    panel.side.block.show_list(about, n_rows)
    if n_rows:
        panel.side.show_part("block")


def _show_wish(document: TraceDocument, panel: TracePanel, wish: Wish) -> None:
    panel.bar.show_kind(wish.kind)
    brush = wish.brush
    panel.show_brush(None if brush is None else (brush.begin_ns, brush.end_ns))
    addresses = None if brush is None else brush.addresses
    axis = document.trace.axis
    positions = None
    if addresses is not None:
        positions = (axis.to_position(addresses[0]), axis.to_position(addresses[1]))
    panel.map.show_addresses(positions)


def _make_brush(document: TraceDocument, drawn: tuple[int, int, int, int]) -> Brush:
    """Of positions on the map's axis; of all that are visible, no address is meant."""
    begin_ns, end_ns, low, high = drawn
    axis = document.trace.axis
    addresses = (axis.to_address(low), axis.to_address(max(high - 1, low)) + 1)
    return Brush(begin_ns, end_ns, addresses)


def _measure(document: TraceDocument, panel: TracePanel) -> None:
    """There is more room, or less."""
    rows, columns = panel.map.shape_px
    columns = panel.curve.picture_rect.width()
    document.map.set_shape(rows, columns)
    document.lanes.set_width(columns)
    document.rates.set_width(columns)


def _watch(document: TraceDocument, panel: TracePanel) -> None:
    """What is read only while it is looked at."""
    pane = panel.pane
    document.state.watch(pane in ("space", "classes"))
    document.lanes.watch(pane == "lanes")
    document.rates.watch(pane in ("rates", "rate_rows"))


def _search(page: ProfilePage, line: LineName | None) -> None:
    """A row of a table was double-clicked: show its stacks."""
    if line is not None and line.function:
        page.show_view("flame")
        page.search.set_pattern(exact_pattern(line.function))
