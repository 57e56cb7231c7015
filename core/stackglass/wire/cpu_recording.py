"""CPU samples of a session as they are received, and the status that the engine sends of them.

Samples with equal stack, thread and labels are one row; their times are not kept.
"""

from __future__ import annotations

from array import array
from typing import NamedTuple

from stackglass.errors import WireError
from stackglass.wire import messages
from stackglass.wire.definitions import Definitions, check_references
from stackglass.wire.lost_samples import LOST_SAMPLES
from stackglass.wire.pprof import LabelSet

MAX_VALUE = 2**63 - 1
"""The largest value of a pprof file."""


class CpuRows(NamedTuple):
    """The samples as columns of a profile."""

    nodes: array[int]
    labels: array[int]  # positions in `label_sets`
    counts: array[int]
    cpu_ns: array[int]
    label_sets: tuple[LabelSet, ...]


class CpuRecording:
    """Rows of CPU samples, and their status. For one thread. Counts begin when the client
    connects."""

    __slots__ = (
        "_baseline",
        "_counts",
        "_cpu_ns",
        "_definitions",
        "_hz",
        "_lost_nodes",
        "_most_unsampled",
        "_n_lost_rows",
        "_problem",
        "_row_of_sample",
        "_samples",
        "_share_error",
        "n_samples",
        "status",
    )

    def __init__(self, definitions: Definitions, hz: int) -> None:
        """``hz`` is the rate that was requested."""
        self.n_samples = 0
        self.status: messages.Status | None = None
        self._definitions = definitions
        self._hz = hz
        self._problem = ""
        self._share_error = (0, "")  # the largest reported: percentage points, cause
        self._most_unsampled = 0  # the largest number of threads that there was no room for
        self._baseline: messages.Status | None = None
        self._row_of_sample: dict[tuple[int, int, int], int] = {}  # by node, thread, label set
        self._samples = (array("I"), array("I"), array("I"))  # node, thread, label set of each row
        self._counts = array("Q")
        self._cpu_ns = array("Q")
        self._lost_nodes: set[int] = set()  # stacks of the engine's own rows of lost samples
        self._n_lost_rows = 0

    @property
    def last_status_mono_ns(self) -> int:
        """All samples before this time have arrived, or wait for names; 0 = no status yet."""
        return self.status.time_mono_ns if self.status else 0

    @property
    def is_whole(self) -> bool:
        """Whether all samples that the engine has counted have arrived; it holds some back until it
        has their names."""
        if self.status is None:
            return False
        before = self._baseline.n_samples if self._baseline else 0
        return self.n_samples >= self.status.n_samples - before

    @property
    def n_lost(self) -> int:
        """Samples that the engine could not store."""
        if self.status is None:
            return 0
        before = self._baseline or messages.Status()
        return max(self.status.n_lost - before.n_lost, self._n_lost_rows)

    @property
    def used_ns(self) -> int:
        """CPU time that the process used, without the engine's threads."""
        if self.status is None:
            return 0
        before = self._baseline.process_cpu_ns if self._baseline else 0
        return max(self.status.process_cpu_ns - before, 0)

    @property
    def without_row(self) -> tuple[int, int]:
        """Lost samples that no row of the engine stands for, and their CPU time in ns.

        Samples are weighted to sum up to ``used_ns``, so only lost ones can be missing.
        """
        n = max(self.n_lost - self._n_lost_rows, 0)
        return n, min(max(self.used_ns - sum(self._cpu_ns), 0), n * self.period_ns)

    @property
    def problem(self) -> str:
        """Why there is no CPU profile; empty = there is one, or will be."""
        return "" if self.n_samples else self._problem

    @property
    def why_stopped(self) -> str:
        """Why the CPU profile has samples, but none at the end; empty = it has."""
        return self._problem if self.n_samples else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences for readers of the profile: how far off shares of CPU time may be, if by more
        than 5 points; how many threads were not sampled."""
        return (*self._warn_of_shares(), *self._warn_of_unsampled())

    @property
    def comments(self) -> tuple[str, ...]:
        """Sentences for the profile's file: the warnings, and how many samples have no labels
        because these could not be read for certain."""
        return (*self.warnings, *self._describe_unknown_labels())

    @property
    def period_ns(self) -> int:
        """Between two samples; 0 = not known."""
        return 10**9 // self._hz if self._hz else 0

    @property
    def hz(self) -> int:
        """The last rate that was in force, or that was requested if none was yet; 0 = off."""
        return self._hz

    def set_hz(self, hz: int) -> None:
        """Note the rate in force; 0, as at the end, changes nothing."""
        self._hz = hz or self._hz

    def add(self, batch: messages.Batch, n_nodes_before: int) -> None:
        """Add the samples of a batch, after its definitions; ``n_nodes_before`` stacks were defined
        before the batch.

        Raises WireError if a sample refers to something undefined, or is too large.
        """
        self._lost_nodes.update(self._definitions.find_leaves(LOST_SAMPLES, n_nodes_before))
        check_references(batch.sample_node, max(self._definitions.n_nodes, 1), "stack")
        if max(batch.sample_cpu_ns, default=0) > MAX_VALUE:
            raise WireError("a sample stands for more CPU time than 63 bits can hold")
        row_of_sample, counts, cpu_ns = self._row_of_sample, self._counts, self._cpu_ns
        keys = zip(batch.sample_node, batch.sample_tid, batch.sample_labels)
        for key, count, sample_cpu_ns in zip(keys, batch.sample_count, batch.sample_cpu_ns):
            row = row_of_sample.setdefault(key, len(counts))
            if row == len(counts):
                for column, value in zip(self._samples, key):
                    column.append(value)
                counts.append(count)
                cpu_ns.append(sample_cpu_ns)
            elif counts[row] + count > MAX_VALUE or cpu_ns[row] + sample_cpu_ns > MAX_VALUE:
                raise WireError("samples add up to more than 63 bits can hold")
            else:
                counts[row] += count
                cpu_ns[row] += sample_cpu_ns
            if key[0] in self._lost_nodes:
                self._n_lost_rows += count
            else:
                self.n_samples += count

    def add_status(self, status: messages.Status, is_joined: bool) -> None:
        """Add a status. ``is_joined``: the session began before the client connected, so the first
        status has the counts from before. Raises WireError."""
        if max(status.n_lost, status.process_cpu_ns) > MAX_VALUE:
            raise WireError("a status counts more than 63 bits can hold")
        if is_joined and self._baseline is None:
            self._baseline = status
        self.status = status
        if status.cpu_hz:  # while it is off, as at the end, nothing is refused
            self._problem = status.problem
            now = (status.share_error_points, status.share_error_cause)
            self._share_error = max(self._share_error, now)
            self._most_unsampled = max(self._most_unsampled, status.n_unsampled_threads)
        self.set_hz(status.cpu_hz)

    def list_rows(self) -> CpuRows:
        """Return all samples; label set 0 is the empty one."""
        nodes, tids, own = self._samples
        label_sets: dict[LabelSet, int] = {(): 0}
        set_of_pair = {
            pair: label_sets.setdefault(self._definitions.label(*pair), len(label_sets))
            for pair in dict.fromkeys(zip(tids, own))
        }
        return CpuRows(
            array("I", nodes),
            array("I", (set_of_pair[pair] for pair in zip(tids, own))),
            array("Q", self._counts),
            array("Q", self._cpu_ns),
            tuple(label_sets),
        )

    def _warn_of_shares(self) -> tuple[str, ...]:
        points, cause = self._share_error
        if not points:
            return ()
        why = f" ({cause})" if cause else ""
        return (
            f"CPU shares may be {points} percentage points off while other processes keep all "
            f"processors busy{why}",
        )

    def _warn_of_unsampled(self) -> tuple[str, ...]:
        n = self._most_unsampled
        if not n:
            return ()
        return (
            f"{n} thread{' was' if n == 1 else 's were'} not sampled, because there was no room "
            "for more: their CPU time is counted for the other threads",
        )

    def _describe_unknown_labels(self) -> tuple[str, ...]:
        before = self._baseline.n_unknown_labels if self._baseline else 0
        n = self.status.n_unknown_labels - before if self.status else 0
        if n <= 0:
            return ()
        return (
            f"{n} sample{' has' if n == 1 else 's have'} no labels, because these could not be "
            "read for certain",
        )
