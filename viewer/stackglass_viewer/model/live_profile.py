"""A profile that grows while a session runs: takes the engine's messages in, hands views out."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from stackglass.errors import WireError
from stackglass_viewer.model import wire_pb2
from stackglass_viewer.model.call_tree import CallTree, NodeValues, add_up
from stackglass_viewer.model.index import Int64s, TypeId, freeze
from stackglass_viewer.model.live_history import LiveHistory
from stackglass_viewer.model.live_samples import UNIT_NS, LiveSamples, SampleRows, join, make_rows
from stackglass_viewer.model.live_tables import LiveTables
from stackglass_viewer.model.live_tree import LiveTree
from stackglass_viewer.model.profile import SampleType

LOST_SAMPLES = "<lost samples>"
CPU = TypeId(0)
SAMPLES = TypeId(1)
THREADS = TypeId(2)
SAMPLE_TYPES = (
    SampleType("cpu", "nanoseconds"),
    SampleType("samples", "count"),
    SampleType("threads", "count"),
)


@dataclass(frozen=True, slots=True)
class ThreadTotal:
    """One thread's part of a view."""

    tid: int
    name: str  # "" = not known
    value: int  # in the unit of the view's sample type
    is_shown: bool  # not filtered out


@dataclass(frozen=True, slots=True, eq=False)
class LiveView:
    """What a session looks like at one moment. Immutable.

    Trees of one session keep their numbers: a node or frame stays what it is, new ones follow.
    """

    tree: CallTree
    values: NodeValues
    sample_type: TypeId
    threads: tuple[ThreadTotal, ...]  # by thread id; all of the session, whatever is filtered
    n_lost: int  # samples that could not be stored, in the span
    span_ns: int  # what is shown: at most what was asked for, at most since the start or clear
    time_unix_ns: int  # wall clock at the end of the span; 0 = not known yet


class LiveProfile:
    """One session. ``apply`` is for one thread; everything else for any."""

    def __init__(self, connected_mono_ns: int | None = None) -> None:
        """``connected_mono_ns``: when the client connected, CLOCK_MONOTONIC; None = now. What a
        session that was going on already had counted before is not ours."""
        self._lock = threading.Lock()  # guards all below
        self._tree = LiveTree()
        self._samples = LiveSamples()
        now_ns = time.monotonic_ns() if connected_mono_ns is None else connected_mono_ns
        self._history = LiveHistory(now_ns)
        self._thread_names: dict[int, str] = {}
        self._standing: tuple[Int64s, Int64s] = (np.empty(0, np.int64), np.empty(0, np.int64))
        self._lost_node = self._tree.add_child(0, self._tree.add_frame(LOST_SAMPLES))
        self._since = 0  # units; cleared then

    # -- the reader's thread

    def apply(self, message: wire_pb2.FromEngine) -> None:
        """Take in a message. Raises WireError if it refers to what was never defined."""
        with self._lock:
            match message.WhichOneof("message"):
                case "batch":
                    self._apply_batch(message.batch)
                case "status":
                    self._history.add_status(message.status)
                case "ready":
                    self._history.start(message.ready)
                case "rates":
                    self._history.set_rate(message.rates.cpu_hz)
                case "threads":
                    self._apply_threads(message.threads)

    def _apply_batch(self, batch: wire_pb2.Batch) -> None:
        self._tree.define(batch)
        strings = self._tree.strings
        for tid, name in zip(batch.thread_tid, batch.thread_name, strict=True):
            if name >= len(strings):
                raise WireError(f"a message refers to string {name}, and there are {len(strings)}")
            self._thread_names[tid] = strings[name]
        columns = (
            batch.sample_node,
            batch.sample_tid,
            batch.sample_labels,
            batch.sample_time,
            batch.sample_count,
            batch.sample_cpu_ns,
        )
        if len({len(column) for column in columns}) > 1:
            raise WireError("columns of one table differ in length")
        rows = make_rows(*(np.array(column, dtype=np.int64) for column in columns))
        self._check_nodes(rows.node)
        self._samples.add(rows)
        for tid in np.unique(rows.tid).tolist():
            self._thread_names.setdefault(tid, "")

    def _apply_threads(self, snapshot: wire_pb2.ThreadSnapshot) -> None:
        tids = np.array(snapshot.tid, dtype=np.int64)
        nodes = np.array(snapshot.node, dtype=np.int64)
        if len(tids) != len(nodes):
            raise WireError("columns of one table differ in length")
        self._check_nodes(nodes)
        freeze(tids, nodes)
        self._standing = (tids, nodes)

    def _check_nodes(self, nodes: Int64s) -> None:
        n_nodes = self._tree.wire_parent.n_rows
        if len(nodes) and int(nodes.max()) >= n_nodes:
            raise WireError(
                f"a message refers to stack {int(nodes.max())}, and there are {n_nodes}"
            )

    # -- any thread

    def clear(self) -> None:
        """Forget what was sampled so far; the tree and its numbers stay."""
        with self._lock:
            self._since = self._now()
            self._samples.clear()
            self._history.clear(self._since)

    def snapshot(
        self,
        span_ns: int | None = None,
        tids: frozenset[int] | None = None,
        sample_type: TypeId = CPU,
    ) -> LiveView:
        """What the last ``span_ns`` looked like; None = all, since the start or ``clear``.

        ``tids`` None = every thread. Holds the lock only to take references.
        """
        with self._lock:
            end = self._now()
            begin = self._since if span_ns is None else max(self._since, end - span_ns // UNIT_NS)
            tree, node_of_wire = self._tree.view(), self._tree.node_of_wire()
            tables = self._samples.list_tables()
            n_lost, lost_cpu_ns = self._history.count_lost(begin)
            names = dict(self._thread_names)
            standing = self._standing
            unix_ns = self._history.to_unix_ns(end)
        rows = join(_since(tables, begin if span_ns is not None else None))
        values = {CPU: rows.cpu_ns, SAMPLES: rows.count}
        if sample_type == THREADS:
            row_tids, nodes = standing
            weights = np.ones(len(nodes), dtype=np.int64)
        else:
            row_tids, nodes, weights = rows.tid, rows.node, values[sample_type]
        is_shown = _mask(row_tids, tids)
        own = np.zeros(tree.n_nodes, dtype=np.int64)
        shown = slice(None) if is_shown is None else is_shown
        np.add.at(own, node_of_wire[nodes[shown]], weights[shown])
        if tids is None and sample_type != THREADS:
            lost = (lost_cpu_ns - int(rows.cpu_ns.sum())) if sample_type == CPU else n_lost
            own[self._lost_node] += max(lost, 0)
        unit = SAMPLE_TYPES[sample_type].unit
        return LiveView(
            tree=tree,
            values=add_up(tree, own, unit),
            sample_type=sample_type,
            threads=_total_threads(names, row_tids, weights, tids),
            n_lost=n_lost,
            span_ns=(end - begin) * UNIT_NS,
            time_unix_ns=unix_ns,
        )

    def export(
        self, span_ns: int | None = None, tids: frozenset[int] | None = None
    ) -> LiveTables:
        """The session's own tables and the samples of a span, for a file."""
        with self._lock:
            end = self._now()
            begin = self._since if span_ns is None else max(self._since, end - span_ns // UNIT_NS)
            tree, tables = self._tree, self._samples.list_tables()
            n_lost, used_ns = self._history.count_lost(begin)
            rows = join(_since(tables, begin if span_ns is not None else None))
            lost_cpu_ns = max(used_ns - int(rows.cpu_ns.sum()), 0)
            is_shown = _mask(rows.tid, tids)
            return LiveTables(
                strings=tuple(tree.strings),
                function_name=tree.function_name.view(),
                function_system_name=tree.function_system_name.view(),
                function_filename=tree.function_filename.view(),
                function_start_line=tree.function_start_line.view(),
                location_function=tree.location_function.view(),
                location_line=tree.location_line.view(),
                node_parent=tree.wire_parent.view(),
                node_location=tree.wire_location.view(),
                rows=rows if is_shown is None else rows.choose(is_shown),
                thread_names=dict(self._thread_names),
                n_lost=n_lost if tids is None else 0,
                lost_cpu_ns=lost_cpu_ns if tids is None else 0,
                cpu_hz=self._history.cpu_hz,
                duration_ns=(end - begin) * UNIT_NS,
                begin_unix_ns=self._history.to_unix_ns(begin),
            )

    def _now(self) -> int:
        """Units; the latest moment the engine has told us of."""
        return max(self._samples.latest + 1, self._history.latest)


def _since(tables: Sequence[SampleRows], begin: int | None) -> list[SampleRows]:
    """Rows not older than ``begin``; None = all."""
    if begin is None:
        return list(tables)
    young = []
    for table in tables:
        is_young = table.time >= begin
        if is_young.all():
            young.append(table)
        elif is_young.any():
            young.append(table.choose(is_young))
    return young


def _mask(row_tids: Int64s, tids: frozenset[int] | None) -> np.ndarray | None:
    if tids is None:
        return None
    return np.isin(row_tids, np.array(sorted(tids), dtype=np.int64))


def _total_threads(
    names: dict[int, str], row_tids: Int64s, weights: Int64s, tids: frozenset[int] | None
) -> tuple[ThreadTotal, ...]:
    known = np.array(sorted({*names, *np.unique(row_tids).tolist()}), dtype=np.int64)
    sums = np.zeros(len(known), dtype=np.int64)
    np.add.at(sums, np.searchsorted(known, row_tids), weights)
    return tuple(
        ThreadTotal(tid, names.get(tid, ""), value, tids is None or tid in tids)
        for tid, value in zip(known.tolist(), sums.tolist(), strict=True)
    )
