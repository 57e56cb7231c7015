"""Wall samples of a live session: threads that wait, by stack, thread, labels and state.

The time of running threads is in the CPU samples; wall samples add the threads that wait. A span
without wall samples has no wall time, however many CPU samples it has. When a thread was sampled as
running or waiting for a processor, its CPU time counts as running, and only the rest of these
samples counts as waiting for a processor.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stackglass.errors import WireError
from stackglass.wire.definitions import Line
from stackglass.wire.system_calls import name_call
from stackglass.wire.thread_states import (
    IDLE,
    IN_CALL,
    RUNNING,
    THREAD_STATES,
    WAITING_FOR_PROCESSOR,
    is_idle,
)
from stackglass_viewer.model.columns.index import Bools, Int64s, freeze
from stackglass_viewer.model.columns.packed_table import Tables
from stackglass_viewer.model.columns.wire_columns import check_equal
from stackglass_viewer.model.live.labels import LiveLabels
from stackglass_viewer.model.live.samples import LiveSamples, SampleRows, make_rows
from stackglass_viewer.model.live.threads import check_nodes
from stackglass_viewer.model.live.tree import LiveTree
from stackglass_viewer.model.profile.label_table import Label, LabelFilter, LabelIndex
from stackglass_viewer.model.proto import wire_pb2

STATE = "state"
CALL = "call"
OF_WALL = frozenset((STATE, CALL))
"""Keys of labels that only wall samples have."""
_RUNNING = THREAD_STATES.index(RUNNING)
_FOR_PROCESSOR = THREAD_STATES.index(WAITING_FOR_PROCESSOR)
_Kind = tuple[int, str, int]  # label set, state, and 1 + number of the system call, or 0


@dataclass(frozen=True, slots=True, eq=False)
class WallRows:
    """Wall samples. The column ``labels`` of the rows has indices into ``kinds``. Immutable."""

    tables: Tables[SampleRows]
    kinds: Sequence[_Kind]


class LiveWall:
    """The wall samples so far. The owner's lock guards all methods."""

    def __init__(self) -> None:
        self.samples = LiveSamples()
        self._numbers: dict[_Kind, int] = {}
        self._kinds: tuple[_Kind, ...] = ()  # the keys of ``_numbers`` at the last ``capture``
        self._idle: dict[tuple[int, int], bool] = {}  # by node and state

    def add(self, batch: wire_pb2.Batch, tree: LiveTree, labels: LiveLabels) -> None:
        """Add the wall samples of a batch. Raises WireError."""
        columns = (batch.wall_node, batch.wall_tid, batch.wall_time, batch.wall_count)
        check_equal(*columns, batch.wall_labels, batch.wall_ns, batch.wall_state, batch.wall_call)
        if not batch.wall_node:
            return
        try:
            sets = labels.number(np.array(batch.wall_labels, dtype=np.int64))
            state = np.array(batch.wall_state, dtype=np.int64)
            call = np.array(batch.wall_call, dtype=np.int64)
            node, tid, time, count = columns
            rows = make_rows(node, tid, sets, time, count, batch.wall_ns)
        except OverflowError:
            raise WireError("a number in a wall sample is out of range") from None
        check_nodes(rows.node, tree.wire_parent.n_rows)
        if int(state.max()) >= len(THREAD_STATES):
            raise WireError(f"a wall sample has the state {int(state.max())}, which is not defined")
        keys = zip(rows.node.tolist(), sets.tolist(), state.tolist(), call.tolist(), strict=True)
        kinds = np.array([self._number(tree, *key) for key in keys], dtype=np.int32)
        self.samples.add(make_rows(rows.node, rows.tid, kinds, rows.time, rows.count, rows.cpu_ns))

    def capture(self) -> WallRows:
        """Return all rows since the last ``clear``."""
        if len(self._kinds) != len(self._numbers):
            self._kinds = tuple(self._numbers)
        return WallRows(self.samples.list_tables(), self._kinds)

    def clear(self) -> None:
        """Drop all rows."""
        self.samples.clear()

    def _number(self, tree: LiveTree, node: int, label_set: int, state: int, call: int) -> int:
        name = IDLE if self._is_idle(tree, node, state) else THREAD_STATES[state]
        kind = (label_set, name, call if name == IN_CALL else 0)
        return self._numbers.setdefault(kind, len(self._numbers))

    def _is_idle(self, tree: LiveTree, node: int, state: int) -> bool:
        known = self._idle.get((node, state))
        if known is None:
            known = is_idle(_list_innermost(tree, node), THREAD_STATES[state])
            self._idle[node, state] = known
        return known


def _list_innermost(tree: LiveTree, node: int) -> tuple[Line, ...]:
    """Return the two innermost frames, from which ``is_idle`` recognizes an idle thread."""
    parents, locations = tree.wire_parent.view(), tree.wire_location.view()
    functions, names = tree.location_function.view(), tree.function_name.view()
    lines: list[Line] = []
    while node and len(lines) < 2:
        name = tree.strings[int(names[int(functions[int(locations[node])])])]
        lines.append(Line(name, "", 0))
        node = int(parents[node])
    return tuple(lines)


def scale_waiting(
    rows: SampleRows, kinds: Sequence[_Kind], cpu_ns: Mapping[int, int], n_running: int
) -> SampleRows:
    """Return the rows of waiting threads, with label sets numbered as in ``index_states``.

    A thread's time in samples that run or wait for a processor is reduced by its CPU time; the rest
    counts as waiting for a processor. ``cpu_ns``: CPU time by thread ID. ``n_running``: the number
    of label sets with the state RUNNING.
    """
    states = np.array([_number_state(kind[1]) for kind in kinds] or [0], dtype=np.int32)
    state = states[rows.labels]
    is_for_processor = state == _FOR_PROCESSOR
    count, ns = rows.count.copy(), rows.cpu_ns.copy()
    tids, thread = np.unique(rows.tid, return_inverse=True)
    waited, ran = _sum_of(rows, thread, is_for_processor), _sum_of(rows, thread, state == _RUNNING)
    shares = [
        min(max(waited_ns + ran_ns - cpu_ns.get(tid, 0), 0), waited_ns) / waited_ns
        if waited_ns
        else 0.0
        for tid, waited_ns, ran_ns in zip(tids.tolist(), waited, ran, strict=True)
    ]
    share = np.array(shares)[thread[is_for_processor]]
    count[is_for_processor] = np.rint(count[is_for_processor] * share)
    ns[is_for_processor] = (ns[is_for_processor] * share).astype(np.int64)
    kept = (state != _RUNNING) & (ns > 0)
    sets = rows.labels + np.int32(n_running)
    scaled = make_rows(rows.node, rows.tid, sets, rows.time, count, ns)
    return scaled.choose(kept)


def _sum_of(rows: SampleRows, thread: Int64s, which: Bools) -> list[int]:
    """Return the time of the rows of a mask by thread, ns. ``thread``: (n,) numbers of threads."""
    sums = np.zeros(int(thread.max(initial=-1)) + 1, dtype=np.int64)
    np.add.at(sums, thread[which], rows.cpu_ns[which])
    return sums.tolist()


def _number_state(name: str) -> int:
    """Return the wire's number of a state; −1 for IDLE, which counts as waiting."""
    return THREAD_STATES.index(name) if name in THREAD_STATES else -1


def index_states(labels: LabelIndex, kinds: Sequence[_Kind]) -> LabelIndex:
    """Return an index of label sets with states: first those of ``labels`` with the state RUNNING,
    then those of ``kinds`` with their own states."""
    numbers: dict[Label, int] = {label: at for at, label in enumerate(labels.labels)}
    sets = labels.list_sets()
    n_running = labels.n_bearers

    def list_pairs() -> Iterator[tuple[int, int]]:
        for bearer in range(n_running):
            for label in _join(sets.get(bearer, ()), RUNNING, 0):
                yield bearer, numbers.setdefault(label, len(numbers))
        for at, (label_set, state, call) in enumerate(kinds):
            for label in _join(sets.get(label_set, ()), state, call):
                yield n_running + at, numbers.setdefault(label, len(numbers))

    pairs = np.array(list(list_pairs()), dtype=np.int32).reshape(-1, 2)
    bearer, label = np.ascontiguousarray(pairs[:, 0]), np.ascontiguousarray(pairs[:, 1])
    freeze(bearer, label)
    return LabelIndex(tuple(numbers), bearer, label, n_running + len(kinds))


def _join(own: tuple[Label, ...], state: str, call: int) -> tuple[Label, ...]:
    """Return a set's labels after those of state and system call. These replace labels of the
    program with the same keys, as in files of the recorder."""
    called = ((CALL, name_call(call - 1)),) if call else ()
    added = ((STATE, state), *called)
    keys = {key for key, _ in added}
    return (*added, *(label for label in own if label[0] not in keys))


def sum_by_thread(tables: Iterable[SampleRows]) -> dict[int, int]:
    """Return the CPU time by thread ID, ns."""
    sums: dict[int, int] = {}
    for rows in tables:
        tids, which = np.unique(rows.tid, return_inverse=True)
        ns = np.zeros(len(tids), dtype=np.int64)
        np.add.at(ns, which.ravel(), rows.cpu_ns)
        for tid, value in zip(tids.tolist(), ns.tolist(), strict=True):
            sums[tid] = sums.get(tid, 0) + value
    return sums


def drop_wall_filters(labels: frozenset[LabelFilter], is_wall: bool) -> frozenset[LabelFilter]:
    """Return the filters; without those for wall labels if the samples are not wall samples, as no
    other sample could pass them."""
    return labels if is_wall else frozenset(label for label in labels if label[0] not in OF_WALL)
