"""Timelines of processes' tabs; part of the composition root.

pyqtgraph takes a fifth of a second to import. So it is imported for the first timeline, in short
steps between which events run. Half of the time goes into Qt's types, which PySide makes when they
are first looked up; these come first, then pyqtgraph's own modules.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from typing import TYPE_CHECKING

from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QTimer

from stackglass_viewer.gradual_import import import_gradually
from stackglass_viewer.presenter.gui_collector import Collector
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.timeline import Timeline
from stackglass_viewer.view.timeline.panel import TimelinePanel
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.window.profile_page import ProfilePage

if TYPE_CHECKING:  # ``plot`` imports pyqtgraph
    from stackglass_viewer.view.timeline.plot import TimelinePlot

_STEP_S = 0.005  # a third of the 16 ms that a handler may take


class Timelines:
    """Shows and hides the timelines of all tabs, and makes their plots. GUI thread."""

    def __init__(self, collector: Collector, find_theme: Callable[[], Theme]) -> None:
        """``find_theme`` returns the theme that the windows have now."""
        self._collector = collector
        self._find_theme = find_theme
        self._import: Generator[None, None, None] | None = None  # of pyqtgraph; None = not begun
        self._plot_class: type[TimelinePlot] | None = None
        self._timer = QTimer()
        self._timer.setInterval(0)
        self._timer.timeout.connect(self._go_on)
        self._waiting: dict[ProfilePage, LiveDocument] = {}  # to be plotted after the import
        self._plotted: set[ProfilePage] = set()  # have a plot, or will get one

    def show(self, document: LiveDocument, page: ProfilePage, is_shown: bool) -> None:
        """Show or hide a tab's timeline."""
        document.timeline.show(is_shown)
        if not is_shown or page in self._plotted:
            return
        self._plotted.add(page)
        self._waiting[page] = document
        if self._import is None:
            self._import = _prepare_import()
            self._collector.pause()  # an import makes objects by the hundred thousand
        self._timer.start()

    def forget(self, page: ProfilePage) -> None:
        """Forget a closed tab."""
        self._plotted.discard(page)
        self._waiting.pop(page, None)

    def stop(self) -> None:
        """Break off an import that is under way."""
        self._timer.stop()
        self._waiting.clear()
        if self._import is not None:
            self._import.close()

    def _go_on(self) -> None:
        """Run one incremental step."""
        end = time.perf_counter() + _STEP_S
        for _ in self._import or ():
            if time.perf_counter() > end:
                return
        self._timer.stop()
        if self._plot_class is None:
            self._plot_class = _import_plot()
            self._collector.freeze_and_resume()
            self._timer.start()  # the next step makes the plots
            return
        for page, document in self._waiting.items():
            self._make_plot(page, document, self._plot_class)
        self._waiting.clear()

    def _make_plot(
        self, page: ProfilePage, document: LiveDocument, plot_class: type[TimelinePlot]
    ) -> None:
        if page.live is None:
            return
        panel = page.live.timeline
        plot = plot_class(panel)

        def lay_out() -> None:
            plot.lay_out()
            QTimer.singleShot(0, panel, fill)

        def fill() -> None:
            plot.fill()
            QTimer.singleShot(0, panel, mark)

        def mark() -> None:
            plot.add_marks()
            plot.set_theme(self._find_theme())
            QTimer.singleShot(0, panel, add)

        def add() -> None:
            if page in self._plotted:
                panel.add_plot(plot)
                connect_timeline(document.timeline, panel, plot)
                document.status_changed.connect(panel.show_status)
                panel.show_status(document.status)

        QTimer.singleShot(0, panel, lay_out)  # five steps, with room for events between


def _prepare_import() -> Generator[None, None, None]:
    """Look up every name of three modules of Qt, which pyqtgraph copies, then import pyqtgraph.
    Yields after each step."""
    for module in (QtCore, QtGui, QtWidgets):
        for name in dir(module):
            getattr(module, name)
            yield
    yield from import_gradually("pyqtgraph", _STEP_S)


def _import_plot() -> type[TimelinePlot]:
    from stackglass_viewer.view.timeline.plot import TimelinePlot

    return TimelinePlot


def connect_timeline(timeline: Timeline, panel: TimelinePanel, plot: TimelinePlot) -> None:
    """Connect the plot of a process's memory with its panel and its values."""
    markers = timeline.markers
    timeline.picture_changed.connect(plot.show_picture)
    timeline.moment_changed.connect(panel.show_moment)
    markers.changed.connect(plot.show_marks)
    markers.changed.connect(panel.show_marks)
    panel.mode_chosen.connect(markers.choose_mode)
    plot.marker_moved.connect(markers.move)
    plot.marker_dropped.connect(markers.drop)
    plot.marker_stepped.connect(markers.step)
    plot.span_drawn.connect(markers.choose_span)
    plot.hovered.connect(timeline.hover)
    plot.zoomed.connect(timeline.zoom)
    plot.panned.connect(timeline.pan)
    plot.all_requested.connect(timeline.show_all)
    plot.escape_pressed.connect(lambda: markers.choose_mode("now"))
    plot.width_changed.connect(timeline.set_width)
    plot.show_marks(markers.marks)
    panel.show_marks(markers.marks)
    timeline.lane_chosen.connect(plot.lane.choose)
    timeline.lane_chosen.connect(panel.lane.show_choice)
    timeline.lane_changed.connect(plot.lane.show)
    timeline.lane_changed.connect(panel.lane.show_picture)
    timeline.lane_moment_changed.connect(panel.lane.show_moment)
    panel.lane.chosen.connect(timeline.choose_lane)
    timeline.announce_lane()
    if timeline.picture is not None:
        plot.show_picture(timeline.picture)
    if timeline.lane is not None:
        plot.lane.show(timeline.lane)
        panel.lane.show_picture(timeline.lane)
