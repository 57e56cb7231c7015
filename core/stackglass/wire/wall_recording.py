"""Wall samples as they are received, and the profile built from them: ``wall``.

    wall = CPU samples (threads that run) + wall samples (threads that wait)

Of the time in which a thread was runnable, its CPU time counts as running. The rest counts as
waiting for a processor, at the stacks of the samples in which the thread waited for one.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping
from typing import Callable

from stackglass.errors import WireError
from stackglass.wire import messages
from stackglass.wire.definitions import Definitions, check_references
from stackglass.wire.pprof import LabelSet, ProfileTables, SampleType
from stackglass.wire.system_calls import name_call
from stackglass.wire.thread_states import (
    IDLE,
    IN_CALL,
    RUNNING,
    THREAD_STATES,
    WAITING_FOR_PROCESSOR,
    is_idle,
)

_SAMPLES = SampleType("samples", "count")
_WALL = SampleType("wall", "nanoseconds")
_MAX_VALUE = 2**63 - 1
_Key = tuple[int, int, int, int, int]  # node, thread, state, call, label set
_Row = tuple[int, LabelSet, int, int]  # node, labels, samples, ns


class WallRecording:
    """Rows by stack, thread, state and labels. For one thread."""

    __slots__ = ("_problem", "_values")

    def __init__(self) -> None:
        self._problem = ""
        self._values: dict[_Key, tuple[int, int]] = {}

    @property
    def n_samples(self) -> int:
        """Number of samples in which a thread waited."""
        return sum(
            count
            for (_, _, state, _, _), (count, _) in self._values.items()
            if THREAD_STATES[state] != RUNNING
        )

    @property
    def problem(self) -> str:
        """Why waiting threads are not sampled; empty = they were, or will be."""
        return "" if self.n_samples else self._problem

    @property
    def why_stopped(self) -> str:
        """Why there are samples of waiting threads, but none at the end; empty = there are."""
        return self._problem if self.n_samples else ""

    def add_status(self, status: messages.Status) -> None:
        """Note why waiting threads are not sampled, if they are not."""
        if status.cpu_hz:  # while all is off, as at the end, nothing is refused
            self._problem = status.wall_problem

    def add(self, batch: messages.Batch, n_nodes: int) -> None:
        """Add the rows of a batch. Raises WireError if a row refers to something undefined, or is
        too large."""
        check_references(batch.wall_node, max(n_nodes, 1), "stack")
        check_references(batch.wall_state, len(THREAD_STATES), "state")
        states = (batch.wall_state, batch.wall_call, batch.wall_labels)
        keys = zip(batch.wall_node, batch.wall_tid, *states)
        for key, count, ns in zip(keys, batch.wall_count, batch.wall_ns):
            old_count, old_ns = self._values.get(key, (0, 0))
            if max(old_count + count, old_ns + ns) > _MAX_VALUE:
                raise WireError("wall samples add up to more than 63 bits can hold")
            self._values[key] = (old_count + count, old_ns + ns)

    def build(
        self,
        cpu: ProfileTables,
        names: Definitions,
        label: Callable[[int, int], LabelSet],
        period_ns: int,
    ) -> ProfileTables:
        """Return the profile. ``cpu``: the samples of threads that run. ``label``: returns the
        labels of a thread, by its number, and of a label set."""
        running = list(_list_running(cpu))
        rows = [*running, *self._list_waiting(names, label, _sum_by_thread(running))]
        label_sets: dict[LabelSet, int] = {}
        numbers = [label_sets.setdefault(labels, len(label_sets)) for _, labels, _, _ in rows]
        return cpu._replace(
            sample_node=array("I", (row[0] for row in rows)),
            sample_labels=array("I", numbers),
            sample_values=(
                array("Q", (row[2] for row in rows)),
                array("Q", (row[3] for row in rows)),
            ),
            label_sets=tuple(label_sets),
            sample_types=(_SAMPLES, _WALL),
            default_type=_WALL.name,
            period_type=_WALL,
            period=period_ns,
        )

    def _list_waiting(
        self,
        names: Definitions,
        label: Callable[[int, int], LabelSet],
        cpu_ns: Mapping[str, int],
    ) -> Iterator[_Row]:
        """Yield the rows of threads that wait, one for each stack and label set. Idle threads have
        no label ``call``, so their rows become one."""
        merged: dict[tuple[int, LabelSet], list[int]] = {}
        shares = self._find_shares(cpu_ns)
        for (node, tid, number, call, label_set), (count, ns) in self._values.items():
            state = THREAD_STATES[number]
            if state == RUNNING:
                continue
            if state == WAITING_FOR_PROCESSOR:
                count, ns = _scale(count, ns, *shares[tid])
            if is_idle(names.list_lines(node), state):
                state = IDLE
            is_named = state == IN_CALL and call
            called: LabelSet = (("call", name_call(call - 1)),) if is_named else ()
            labels: LabelSet = (("state", state), *called, *label(tid, label_set))
            row = merged.setdefault((node, labels), [0, 0])
            row[0] += count
            row[1] += ns
        for (node, labels), (count, ns) in merged.items():
            if ns:
                yield node, labels, count, ns

    def _find_shares(self, cpu_ns: Mapping[str, int]) -> dict[int, tuple[int, int]]:
        """Return, for each thread with samples that wait for a processor, the share of their time
        in which the thread really waited, as numerator and denominator in ns: its runnable time
        less its CPU time, over the time of these samples."""
        runnable: dict[int, int] = {}
        waited: dict[int, int] = {}
        for (_, tid, number, _, _), (_, ns) in self._values.items():
            state = THREAD_STATES[number]
            if state in (RUNNING, WAITING_FOR_PROCESSOR):
                runnable[tid] = runnable.get(tid, 0) + ns
            if state == WAITING_FOR_PROCESSOR:
                waited[tid] = waited.get(tid, 0) + ns
        return {
            tid: (min(max(runnable[tid] - cpu_ns.get(str(tid), 0), 0), ns), ns)
            for tid, ns in waited.items()
        }


def _scale(count: int, ns: int, numerator: int, denominator: int) -> tuple[int, int]:
    if not denominator:
        return count, ns
    return round(count * numerator / denominator), ns * numerator // denominator


def _sum_by_thread(rows: Iterable[_Row]) -> dict[str, int]:
    """Return the sum of ns for each value of the label ``thread_id``."""
    sums: dict[str, int] = {}
    for _, labels, _, ns in rows:
        tid = str(dict(labels).get("thread_id", ""))
        sums[tid] = sums.get(tid, 0) + ns
    return sums


def _list_running(cpu: ProfileTables) -> Iterable[_Row]:
    nodes, sets = (
        memoryview(column.tobytes()).cast("I") for column in (cpu.sample_node, cpu.sample_labels)
    )
    counts, cpu_ns = (memoryview(column.tobytes()).cast("Q") for column in cpu.sample_values)
    for node, labels, count, ns in zip(nodes, sets, counts, cpu_ns):
        yield node, (("state", RUNNING), *cpu.label_sets[labels]), count, ns
