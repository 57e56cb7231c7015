"""View of a session during a span of time: a tree, its values, its threads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, NodeId, TypeId
from stackglass_viewer.model.columns.packed_table import Tables
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues, add_up
from stackglass_viewer.model.graph.label_colours import LabelledRows, join_labelled
from stackglass_viewer.model.graph.transformed_tree import transform_tree
from stackglass_viewer.model.live.history import LiveHistory
from stackglass_viewer.model.live.samples import UNIT_NS, SampleRows, join
from stackglass_viewer.model.live.threads import Standing
from stackglass_viewer.model.live.wall import (
    WallRows,
    index_states,
    scale_waiting,
    sum_by_thread,
)
from stackglass_viewer.model.profile.label_table import LabelFilter, LabelIndex, find_valued
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
    is_shown: bool  # not filtered out
    starter: str = ""  # the Python thread that a thread of C code goes back to


@dataclass(frozen=True, slots=True, eq=False)
class LiveView:
    """A session at one moment. Immutable.

    Trees of one session keep their numbers: a node or frame keeps its number, and new ones follow.
    """

    tree: CallTree
    values: NodeValues
    sample_type: TypeId
    threads: tuple[ThreadTotal, ...]  # by thread id; all of the session, whatever is filtered
    n_lost: int  # samples that could not be stored, in the span
    span_ns: int  # the span shown: at most the requested one, and at most since the start or clear
    between: tuple[int, int]  # the same span, units of 10 ms since the session's start
    time_unix_ns: int  # wall clock at the end of the span; 0 = not known yet
    stood_at: int  # units; the snapshot of the threads' stacks; 0 = there was none
    rows: LabelledRows | None  # what is shown, by node and label set; None = not asked for
    tids: Int32s | None  # of the threads of those rows; 0 = not known
    labelled: LabelledValues  # of the shown threads, whatever labels are filtered for


@dataclass(frozen=True, slots=True, eq=False)
class Moment:
    """The data of a session at one moment. Immutable."""

    tree: CallTree
    node_of_wire: Int32s  # (n_wire_nodes,)
    lost_node: NodeId
    tables: Tables[SampleRows]  # of the whole session, since ``clear``
    begin: int  # units; rows before it are not part of the span
    end: int  # units
    is_all: bool  # every row is part of the span
    thread_names: Mapping[int, str]
    starters: Mapping[int, str]  # Python threads that threads of C code go back to
    standing: Standing  # where the threads stood at the end, by the last snapshot up to it
    start_mono_ns: int  # of the session
    labels: LabelIndex  # its bearers are the label sets
    n_lost: int  # in the span, by the engine's count
    end_unix_ns: int
    wall: WallRows  # of the whole session, since ``clear``

    def list_rows(self) -> Iterator[SampleRows]:
        """The span's rows, table by table."""
        return self._cut(self.tables)

    def list_waiting(self) -> SampleRows:
        """The span's threads that wait, by label sets of ``index_sets(WALL)``."""
        rows = join(self._cut(self.wall.tables))
        cpu_ns = sum_by_thread(self.list_rows())
        return scale_waiting(rows, self.wall.kinds, cpu_ns, self.labels.n_bearers)

    def index_sets(self, sample_type: TypeId) -> LabelIndex:
        """The label sets of a sample type's rows; those of wall samples have a state."""
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

    def count_filed(self) -> int:
        """Lost samples that the engine has sent rows for."""
        is_lost = self.node_of_wire == self.lost_node
        if not is_lost.any():
            return 0
        return sum(int(rows.count[is_lost[rows.node]].sum()) for rows in self.list_rows())


def build_view(
    moment: Moment,
    tids: frozenset[int] | None,
    sample_type: TypeId,
    weigh_lost: Mapping[TypeId, int],
    labels: frozenset[LabelFilter] = frozenset(),
    has_rows: bool = False,
    transforms: tuple[Transform, ...] = (),
) -> LiveView:
    """Sum up a span. ``weigh_lost`` is what lost samples without rows count, by sample type.
    ``has_rows``: with the rows of it, for colours. ``transforms``: steps that leave out or merge
    frames; threads are summed up without them. Raises PatternError.

    ``labels``: only samples with these, see ``find_valued``; none = every sample.
    """
    tree, node_of_wire, lost_node = transform_nodes(moment, transforms)
    known = np.array(sorted(moment.thread_names), dtype=np.int32)
    own_of_wire = np.zeros(len(node_of_wire), dtype=np.int64)
    of_thread = np.zeros(len(known), dtype=np.int64)
    index = moment.index_sets(sample_type)
    has_labels = find_valued(index, labels)
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
            shown.append(LabelledRows(node_of_wire[rows.node], sets, rows.weight))
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
        stood_at=max(moment.standing.time_mono_ns - moment.start_mono_ns, 0) // UNIT_NS,
        rows=join_labelled(shown) if has_rows else None,
        tids=np.concatenate([np.zeros(0, np.int32), *shown_tids]) if has_rows else None,
        labelled=LabelledValues(index, of_set, n_of_set, int(of_set.sum()) + lost, unit),
    )


def transform_nodes(
    moment: Moment, transforms: tuple[Transform, ...]
) -> tuple[CallTree, Int32s, NodeId]:
    """The tree after all steps, its node for each of the engine's, and for lost samples; −1 = what
    ends there is left out."""
    if not transforms:
        return moment.tree, moment.node_of_wire, moment.lost_node
    made = transform_tree(moment.tree, transforms)
    node_of_wire = made.node_of[moment.node_of_wire]
    return made.tree, node_of_wire, NodeId(int(made.node_of[moment.lost_node]))


def _list_lost(node: NodeId, lost: int) -> LabelledRows:
    """Set 0 has no labels."""
    rows = np.array([node] if lost else [], dtype=np.int32)
    return LabelledRows(rows, np.zeros_like(rows), np.full(len(rows), lost, dtype=np.int64))


def weigh_lost(moment: Moment, history: LiveHistory) -> dict[TypeId, int]:
    """Values, by sample type, of the lost samples that the engine has sent no rows for."""
    if moment.n_lost == 0:
        return {CPU: 0, SAMPLES: 0}
    n_hidden = max(moment.n_lost - moment.count_filed(), 0)
    sampled_ns = sum(int(rows.cpu_ns.sum()) for rows in moment.list_rows())
    cpu_ns = history.weigh_lost(moment.begin, moment.end, n_hidden, sampled_ns)
    return {CPU: cpu_ns, SAMPLES: n_hidden, WALL: cpu_ns}


@dataclass(frozen=True, slots=True, eq=False)
class _WeightedRows:
    """Columns of equal length."""

    tid: Int32s
    node: Int32s  # the engine's
    labels: Int32s
    weight: Int64s  # in the unit of the sample type
    count: Int64s

    def choose(self, which: Bools) -> _WeightedRows:
        """The rows of a mask."""
        return _WeightedRows(
            self.tid[which],
            self.node[which],
            self.labels[which],
            self.weight[which],
            self.count[which],
        )


def _list_weights(moment: Moment, sample_type: TypeId) -> Iterator[_WeightedRows]:
    """Table by table."""
    if sample_type == THREADS:
        standing = moment.standing
        once = np.ones(len(standing.node), dtype=np.int64)
        yield _WeightedRows(standing.tid, standing.node, standing.labels, once, once)
        return
    tables = [moment.list_waiting()] if sample_type == WALL else []
    for rows in chain(moment.list_rows(), tables):  # old rows are unpacked one table at a time
        weight = rows.count if sample_type == SAMPLES else rows.cpu_ns
        yield _WeightedRows(rows.tid, rows.node, rows.labels, weight, rows.count)


def _find(known: Int32s, tids: Int32s) -> Int32s:
    """The place of each of ``tids`` in ``known``, which has them all."""
    return np.searchsorted(known, tids).astype(np.int32)
