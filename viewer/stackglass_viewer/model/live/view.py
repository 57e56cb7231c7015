"""View of a session in a span of time: the call tree with its values, and the threads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, NodeId, TypeId, freeze
from stackglass_viewer.model.columns.packed_table import Tables
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues, add_up
from stackglass_viewer.model.graph.label_colours import LabelledRows, join_labelled
from stackglass_viewer.model.graph.transformed_tree import transform_tree
from stackglass_viewer.model.live.history import LiveHistory
from stackglass_viewer.model.live.samples import UNIT_NS, SampleRows, join
from stackglass_viewer.model.live.threads import ThreadStacks
from stackglass_viewer.model.live.wall import (
    WallRows,
    index_states,
    scale_waiting,
    sum_by_thread,
)
from stackglass_viewer.model.profile.label_table import LabelFilter, LabelIndex, match_labels
from stackglass_viewer.model.profile.label_values import LabelledValues
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.model.profile.transforms import Transform
from stackglass_viewer.native import _loops

CPU = TypeId(0)
SAMPLES = TypeId(1)
THREADS = TypeId(2)
WALL = TypeId(3)
SAMPLE_TYPES = (
    SampleType("cpu", "nanoseconds"),
    SampleType("samples", "count"),
    SampleType("threads", "count"),
    SampleType("wall", "nanoseconds"),
)


@dataclass(frozen=True, slots=True)
class ThreadTotal:
    """One thread's part of a view."""

    tid: int
    name: str  # "" = not known
    value: int  # in the unit of the view's sample type
    is_shown: bool  # the thread passes the thread filter
    starter: str = ""  # for a thread that C code started, the Python thread that led to the start


@dataclass(frozen=True, slots=True, eq=False)
class LiveView:
    """A session at one moment. Immutable.

    In all trees of one session, a node or frame has the same number; later trees have more of them.
    """

    tree: CallTree
    values: NodeValues
    sample_type: TypeId
    threads: tuple[ThreadTotal, ...]  # all threads of the session, by ID, whatever is filtered
    n_lost: int  # samples that could not be stored, in the span
    span_ns: int  # length of the span shown; shorter than requested if less is known
    between: tuple[int, int]  # the same span, units of 10 ms since the session's start
    time_unix_ns: int  # wall clock at the end of the span; 0 = not known yet
    stacks_at: int  # time of the last snapshot of the threads' stacks, units; 0 = there was none
    rows: LabelledRows | None  # the values shown, by node and label set; None = not requested
    tids: Int32s | None  # thread ID of each of those rows; 0 = not known
    labelled: LabelledValues  # values by label set of the shown threads, without label filters


@dataclass(frozen=True, slots=True, eq=False)
class LiveMoment:
    """The data of a session at one moment. Immutable."""

    tree: CallTree
    node_of_wire: Int32s  # (n_wire_nodes,)
    lost_node: NodeId
    tables: Tables[SampleRows]  # CPU samples of the whole session, since ``clear``
    begin: int  # begin of the span, units
    end: int  # end of the span, units
    is_all: bool  # every row is part of the span
    thread_names: Mapping[int, str]
    starters: Mapping[int, str]  # as in ``LiveTables``
    stacks: ThreadStacks  # the last snapshot of the threads' stacks up to the end of the span
    start_mono_ns: int  # the session's start
    labels: LabelIndex  # its bearers are the label sets
    n_lost: int  # samples lost in the span, by the engine's count
    end_unix_ns: int
    wall: WallRows  # wall samples of the whole session, since ``clear``

    def list_rows(self) -> Iterator[SampleRows]:
        """Yield the span's rows, table by table."""
        return self._cut(self.tables)

    def list_waiting(self) -> SampleRows:
        """Return the span's samples of waiting threads, with label sets of ``index_sets(WALL)``."""
        rows = join(self._cut(self.wall.tables))
        cpu_ns = sum_by_thread(self.list_rows())
        return scale_waiting(rows, self.wall.kinds, cpu_ns, self.labels.n_bearers)

    @property
    def has_wall(self) -> bool:
        """Whether any wall sample was recorded in the span."""
        return any(len(rows.node) for rows in self._cut(self.wall.tables))

    def list_samples(self, sample_type: TypeId) -> Iterator[SampleRows]:
        """Yield the span's samples that a sample type counts, table by table. CPU samples are part
        of the wall time, but not the wall time of a span without wall samples."""
        if sample_type != WALL:
            yield from self.list_rows()
        elif self.has_wall:
            yield from self.list_rows()
            yield self.list_waiting()

    def index_sets(self, sample_type: TypeId) -> LabelIndex:
        """Return the label sets for the rows of a sample type; those for WALL include the state."""
        if sample_type != WALL:
            return self.labels
        return index_states(self.labels, self.wall.kinds)

    def _cut(self, tables: Tables[SampleRows]) -> Iterator[SampleRows]:
        if self.is_all:
            yield from tables
            return
        for table in tables.list_near(self.begin, self.end - 1):
            is_inside = (table.time >= self.begin) & (table.time < self.end)
            if is_inside.all():
                yield table
            elif is_inside.any():
                yield table.choose(is_inside)

    def count_lost_in_rows(self) -> int:
        """Return the number of lost samples for which the engine has sent rows."""
        is_lost = self.node_of_wire == self.lost_node
        if not is_lost.any():
            return 0
        return sum(int(rows.count[is_lost[rows.node]].sum()) for rows in self.list_rows())


def build_view(
    moment: LiveMoment,
    tids: frozenset[int] | None,
    sample_type: TypeId,
    weigh_lost: Mapping[TypeId, int],
    labels: frozenset[LabelFilter] = frozenset(),
    has_rows: bool = False,
    transforms: tuple[Transform, ...] = (),
) -> LiveView:
    """Sum a span into a view. Raises PatternError.

    ``weigh_lost``: the value of lost samples without rows, by sample type. ``has_rows``: also
    return the rows, for colours. ``transforms``: steps that leave out or merge frames; the sums of
    threads ignore them. ``labels``: only samples that pass (``match_labels``); empty = all.
    """
    tree, node_of_wire, lost_node = transform_nodes(moment, transforms)
    known = np.array(sorted(moment.thread_names), dtype=np.int32)
    own_of_wire = np.zeros(len(node_of_wire), dtype=np.int64)
    of_thread = np.zeros(len(known), dtype=np.int64)
    index = moment.index_sets(sample_type)
    has_labels = match_labels(index, labels)
    of_set = np.zeros(index.n_bearers, dtype=np.int64)
    n_of_set = np.zeros(index.n_bearers, dtype=np.int64)
    shown: list[LabelledRows] = []
    shown_tids: list[Int32s] = []
    for rows in _list_weights(moment, sample_type):
        if len(known):
            _loops.sum_own(_find(known, rows.tid), rows.weight, of_thread)
        if tids is not None:
            rows = rows.choose(np.isin(rows.tid, np.array(sorted(tids), dtype=np.int32)))
        if transforms:
            rows = rows.choose(node_of_wire[rows.node] >= 0)
        # A set may be defined after the samples that refer to it: until then it has no labels.
        sets = np.where(rows.labels < len(of_set), rows.labels, 0).astype(np.int32)
        _loops.sum_own(sets, rows.weight, of_set)
        _loops.sum_own(sets, rows.count, n_of_set)
        if labels:
            is_chosen = has_labels[sets]
            rows, sets = rows.choose(is_chosen), sets[is_chosen]
        if has_rows:
            shown.append(_label_rows(node_of_wire[rows.node], sets, rows.weight.view()))
            shown_tids.append(rows.tid)
        _loops.sum_own(rows.node, rows.weight, own_of_wire)
    own = np.zeros(tree.n_nodes, dtype=np.int64)
    _loops.sum_own(np.maximum(node_of_wire, 0), own_of_wire, own)
    lost = weigh_lost.get(sample_type, 0) if tids is None and lost_node >= 0 else 0
    if not labels:
        own[lost_node] += lost
        shown.append(_list_lost(lost_node, lost))
        shown_tids.append(np.zeros(len(shown[-1].node), dtype=np.int32))
    unit = SAMPLE_TYPES[sample_type].unit
    tids_of_rows = np.concatenate([np.zeros(0, np.int32), *shown_tids])
    freeze(of_set, n_of_set, tids_of_rows)
    return LiveView(
        tree=tree,
        values=add_up(tree, own, unit),
        sample_type=sample_type,
        threads=tuple(
            ThreadTotal(
                tid,
                moment.thread_names[tid],
                value,
                tids is None or tid in tids,
                moment.starters.get(tid, ""),
            )
            for tid, value in zip(known.tolist(), of_thread.tolist(), strict=True)
        ),
        n_lost=moment.n_lost,
        span_ns=(moment.end - moment.begin) * UNIT_NS,
        between=(moment.begin, moment.end),
        time_unix_ns=moment.end_unix_ns,
        stacks_at=max(moment.stacks.time_mono_ns - moment.start_mono_ns, 0) // UNIT_NS,
        rows=join_labelled(shown) if has_rows else None,
        tids=tids_of_rows if has_rows else None,
        labelled=LabelledValues(index, of_set, n_of_set, int(of_set.sum()) + lost, unit),
    )


def transform_nodes(
    moment: LiveMoment, transforms: tuple[Transform, ...]
) -> tuple[CallTree, Int32s, NodeId]:
    """Return the tree after all steps, its node for each of the engine's, and its node for lost
    samples. Node −1 = samples that end there are left out."""
    if not transforms:
        return moment.tree, moment.node_of_wire, moment.lost_node
    made = transform_tree(moment.tree, transforms)
    node_of_wire = made.node_of[moment.node_of_wire]
    return made.tree, node_of_wire, NodeId(int(made.node_of[moment.lost_node]))


def _list_lost(node: NodeId, lost: int) -> LabelledRows:
    """Return the lost samples as a row without labels, or no row if their value is 0."""
    rows = np.array([node] if lost else [], dtype=np.int32)
    return _label_rows(rows, np.zeros_like(rows), np.full(len(rows), lost, dtype=np.int64))


def _label_rows(node: Int32s, bearer: Int32s, weight: Int64s) -> LabelledRows:
    """Return rows of these columns, which become read-only."""
    freeze(node, bearer, weight)
    return LabelledRows(node, bearer, weight)


def weigh_lost(moment: LiveMoment, history: LiveHistory) -> dict[TypeId, int]:
    """Return the value of the lost samples for which the engine has sent no rows, by sample
    type."""
    if moment.n_lost == 0:
        return {CPU: 0, SAMPLES: 0}
    n_hidden = max(moment.n_lost - moment.count_lost_in_rows(), 0)
    sampled_ns = sum(int(rows.cpu_ns.sum()) for rows in moment.list_rows())
    cpu_ns = history.weigh_lost(moment.begin, moment.end, n_hidden, sampled_ns)
    return {CPU: cpu_ns, SAMPLES: n_hidden, WALL: cpu_ns if moment.has_wall else 0}


@dataclass(frozen=True, slots=True, eq=False)
class _WeightedRows:
    """Samples weighted by a sample type: (n,) each."""

    tid: Int32s
    node: Int32s  # the engine's node
    labels: Int32s
    weight: Int64s  # in the unit of the sample type
    count: Int64s

    def choose(self, which: Bools) -> _WeightedRows:
        """Return the rows of a mask."""
        return _WeightedRows(
            self.tid[which],
            self.node[which],
            self.labels[which],
            self.weight[which],
            self.count[which],
        )


def _list_weights(moment: LiveMoment, sample_type: TypeId) -> Iterator[_WeightedRows]:
    """Yield the rows of a sample type in the span, table by table."""
    if sample_type == THREADS:
        stacks = moment.stacks
        once = np.ones(len(stacks.node), dtype=np.int64)
        yield _WeightedRows(stacks.tid, stacks.node, stacks.labels, once, once)
        return
    for rows in moment.list_samples(sample_type):  # old rows are unpacked one table at a time
        weight = rows.count if sample_type == SAMPLES else rows.cpu_ns
        yield _WeightedRows(rows.tid, rows.node, rows.labels, weight, rows.count)


def _find(known: Int32s, tids: Int32s) -> Int32s:
    """Return the index of each of ``tids`` in ``known``, which must contain them all."""
    return np.searchsorted(known, tids).astype(np.int32)
