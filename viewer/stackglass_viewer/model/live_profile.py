"""Live profile: collects the engine's messages while a session runs, and returns views of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Protocol

import numpy as np

from stackglass.errors import WireError
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.columns.wire_columns import check_equal
from stackglass_viewer.model.contention.live import LiveContention
from stackglass_viewer.model.contention.lock_waits import ListAsleep, WaitsTable, list_none_asleep
from stackglass_viewer.model.contention.snapshot import ContentionMoment
from stackglass_viewer.model.contention.waits_history import WaitsHistory, WaitsMoment
from stackglass_viewer.model.heap.live import LiveHeap
from stackglass_viewer.model.heap.type_census import TypeTable, build_types, check_census
from stackglass_viewer.model.live.custom import CustomMoment, LiveCustom
from stackglass_viewer.model.live.facts import SessionFacts
from stackglass_viewer.model.live.history import LiveHistory
from stackglass_viewer.model.live.labels import LiveLabels
from stackglass_viewer.model.live.message_history import MessageHistory, end_of_unit
from stackglass_viewer.model.live.samples import UNIT_NS, LiveSamples, make_rows
from stackglass_viewer.model.live.tables import DefinitionColumns, LiveTables
from stackglass_viewer.model.live.threads import LiveThreads, check_nodes
from stackglass_viewer.model.live.timed_stacks import TimedMoment
from stackglass_viewer.model.live.tree import LiveTree, NameNatives
from stackglass_viewer.model.live.view import (
    CPU,
    SAMPLE_TYPES,
    SAMPLES,
    THREADS,
    WALL,
    LiveMoment,
    LiveView,
    ThreadTotal,
    build_view,
    weigh_lost,
)
from stackglass_viewer.model.live.wall import LiveWall
from stackglass_viewer.model.memory.history import MemoryHistory, MemoryRecord
from stackglass_viewer.model.metrics.history import MetricsHistory, MetricsRecord
from stackglass_viewer.model.profile.label_table import LabelFilter, match_labels
from stackglass_viewer.model.profile.transforms import Transform
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.model.session_heap import SessionHeap
from stackglass_viewer.model.session_lines import LineRecorder, SessionLines

__all__ = [
    "CPU",
    "LOST_SAMPLES",
    "SAMPLES",
    "SAMPLE_TYPES",
    "THREADS",
    "WALL",
    "LiveProfile",
    "LiveView",
    "ThreadTotal",
]

LOST_SAMPLES = "<lost samples>"


class Recorder(LineRecorder, Protocol):
    """Records all that changes a session, in order, so that it can be replayed; never blocks."""

    def add_message(self, message: wire_pb2.FromEngine, names: Mapping[int, str]) -> None:
        """Record a message. ``names``: names of its machine code, from LiveTree.name_natives."""

    def add_clear(self) -> None:
        """Record that the samples so far were dropped."""


class LiveProfile:
    """Data of a session. One thread calls ``apply``; any thread may call the other methods."""

    def __init__(
        self,
        connected_mono_ns: int | None = None,
        name_natives: NameNatives | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        """``connected_mono_ns``: when the client connected, CLOCK_MONOTONIC; None = now. Earlier
        counts of the session are left out. ``name_natives``: called by ``apply``, which waits for
        it; None = machine code keeps the engine's names. ``recorder`` gets every message."""
        self._lock = threading.Lock()  # guards all below
        self._tree = LiveTree(name_natives)
        self._samples = LiveSamples()
        now_ns = time.monotonic_ns() if connected_mono_ns is None else connected_mono_ns
        self._history = LiveHistory(now_ns)
        self._heap = LiveHeap()
        self._contention = LiveContention()
        self._waits = WaitsHistory()
        self._censuses = MessageHistory()
        self._memory = MemoryHistory()
        self._metrics = MetricsHistory()
        self._threads = LiveThreads()
        self._labels = LiveLabels()
        self._wall = LiveWall()
        self._custom = LiveCustom()
        self.lines = SessionLines(self._lock, self._tree, recorder)
        self.heap = SessionHeap(self._lock, self._tree, self._labels, self._heap, self._memory)
        self._lost_node = self._tree.add_child(0, self._tree.add_frame(LOST_SAMPLES))
        self._executable = ""  # the program's file; "" = not known yet
        self._since = 0  # units; when the client connected, or last cleared
        self._recorder = recorder

    # -- the reader's thread

    def apply(
        self, message: wire_pb2.FromEngine, known_names: Mapping[int, str] | None = None
    ) -> None:
        """Add a message. ``known_names``: names of its machine code from a recording; None = look
        them up. Raises WireError if the message refers to something undefined."""
        names = known_names
        if names is None:  # without the lock: it may take seconds
            names = self._tree.name_natives(message.batch)
        with self._lock:
            if self._recorder is not None:
                self._recorder.add_message(message, names)
            match message.WhichOneof("message"):
                case "batch":
                    self._apply_batch(message.batch, names)
                case "status":
                    self._history.add_status(message.status)
                case "ready":
                    self._since = self._history.start(message.ready)
                    self._heap.start(is_joined=self._since > 0)
                    self._memory.start(message.ready)
                    self._metrics.start(message.ready)
                    self._contention.start(message.ready, self._since)
                    self._executable = message.ready.executable
                case "rates":
                    self._history.set_rates(message.rates.cpu_hz, message.rates.wall_hz)
                case "threads":
                    self._threads.add_snapshot(message.threads, self._n_nodes, self._labels)
                case "heap":
                    self._heap.add(message.heap, self._n_nodes, self._labels)
                    self._memory.add(message.heap, self._heap.view_buckets().rate)
                case "census":
                    check_census(message.census, len(self._tree.strings), len(self._heap))
                    self._censuses.add(message.census)
                case "contention":
                    strings, n_nodes = self._tree.strings, self._n_nodes
                    self._contention.add(message.contention, strings, n_nodes, self._labels)
                    self._threads.add_tids(set(message.contention.event_tid))
                case "contention_status":
                    self._contention.add_status(message.contention_status)
                    self._metrics.add_contention(message.contention_status)
                case "metrics":
                    self._metrics.add(message.metrics)
                case "custom_profiles":
                    self._custom.add(message.custom_profiles, self._n_nodes)
                case "lock_waits":
                    self._apply_waits(message.lock_waits)
                case "heap_status":
                    self._heap.add_status(message.heap_status)
                    self._memory.add_status(message.heap_status)

    def _apply_batch(self, batch: wire_pb2.Batch, names: Mapping[int, str]) -> None:
        self._tree.define(batch, names)
        self._threads.add(batch, self._tree.strings)
        self._labels.define(batch, self._tree.strings)
        columns = (
            batch.sample_node,
            batch.sample_tid,
            batch.sample_labels,
            batch.sample_time,
            batch.sample_count,
            batch.sample_cpu_ns,
        )
        check_equal(*columns)
        try:
            rows = make_rows(*columns)
        except OverflowError:
            raise WireError("a number in a sample is out of range") from None
        check_nodes(rows.node, self._n_nodes)
        self._samples.add(replace(rows, labels=self._labels.number(rows.labels)))
        self._wall.add(batch, self._tree, self._labels)
        self._threads.add_tids({*np.unique(rows.tid).tolist(), *batch.wall_tid})

    def _apply_waits(self, waits: wire_pb2.LockWaits) -> None:
        self._waits.add(waits, len(self._tree.strings), self._n_nodes)
        self._threads.add_tids({*waits.tid, *waits.holder_tid} - {0})

    @property
    def _n_nodes(self) -> int:
        """Number of stacks that the engine has sent."""
        return self._tree.wire_parent.n_rows

    # -- any thread

    def clear(self) -> None:
        """Drop all samples so far. The tree and the memory in use stay."""
        with self._lock:
            self._since = self._now()
            self._samples.clear()
            self._wall.clear()
            self._history.clear(self._since)
            self._heap.clear()
            self._contention.clear()
            if self._recorder is not None:
                self._recorder.add_clear()

    def snapshot(
        self,
        span_ns: int | None = None,
        tids: frozenset[int] | None = None,
        sample_type: TypeId = CPU,
        between: tuple[int, int] | None = None,
        labels: frozenset[LabelFilter] = frozenset(),
        has_rows: bool = False,
        transforms: tuple[Transform, ...] = (),
    ) -> LiveView:
        """Return a view of the last ``span_ns``; None = all, since the start or ``clear``.

        ``between``: two moments instead (units of 10 ms since the session's start); the view shows
        the smallest known span that contains them (``LiveView.between``). ``tids`` None = every
        thread. The other arguments are those of ``build_view``. Holds the lock while it takes
        references and, if samples were lost, adds up the others. Raises PatternError.
        """
        with self._lock:
            moment = self._capture(span_ns, between)
            lost = weigh_lost(moment, self._history)
        return build_view(moment, tids, sample_type, lost, labels, has_rows, transforms)

    def capture_contention(
        self,
        span_ns: int | None = None,
        tids: frozenset[int] | None = None,
        between: tuple[int, int] | None = None,
        has_delays: bool = False,
    ) -> ContentionMoment:
        """Return waits of the last ``span_ns``, None = all; or those that ended ``between`` two
        moments. ``has_delays``: also the longest waits and waits by size, if ``tids`` is None."""
        with self._lock:
            contention = self._contention
            span = contention.choose_span(span_ns, tids, between)
            return ContentionMoment(
                tree=self._tree.view(),
                node_of_wire=self._tree.node_of_wire(),
                definitions=self._tree.list_definitions(),
                labels=self._labels.view(),
                buckets=contention.view_buckets(),
                locks=contention.view_locks(),
                values=contention.take_values(span, has_delays),
                events=contention.list_events(),
                thread_names=dict(self._threads.names),
                span=span,
                now=contention.now,
                start_mono_ns=contention.start_mono_ns,
                before=contention.before,
            )

    def list_waits(
        self, list_asleep: ListAsleep = list_none_asleep, until: int | None = None
    ) -> WaitsTable | None:
        """Return the last snapshot of waiting threads; ``until``: the last up to this moment (units
        of 10 ms since the session's start); None = there was none. ``list_asleep``: sleep times."""
        with self._lock:
            moment = WaitsMoment(
                waits=self._waits.find(until, self._contention.start_mono_ns),
                locks=self._contention.view_locks(),
                definitions=self._tree.list_definitions(),
                thread_names=dict(self._threads.names),
                start_mono_ns=self._contention.start_mono_ns,
            )
        return moment.list_threads(list_asleep)

    def list_custom(self) -> tuple[str, ...]:
        """Return the names of the custom profiles, in the order in which they appeared."""
        with self._lock:
            return self._custom.names

    def capture_custom(self, name: str, until: int | None = None) -> CustomMoment:
        """Return a custom profile as it is now, or at a moment as in ``list_waits``."""
        with self._lock:
            until_ns = end_of_unit(until, self._contention.start_mono_ns)
            return CustomMoment(
                tree=self._tree.view(),
                node_of_wire=self._tree.node_of_wire(),
                definitions=self._tree.list_definitions(),
                rows=self._custom.list_rows(name, until_ns),
                time_mono_ns=self._custom.time_mono_ns,
                n_lost=self._custom.n_lost,
            )

    def capture_times(self, span: tuple[int, int] | None = None) -> TimedMoment:
        """Return all samples, or those of a span, in units, and the borders of their ages."""
        with self._lock:
            moment, cpu_ages = self._capture(None, span), self._samples.ages
            return TimedMoment(moment, cpu_ages, self._wall.samples.ages)

    def capture_memory(self) -> MemoryRecord:
        """Return the memory over time, of the whole session."""
        with self._lock:
            return self._memory.capture()

    def capture_metrics(self) -> MetricsRecord:
        """Return the engine's metrics over time, of the whole session."""
        with self._lock:
            return self._metrics.capture()

    def export(
        self,
        span_ns: int | None = None,
        tids: frozenset[int] | None = None,
        labels: frozenset[LabelFilter] = frozenset(),
        is_wall: bool = False,
        between: tuple[int, int] | None = None,
    ) -> LiveTables:
        """Return the tables of a file: the session's, and the samples of a span as in ``snapshot``.
        ``is_wall``: also samples of waiting threads; each sample is labelled with its state."""
        with self._lock:
            moment, names = self._capture(span_ns, between), self._tree.list_definitions()
            lost = weigh_lost(moment, self._history)
            is_whole = tids is None and not labels  # lost samples have no thread and no labels
            tables = LiveTables(
                **{name: getattr(names, name) for name in DefinitionColumns.__dataclass_fields__},
                parts=(),
                labels=moment.index_sets(WALL if is_wall else CPU),
                thread_names=moment.thread_names,
                starters=moment.starters,
                n_lost=lost[SAMPLES] if is_whole else 0,
                lost_cpu_ns=lost[CPU] if is_whole else 0,
                cpu_hz=self._history.cpu_hz,
                duration_ns=(moment.end - moment.begin) * UNIT_NS,
                begin_unix_ns=self._history.to_unix_ns(moment.begin),
                executable=self._executable,
                wall_hz=self._history.wall_hz if is_wall else None,
            )
        parts = [*moment.list_samples(WALL if is_wall else CPU)]
        if tids is not None:
            parts = [rows.choose(np.isin(rows.tid, sorted(tids))) for rows in parts]
        if labels:
            has = match_labels(tables.labels, labels)
            parts = [rows.choose(has[rows.list_sets(len(has))]) for rows in parts]
        return replace(tables, parts=tuple(parts))

    def list_types(self, until: int | None = None) -> TypeTable | None:
        """Return the last type census, or the last up to a moment as in ``list_waits``; None =
        there was none."""
        with self._lock:
            start_mono_ns = self._contention.start_mono_ns
            found = self._censuses.find(end_of_unit(until, start_mono_ns))
            if found is None:
                return None
            buckets, definitions = self._heap.view_buckets(), self._tree.list_definitions()
        census = wire_pb2.TypeCensus.FromString(found)
        return build_types(census, buckets, definitions, start_mono_ns)

    def list_definitions(self) -> DefinitionColumns:
        """Return the session's names and stacks as the engine sent them. Takes O(strings)."""
        with self._lock:
            return self._tree.list_definitions()

    @property
    def facts(self) -> SessionFacts:
        """What is known of the program so far."""
        with self._lock:
            return SessionFacts(self._executable, self._now(), self._tree.has_native)

    def to_unix_ns(self, mono_ns: int) -> int:
        """Return the wall clock of a moment of CLOCK_MONOTONIC; 0 = not known yet."""
        with self._lock:
            return self._history.mono_to_unix_ns(mono_ns)

    def _capture(self, span_ns: int | None, between: tuple[int, int] | None = None) -> LiveMoment:
        end = self._now()
        begin = self._since if span_ns is None else max(self._since, end - span_ns // UNIT_NS)
        if between is not None:
            begin, end = self._wall.samples.widen(*self._samples.widen(*sorted(between)))
            begin = max(begin, self._since)
            end = max(end, begin)
        until_ns = end_of_unit(between and max(between), self._contention.start_mono_ns)
        return LiveMoment(
            tree=self._tree.view(),
            node_of_wire=self._tree.node_of_wire(),
            lost_node=self._lost_node,
            tables=self._samples.list_tables(),
            begin=begin,
            end=end,
            is_all=span_ns is None and between is None,
            thread_names=dict(self._threads.names),
            starters=self._threads.name_starters(),
            stacks=self._threads.find_stacks(until_ns, self._n_nodes, self._labels),
            start_mono_ns=self._contention.start_mono_ns,
            labels=self._labels.view(),
            n_lost=self._history.count_lost(begin, end),
            end_unix_ns=self._history.to_unix_ns(end),
            wall=self._wall.capture(),
        )

    def _now(self) -> int:
        """Return the latest moment that the engine has reported, in units."""
        return max(self._samples.latest + 1, self._wall.samples.latest + 1, self._history.latest)
