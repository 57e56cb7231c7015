"""Metrics history of a session: states of its threads and tasks, and their waits.

::

    Metrics ──────────▶ threads by state, tasks by state, run queue, arenas, collections
    ContentionStatus ─▶ waits for locks: the exact sum, and the estimate of the block profile
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass.errors import WireError
from stackglass_viewer.model.columns.growing_column import GrowingColumn
from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.live.samples import UNIT_NS
from stackglass_viewer.model.metrics.sums import GrowingSums, Sums
from stackglass_viewer.model.proto import wire_pb2

N_THREAD_STATES = 5  # unknown, running, waiting for the GIL, for a lock, in a system call
N_TASK_STATES = 3  # running, ready, suspended
N_GENERATIONS = 3
_MAX_INT = 2**63 - 1


@dataclass(frozen=True, slots=True, eq=False)
class MetricsRecord:
    """The metrics of a session so far. Immutable. Times in ns since the session's start."""

    threads: Sums  # ns that threads spent in each state
    tasks: Sums  # ns that tasks spent in each state
    queue: Sums  # ns that threads waited for a processor, and number of their turns on processors
    locks: Sums  # ns waited for locks: exact, and as the block profile estimates them
    # Number of collections by generation, then the ns of their pauses by generation.
    collector: Sums
    arena_time_ns: Int64s  # (n,) when the number of arenas changed
    n_arenas: Int64s  # (n,); -1 = not known
    are_tasks_whole: bool  # False = the counts do not include all tasks

    @property
    def now(self) -> int:
        """The last moment of all metrics, units of 10 ms."""
        parts = (self.threads, self.tasks, self.queue, self.locks)
        return max(
            (int(each.time_ns[-1]) // UNIT_NS for each in parts if len(each.time_ns)), default=0
        )

    @property
    def first(self) -> int | None:
        """The first moment of threads and locks, units of 10 ms; None = there is none yet."""
        parts = (self.threads, self.locks)
        starts = [int(each.time_ns[0]) // UNIT_NS for each in parts if len(each.time_ns)]
        return min(starts) if starts else None


class MetricsHistory:
    """The metrics so far. The owner's lock guards all methods; results are immutable."""

    def __init__(self) -> None:
        self._start_mono_ns = 0
        self._threads = GrowingSums(N_THREAD_STATES)
        self._tasks = GrowingSums(N_TASK_STATES)
        self._queue = GrowingSums(2)
        self._locks = GrowingSums(2)
        self._collector = GrowingSums(2 * N_GENERATIONS)
        self._arena_time = GrowingColumn(np.int64)
        self._n_arenas = GrowingColumn(np.int64)
        self._are_tasks_whole = True

    def start(self, ready: wire_pb2.Ready) -> None:
        """Set the session's clock."""
        self._start_mono_ns = ready.time_mono_ns

    def add(self, message: wire_pb2.Metrics) -> None:
        """Add the sums and counts of one moment. Raises WireError."""
        if (len(message.thread_ns), len(message.task_ns)) != (N_THREAD_STATES, N_TASK_STATES):
            raise WireError("metrics have an unknown number of states")
        pauses = (*message.n_collections, *message.paused_ns)
        if len(pauses) not in (0, 2 * N_GENERATIONS):
            raise WireError("metrics have an unknown number of generations")
        time_ns = self._since(message.time_mono_ns)
        times = (*message.thread_ns, *message.task_ns, message.run_queue_ns)
        numbers = (*times, message.n_turns, *pauses)
        if max(numbers) > _MAX_INT or message.n_arenas > _MAX_INT:
            raise WireError("metrics count more than 63 bits can hold")
        self._threads.add(time_ns, message.thread_ns)
        self._queue.add(time_ns, (message.run_queue_ns, message.n_turns))
        if pauses:
            self._collector.add(time_ns, pauses)
        if message.task_time_mono_ns:
            self._tasks.add(self._since(message.task_time_mono_ns), message.task_ns)
            self._are_tasks_whole = bool(message.are_tasks_whole)
        if not self._n_arenas.n_rows or self._n_arenas.view()[-1] != message.n_arenas - 1:
            self._arena_time.extend(np.array([time_ns]))
            self._n_arenas.extend(np.array([message.n_arenas - 1]))

    def add_contention(self, status: wire_pb2.ContentionStatus) -> None:
        """Add the sums of waits for locks, if the engine records locks by now."""
        if status.start_mono_ns:
            sums = (status.lock_waited_ns, status.lock_sampled_ns)
            self._locks.add(
                self._since(status.time_mono_ns), [min(each, _MAX_INT) for each in sums]
            )

    def capture(self) -> MetricsRecord:
        """Return the metrics up to now."""
        return MetricsRecord(
            self._threads.view(),
            self._tasks.view(),
            self._queue.view(),
            self._locks.view(),
            self._collector.view(),
            self._arena_time.view(),
            self._n_arenas.view(),
            self._are_tasks_whole,
        )

    def _since(self, mono_ns: int) -> int:
        """Return the time since the session's start, ns."""
        return min(max(mono_ns - self._start_mono_ns, 0), _MAX_INT)
