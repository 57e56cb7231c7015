"""Contention of a session in some span, frozen at one moment, and its values in the call tree."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from stackglass.wire.contention_kinds import ContentionKind
from stackglass_viewer.model.columns.downsampling import AgedRows
from stackglass_viewer.model.columns.index import Bools, Int32s
from stackglass_viewer.model.columns.packed_table import Tables
from stackglass_viewer.model.contention.buckets import (
    CONTENTION_TYPES,
    ContentionBuckets,
    ContentionColumn,
    ContentionValues,
    Locks,
)
from stackglass_viewer.model.contention.live import ContentionSpan
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues, add_up
from stackglass_viewer.model.graph.label_colours import LabelledRows
from stackglass_viewer.model.graph.transformed_tree import transform_tree
from stackglass_viewer.model.live.samples import UNIT_NS
from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.model.profile.label_table import LabelFilter, LabelIndex, match_labels
from stackglass_viewer.model.profile.label_values import LabelledValues, sum_bearers
from stackglass_viewer.model.profile.transforms import Transform
from stackglass_viewer.model.proto import wire_pb2
from stackglass_viewer.native import _loops


@dataclass(frozen=True, slots=True)
class ContentionFilter:
    """A filter for waits of any kind."""

    lock: int = -1  # -1 = all; 0 = waits without an identified lock
    primitive: str = ""  # "" = all
    labels: frozenset[LabelFilter] = frozenset()  # see ``match_labels``; empty = all


ALL_WAITS = ContentionFilter()
MAX_OFFERED = 100


class Recorded(NamedTuple):
    """The engine's counts of events."""

    n_events: int = 0
    n_lost: int = 0
    n_lost_events: int = 0  # missing from the timeline and from spans, but not from the sums


NOTHING_RECORDED = Recorded()


@dataclass(frozen=True, slots=True)
class ContentionOffer:
    """The values that a filter can choose from. Immutable."""

    kinds: frozenset[ContentionKind]  # kinds with any record so far
    locks: tuple[tuple[int, str], ...]  # number and description, by delay, the largest first
    primitives: tuple[str, ...]
    before: Recorded = NOTHING_RECORDED  # before the client connected, or before the last clear


@dataclass(frozen=True, slots=True, eq=False)
class ContentionMoment:
    """The contention of a session at one moment. Immutable."""

    tree: CallTree
    node_of_wire: Int32s  # (n_wire_nodes,) the tree's node for each of the engine's
    definitions: DefinitionColumns  # as the engine sent them
    labels: LabelIndex  # the bearer of a label is the number of a label set
    buckets: ContentionBuckets
    locks: Locks
    values: ContentionValues
    events: Tables[AgedRows]  # of the whole session; values are count and ns
    thread_names: Mapping[int, str]  # by thread id; "" = not known
    span: ContentionSpan
    now: int  # units of 10 ms since the session's start; everything up to then is reported
    start_mono_ns: int  # CLOCK_MONOTONIC at time 0
    before: wire_pb2.ContentionStatus | None  # the engine's counts when counting began
    is_kept: Bools | None = None  # (n_buckets,) whether a bucket passes the filters; None = all

    @property
    def wall_ns(self) -> int:
        """The length of the span by the wall clock."""
        return max(self.span.until - self.span.after, 0) * UNIT_NS

    @property
    def begin_mono_ns(self) -> int:
        """CLOCK_MONOTONIC where the span begins."""
        return self.start_mono_ns + self.span.after * UNIT_NS

    def choose(self, kind: ContentionKind, wanted: ContentionFilter = ALL_WAITS) -> Bools:
        """Return the mask of the buckets of a kind that pass the filter: (n_buckets,)."""
        mask = self.buckets.are_of(kind)
        if self.is_kept is not None:
            mask &= self.is_kept
        if wanted.lock >= 0:
            mask &= self.buckets.lock == wanted.lock
        if wanted.primitive:
            strings = self.definitions.strings
            numbers = np.unique(self.buckets.primitive[mask])
            wanted_numbers = [n for n in numbers.tolist() if strings[n] == wanted.primitive]
            mask &= np.isin(self.buckets.primitive, wanted_numbers)
        if wanted.labels:
            mask &= self.have_labels(self.buckets.labels, wanted.labels)
        return mask

    def have_labels(self, sets: Int32s, labels: frozenset[LabelFilter]) -> Bools:
        """Return which of these label sets pass the filters: (n,)."""
        has_labels: Bools = match_labels(self.labels, labels)[sets]
        return has_labels

    def list_kinds(self) -> frozenset[ContentionKind]:
        """Return the kinds that have at least one bucket."""
        known = {int(kind) for kind in ContentionKind}
        kinds = np.unique(self.buckets.kind).tolist()
        return frozenset(ContentionKind(kind) for kind in kinds if kind in known)


def transform_contention(
    moment: ContentionMoment, transforms: Sequence[Transform]
) -> ContentionMoment:
    """Return the moment with some frames left out or merged. If the last function of a stack is
    merged into its caller, the stack ends in the caller. Any thread. Raises PatternError."""
    if not transforms:
        return moment
    made = transform_tree(moment.tree, transforms)
    node_of_wire, node = made.node_of[moment.node_of_wire], moment.buckets.node
    ends = made.find_ends(moment.node_of_wire, moment.definitions.node_parent)
    return replace(
        moment,
        tree=made.tree,
        node_of_wire=np.maximum(node_of_wire, 0),
        buckets=replace(moment.buckets, node=ends[node]),
        is_kept=node_of_wire[node] >= 0,
    )


def sum_contention(
    moment: ContentionMoment,
    kind: ContentionKind,
    column: ContentionColumn,
    wanted: ContentionFilter = ALL_WAITS,
) -> NodeValues:
    """Sum the counts or the delays of a kind into the tree. Any thread."""
    mask = moment.choose(kind, wanted)
    own = np.zeros(moment.tree.n_nodes, dtype=np.int64)
    nodes = moment.node_of_wire[moment.buckets.node[mask]]
    _loops.sum_own(nodes, np.ascontiguousarray(moment.values.columns[column][mask]), own)
    return add_up(moment.tree, own, CONTENTION_TYPES[column].unit)


def list_wait_labels(
    moment: ContentionMoment,
    kind: ContentionKind,
    column: ContentionColumn,
    wanted: ContentionFilter = ALL_WAITS,
) -> LabelledValues:
    """Return the counts or the delays of a kind by label set. Any thread."""
    mask = moment.choose(kind, wanted)
    weights = moment.values.columns[column][mask]
    unit = CONTENTION_TYPES[column].unit
    return sum_bearers(moment.labels, moment.buckets.labels[mask], weights, None, unit)


def list_wait_rows(
    moment: ContentionMoment,
    kind: ContentionKind,
    column: ContentionColumn,
    wanted: ContentionFilter = ALL_WAITS,
) -> LabelledRows:
    """Return the buckets of a kind with a count or delay, as rows of the tree. Any thread."""
    mask = moment.choose(kind, wanted)
    mask &= moment.values.columns[column] != 0
    node = moment.node_of_wire[moment.buckets.node[mask]]
    weights = moment.values.columns[column][mask]
    return LabelledRows(node, moment.buckets.labels[mask], weights)


def list_offer(moment: ContentionMoment, kind: ContentionKind) -> ContentionOffer:
    """Return the locks and primitives that waits of a kind can be filtered by. Any thread."""
    mask = moment.choose(kind)
    lock, strings = moment.buckets.lock[mask], moment.definitions.strings
    total = np.zeros(len(moment.locks) + 1, dtype=np.int64)
    delay = moment.values.columns[ContentionColumn.DELAY][mask]
    _loops.sum_own(lock, np.ascontiguousarray(delay), total)
    known = np.unique(lock[lock > 0])
    ranked = known[np.argsort(-total[known], kind="stable")][:MAX_OFFERED].tolist()
    primitives = {strings[name] for name in np.unique(moment.buckets.primitive[mask]).tolist()}
    return ContentionOffer(
        kinds=moment.list_kinds(),
        locks=tuple((number, moment.locks.describe(number)) for number in ranked),
        primitives=tuple(sorted(primitives - {""})),
        before=_count_recorded(moment.before),
    )


def _count_recorded(status: wire_pb2.ContentionStatus | None) -> Recorded:
    if status is None:
        return NOTHING_RECORDED
    return Recorded(status.n_events, status.n_lost, status.n_lost_events)


def sum_by_thread(
    moment: ContentionMoment, kind: ContentionKind, column: ContentionColumn
) -> dict[int, int]:
    """Return ``{tid: count or delay}`` in the span, also for threads not in ``span.tids``. Any
    thread."""
    mask = moment.choose(kind)
    span = moment.span
    totals = dict.fromkeys(moment.thread_names, 0)
    for rows in moment.events.list_near(span.after + 1, span.until):
        is_inside = mask[rows.bucket] & (rows.until > span.after)
        if span.until < moment.now:
            is_inside &= rows.until <= span.until
        tids, inverse = np.unique(rows.tid[is_inside], return_inverse=True)
        sums = np.zeros(len(tids), dtype=np.int64)
        values = np.ascontiguousarray(rows.values[column][is_inside])
        _loops.sum_own(inverse.astype(np.int32), values, sums)
        for tid, value in zip(tids.tolist(), sums.tolist(), strict=True):
            totals[tid] = totals.get(tid, 0) + value
    return totals
