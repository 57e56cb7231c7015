"""Document of a memory trace: its map, its cursor, and the profile of a moment or a span.

::

    cursor, brush, choice ─▶ Wish ─▶ TraceSource, on the worker ─▶ graph and table, as of any file
    window, colours ───────▶ MapChoice ─▶ MapDrawer, a thread of its own ─▶ curve and map
    cursor, a click ───────▶ MomentState, BlockChoice, a thread of their own
"""

from __future__ import annotations

import threading
from dataclasses import fields, replace

from PySide6.QtCore import QObject, Qt, Signal, Slot

from stackglass_viewer.model.errors import CancelledError
from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.sources import Built
from stackglass_viewer.presenter.memory_trace.block_choice import BlockChoice, MapCell
from stackglass_viewer.presenter.memory_trace.cursor import Cursor
from stackglass_viewer.presenter.memory_trace.lane_drawer import LaneDrawer
from stackglass_viewer.presenter.memory_trace.map_choice import MapChoice
from stackglass_viewer.presenter.memory_trace.map_drawer import MapDrawer, MapPaint
from stackglass_viewer.presenter.memory_trace.map_groups import suggest_colouring
from stackglass_viewer.presenter.memory_trace.moment_state import MomentState
from stackglass_viewer.presenter.memory_trace.rate_drawer import RateDrawer
from stackglass_viewer.presenter.memory_trace.source import PEAK, TraceRequest, TraceSource
from stackglass_viewer.presenter.memory_trace.statistics import Statistics, TraceStatistics
from stackglass_viewer.presenter.memory_trace.subject import Brush, SubjectKind, Wish
from stackglass_viewer.presenter.memory_trace.turns import Turns
from stackglass_viewer.presenter.settings.palettes import GraphStyle
from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.presenter.tables.class_model import ClassModel
from stackglass_viewer.presenter.tables.rate_model import RateModel
from stackglass_viewer.presenter.tables.site_models import GarbageModel, SurvivorModel
from stackglass_viewer.presenter.worker import Worker

_MIN_STEP = 0.02  # share of the whole between two reports; smaller steps are not worth a signal


class TraceDocument(Document):
    """The tab of a memory trace. GUI thread, like every document.

    ``wish`` is the moment or span to show. Its profile is built on the document's worker like
    that of a file; a report of progress stops the build if the wish has changed meanwhile.
    """

    wish_changed = Signal(object)  # Wish: the moment or span that is to be shown
    subject_changed = Signal(str)  # a sentence about the moment or span that is shown
    palette_changed = Signal(object)  # Palette
    progress_changed = Signal(object)  # share read, 0 … 1; None = nothing is being read

    _reported = Signal(float)

    def __init__(
        self, trace: MemoryTrace, title: str, style: GraphStyle, parent: QObject | None = None
    ) -> None:
        self.title = title
        self.trace = trace
        self._turns = Turns()
        self._profiles = TraceSource(trace, title, self._turns)
        super().__init__(self._profiles, style, parent)
        self._profiles.progress = self._report
        self._wish = PEAK  # the newest wish; the worker's thread reads it, too
        self._is_leaving = threading.Event()
        self._reported_share = 0.0
        self._asker = Worker("memory moments", self)
        index = trace.index
        self.cursor = Cursor((index.begin_ns, index.end.time_ns), self)
        self.drawer = MapDrawer(trace, self._turns, MapPaint(style.palette), self)
        colouring = suggest_colouring(index.rates, trace.info.has_stacks)
        self.map = MapChoice(trace.whole, self.drawer, style.palette, colouring, self)
        self.state = MomentState(trace, self._turns, self._asker, self)
        self.blocks = BlockChoice(trace, self._turns, self._asker, self)
        self.statistics = Statistics(trace, self._turns, self._asker, self)
        self.classes = ClassModel(self)
        self.garbage = GarbageModel(self)
        self.survivors = SurvivorModel(self)
        self.lanes = LaneDrawer(self._asker, self)
        self.lanes.show_window(trace.whole)
        self.map.window_changed.connect(self.lanes.show_window)
        self.rates = RateDrawer(trace, style.palette, self._asker, self)
        self.map.window_changed.connect(self.rates.show_window)
        self.rate_rows = RateModel(self)
        self.rates.table_changed.connect(self.rate_rows.set_table)
        self.statistics.changed.connect(self._on_statistics)
        self.state.changed.connect(lambda state: self.classes.set_table(state.classes))
        self.cursor.move(index.peak.time_ns)
        self.state.set_time(self.cursor.time_ns)
        self.cursor.moved.connect(self._on_moved)
        self._reported.connect(self._on_reported, Qt.ConnectionType.QueuedConnection)
        for part in (self.drawer, self.state, self.blocks, self.statistics, self.rates):
            part.failed.connect(
                lambda text: self.notices.put("memory trace", Notice("error", text))
            )

    @property
    def palette(self) -> Palette:
        """The colours of graphs and maps."""
        return self._style.palette

    @property
    def wish(self) -> Wish:
        """The moment or span that is to be shown."""
        return self._wish

    def start(self) -> None:
        """Show the peak, and read the statistics."""
        self.wish_changed.emit(self._wish)
        self.statistics.read()
        self.build()

    # -- what is shown

    def choose_kind(self, kind: SubjectKind) -> None:
        """Show the peak, the moment at the cursor, or the allocations in the brush. Playing shows
        moments, so it ends with any other kind."""
        if kind is not SubjectKind.MOMENT:
            self.cursor.play(False)
        if kind is SubjectKind.PEAK:
            self.cursor.move(self.trace.index.peak.time_ns)
        self._choose(Wish(kind, self.cursor.time_ns, self._wish.brush))

    def move_cursor(self, time_ns: int) -> None:
        """Show the blocks that live at a time."""
        self.cursor.move(time_ns)
        self._choose(Wish(SubjectKind.MOMENT, self.cursor.time_ns, self._wish.brush))

    def choose_brush(self, brush: Brush | None) -> None:
        """Show the allocations in a span of time and addresses; None = in the whole trace. Playing,
        which shows moments, ends with a new brush."""
        kind = self._wish.kind
        if brush is not None:
            self.cursor.play(False)
        if brush is not None and kind is not SubjectKind.LEAKS:
            kind = SubjectKind.SPAN
        self._choose(Wish(kind, self._wish.cursor_ns, brush))

    def choose_cell(self, cell: MapCell) -> None:
        """List the blocks of a cell, and show the blocks that live at its time."""
        self.move_cursor(cell.time_ns)
        self.blocks.choose_cell(cell)

    def _on_statistics(self, value: TraceStatistics) -> None:
        self.lanes.set_table(value.lanes)
        self.garbage.set_table(value.garbage)
        self.survivors.set_table(value.survivors)

    def _on_moved(self, time_ns: int) -> None:
        self.state.set_time(time_ns)
        if self.cursor.is_playing:
            self.map.follow(time_ns)
            self._choose(Wish(SubjectKind.MOMENT, time_ns, self._wish.brush))

    def _choose(self, wish: Wish) -> None:
        if wish == self._wish:
            return
        old, self._wish = self._wish, wish
        is_span = wish.kind is SubjectKind.SPAN
        self.wish_changed.emit(wish)
        if is_span != (old.kind is SubjectKind.SPAN):
            self.heap.choose_measure(not is_span, None)  # this starts a build
        elif _drop_unused(wish) != _drop_unused(old):
            self.build()

    def choose_style(self, style: GraphStyle) -> None:
        super().choose_style(style)
        self.map.choose_palette(style.palette)
        self.rates.choose_palette(style.palette)
        self.palette_changed.emit(style.palette)

    def _refresh_front(self) -> None:
        self.map.show(True)

    def set_front(self, is_front: bool) -> None:
        super().set_front(is_front)
        if not is_front:
            self.cursor.play(False)
            self.map.show(False)

    # -- building

    def _request(self) -> BuildRequest:
        plain = super()._request()
        values = {field.name: getattr(plain, field.name) for field in fields(plain)}
        return TraceRequest(**values, wish=_drop_unused(self._wish))

    def _on_built(self, built: Built, request: BuildRequest) -> None:
        self._end_progress()
        super()._on_built(built, request)
        if isinstance(request, TraceRequest):
            self.subject_changed.emit(self._profiles.describe(request.wish))

    def _on_failed(self, error: Exception) -> None:
        self._end_progress()
        if not isinstance(error, CancelledError):  # cancelled: another subject was requested
            super()._on_failed(error)

    def _report(self, wish: Wish, share: float) -> bool:
        """Report progress from the worker's thread. Returns whether reading is to go on."""
        if share < self._reported_share or share - self._reported_share >= _MIN_STEP:
            self._reported_share = share
            self._reported.emit(share)
        return wish == _drop_unused(self._wish) and not self._is_leaving.is_set()

    @Slot(float)
    def _on_reported(self, share: float) -> None:
        if self.is_building:
            self.progress_changed.emit(share)

    def _end_progress(self) -> None:
        self._reported_share = 0.0
        self.progress_changed.emit(None)

    # -- the end

    def leave(self) -> None:
        self._is_leaving.set()
        self.cursor.play(False)
        for emitter in (
            self.cursor,
            self.map,
            self.state,
            self.blocks,
            self.statistics,
            self.lanes,
            self.rates,
        ):
            emitter.blockSignals(True)
        super().leave()
        self._asker.leave()
        self.drawer.leave()

    def wait(self) -> None:
        super().wait()
        self._asker.wait()
        self.drawer.wait()
        self.state.forget()
        self.statistics.forget()
        self._profiles.forget()
        self.trace.close()


def _drop_unused(wish: Wish) -> Wish:
    """Return a wish without the fields that its kind does not use, so that equal subjects have
    equal wishes."""
    if wish.kind is SubjectKind.PEAK:
        return PEAK
    if wish.kind is SubjectKind.MOMENT:
        return replace(wish, brush=None)
    return replace(wish, cursor_ns=0)
