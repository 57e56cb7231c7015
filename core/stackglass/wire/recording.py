"""Recording: the messages of one session, and the profiles built from them.

Samples with equal stack, thread and labels are one row, as pprof wants them; their times are not
kept. What was lost is a row too: its stack is the one frame ``<lost samples>``.
"""

from __future__ import annotations

import copy
from array import array
from collections.abc import Iterable

from stackglass.errors import WireError
from stackglass.wire import (
    contention_profile,
    count_profile,
    creation_profile,
    heap_profile,
    messages,
    thread_leaks,
)
from stackglass.wire.contention_recording import ContentionKind, ContentionRecording
from stackglass.wire.custom_recording import CustomRecording
from stackglass.wire.definitions import Definitions, NameNative, check_references
from stackglass.wire.heap_recording import HeapRecording, HeapView
from stackglass.wire.lost_samples import LOST_SAMPLES, make_lost_batch
from stackglass.wire.pprof import LabelSet, ProfileTables, SampleType
from stackglass.wire.wall_recording import WallRecording

_SAMPLES = SampleType("samples", "count")
_CPU = SampleType("cpu", "nanoseconds")
_MAX_VALUE = 2**63 - 1  # of anything in a pprof file


class Recording:
    """A session as it is received. For one thread."""

    __slots__ = (
        "_baseline",
        "_connected_mono_ns",
        "_counts",
        "_cpu_hz",
        "_cpu_ns",
        "_cpu_problem",
        "_definitions",
        "_end_mono_ns",
        "_lost_nodes",
        "_n_lost_rows",
        "_row_of_sample",
        "_samples",
        "_share_error",
        "bye",
        "contention",
        "creations",
        "custom",
        "heap",
        "hello",
        "leaks",
        "n_samples",
        "rates",
        "ready",
        "status",
        "threads",
        "wall",
    )

    def __init__(
        self,
        cpu_hz: int,
        connected_mono_ns: int = 0,
        has_native_memory: bool = True,
        name_native: NameNative | None = None,
    ) -> None:
        """``cpu_hz`` was requested; ``connected_mono_ns`` is when the client connected: the counts
        of a session that began before include samples from before it. ``name_native``: see
        Definitions."""
        self.hello: messages.Hello | None = None
        self.ready: messages.Ready | None = None
        self.status: messages.Status | None = None
        self.bye: messages.Bye | None = None
        self.n_samples = 0
        self.wall = WallRecording()
        self.rates: messages.Rates | None = None  # in force; None = not known yet
        self.threads: messages.ThreadSnapshot | None = None  # the last one that was asked for
        self.creations: messages.ThreadCreations | None = None  # the last ones
        self.custom = CustomRecording()
        self.leaks: messages.ThreadDump | None = None  # the last search for them
        self._cpu_hz = cpu_hz
        self._cpu_problem = ""
        self._share_error = (0, "")  # the largest reported: percentage points, cause
        self._connected_mono_ns = connected_mono_ns
        self._end_mono_ns = 0
        self._baseline: messages.Status | None = None
        self._definitions = Definitions(name_native)
        self.heap = HeapRecording(self._definitions, has_native_memory)
        self.contention = ContentionRecording(self._definitions)
        self._row_of_sample: dict[tuple[int, int, int], int] = {}  # by node, thread, label set
        self._samples = (array("I"), array("I"), array("I"))  # the same
        self._counts = array("Q")
        self._cpu_ns = array("Q")
        self._lost_nodes: set[int] = set()  # where an engine files what it lost, if it does
        self._n_lost_rows = 0

    @property
    def n_lost(self) -> int:
        """Samples that the engine could not store, since the client connected."""
        if self.status is None:
            return 0
        before = self._baseline or messages.Status()
        return max(self.status.n_lost - before.n_lost, self._n_lost_rows)

    @property
    def used_cpu_ns(self) -> int:
        """CPU time that the process used, since the client connected; engine's threads not."""
        if self.status is None:
            return 0
        before = self._baseline.process_cpu_ns if self._baseline else 0
        return max(self.status.process_cpu_ns - before, 0)

    @property
    def duration_ns(self) -> int:
        """From the start of this recording to the last status of the engine."""
        return max(self._end_mono_ns - self.start_mono_ns, 0) if self.ready else 0

    @property
    def start_mono_ns(self) -> int:
        """When this recording began, CLOCK_MONOTONIC; not before the engine's Ready."""
        return max(self.ready.time_mono_ns if self.ready else 0, self._connected_mono_ns)

    def find_start(self, mono_ns: int) -> int:
        """When a profile began that the engine takes since ``mono_ns``, for this recording; 0 = it
        has not."""
        return max(mono_ns, self.start_mono_ns) if mono_ns and self.ready else 0

    def find_covered(self, profile_start_ns: int, profile_end_ns: int) -> int:
        """How long a profile has been recorded, ns; both as the engine has them, 0 = not yet."""
        start_ns = self.find_start(profile_start_ns)
        return max(profile_end_ns - start_ns, 0) if start_ns else 0

    @property
    def cpu_problem(self) -> str:
        """Why there is no CPU profile; empty = there is one, or will be."""
        return "" if self.n_samples else self._cpu_problem

    @property
    def why_cpu_stopped(self) -> str:
        """Why the CPU profile has samples, but none at the end; empty = it has."""
        return self._cpu_problem if self.n_samples else ""

    @property
    def share_warning(self) -> str:
        """How far off shares of CPU time may be, a sentence; empty = by 5 points at most."""
        points, cause = self._share_error
        if not points:
            return ""
        why = f" ({cause})" if cause else ""
        return (
            f"CPU shares may be {points} percentage points off while other processes keep all "
            f"processors busy{why}"
        )

    @property
    def last_status_mono_ns(self) -> int:
        """Until when the engine has sent everything; 0 = no status yet."""
        return self.status.time_mono_ns if self.status else 0

    def add(self, message: messages.Message) -> None:
        """Add a message. Raises WireError if it refers to what was never defined."""
        if isinstance(message, messages.Batch):
            n_before = self._definitions.n_nodes
            self._definitions.add(message)
            self._lost_nodes.update(self._definitions.find_leaves(LOST_SAMPLES, n_before))
            self._add_samples(message)
            self.wall.add(message, self._definitions.n_nodes)
        elif isinstance(message, messages.Status):
            self._add_status(message)
        elif isinstance(message, messages.Rates):
            self._cpu_hz = message.cpu_hz or self._cpu_hz
            self.rates = message
        elif isinstance(message, messages.Heap):
            self.heap.add(message, self._definitions.n_nodes)
        elif isinstance(message, messages.HeapStatus):
            self._add_heap_status(message)
        elif isinstance(message, messages.Contention):
            names = self._definitions
            self.contention.add(message, len(names.strings), names.n_nodes)
        elif isinstance(message, messages.ContentionStatus):
            self._add_contention_status(message)
        elif isinstance(message, messages.Hello):
            self.hello = message
        elif isinstance(message, messages.Ready):
            if min(message.time_unix_ns, message.time_mono_ns) < 0:
                raise WireError("a session has a negative start time")
            self.ready = message
            self._end_mono_ns = max(self._end_mono_ns, self.start_mono_ns)
        elif isinstance(message, messages.Bye):
            self.bye = message
        elif isinstance(message, messages.ThreadSnapshot):
            check_references(message.node, max(self._definitions.n_nodes, 1), "stack")
            self.threads = message
        elif isinstance(message, messages.ThreadDump):
            thread_leaks.check(message, self._definitions.n_nodes)
            self.leaks = message
        elif isinstance(message, messages.ThreadCreations):
            check_references(message.node, max(self._definitions.n_nodes, 1), "stack")
            self.creations = message
        elif isinstance(message, messages.CustomProfiles):
            self.custom.add(message, self._definitions.n_nodes)

    def _add_status(self, status: messages.Status) -> None:
        if max(status.n_lost, status.process_cpu_ns) > _MAX_VALUE:
            raise WireError("a status counts more than 63 bits can hold")
        is_joined = self.ready is not None and self.ready.time_mono_ns < self._connected_mono_ns
        if is_joined and self._baseline is None:
            self._baseline = status
        self.status = status
        if status.cpu_hz:  # while it is off, as at the end, nothing is refused
            self._cpu_problem = status.problem
            now = (status.share_error_points, status.share_error_cause)
            self._share_error = max(self._share_error, now)
        self._cpu_hz = status.cpu_hz or self._cpu_hz
        self._end_mono_ns = max(self._end_mono_ns, status.time_mono_ns)

    def _add_heap_status(self, status: messages.HeapStatus) -> None:
        if min(status.time_mono_ns, status.full_mono_ns, status.start_mono_ns) < 0:
            raise WireError("a heap status has a negative time")
        self.heap.status = status
        self._end_mono_ns = max(self._end_mono_ns, status.time_mono_ns)

    def _add_contention_status(self, status: messages.ContentionStatus) -> None:
        if min(status.time_mono_ns, status.start_mono_ns) < 0:
            raise WireError("a contention status has a negative time")
        self.contention.status = status
        self._end_mono_ns = max(self._end_mono_ns, status.time_mono_ns)

    def _add_samples(self, batch: messages.Batch) -> None:
        check_references(batch.sample_node, max(self._definitions.n_nodes, 1), "stack")
        if max(batch.sample_cpu_ns, default=0) > _MAX_VALUE:
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
            elif counts[row] + count > _MAX_VALUE or cpu_ns[row] + sample_cpu_ns > _MAX_VALUE:
                raise WireError("samples add up to more than 63 bits can hold")
            else:
                counts[row] += count
                cpu_ns[row] += sample_cpu_ns
            if key[0] in self._lost_nodes:
                self._n_lost_rows += count
            else:
                self.n_samples += count

    def build(self) -> ProfileTables:
        """The CPU profile of everything received; valid even if empty."""
        n_hidden = self.n_lost - self._n_lost_rows
        if n_hidden <= 0:
            return self._build()
        # Samples are weighed to sum up to what the process used. Only what is missing from that
        # can belong to the lost ones.
        missing_ns = max(self.used_cpu_ns - sum(self._cpu_ns), 0)
        whole = copy.deepcopy(self)
        cpu_ns = min(missing_ns, n_hidden * self._period_ns)
        whole.add(make_lost_batch(self._definitions, n_hidden, cpu_ns))
        return whole._build()

    def build_wall(self) -> ProfileTables:
        """All threads by the wall clock, with their states."""
        hz = self.rates.wall_hz if self.rates else 0
        return self.wall.build(
            self.build(), self._definitions, self._definitions.label, 10**9 // hz if hz else 0
        )

    def build_heap(self, kind: heap_profile.HeapKind, view: HeapView) -> ProfileTables:
        """The heap profile, since the session began, whenever the client connected."""
        return heap_profile.build(self._build(), self.heap, kind, view, self._end_unix_ns())

    def build_contention(self, kind: ContentionKind, has_other: bool = False) -> ProfileTables:
        """A profile of contention, since locks were hooked; with ``has_other`` also the waits for
        other things than locks."""
        ready = self.ready or messages.Ready()
        status = self.contention.status
        before_ns = max((status.start_mono_ns if status else 0) - ready.time_mono_ns, 0)
        lasted_ns = self.contention.last_status_mono_ns - ready.time_mono_ns - before_ns
        return contention_profile.build(
            self._build(),
            self.contention,
            kind,
            min(ready.time_unix_ns + before_ns, _MAX_VALUE),
            max(lasted_ns, 0),
            has_other,
        )

    @property
    def are_threads_named(self) -> bool:
        """Whether all threads of the last snapshot have names."""
        tids = self.threads.tid if self.threads is not None else ()
        return all(map(self._definitions.name_thread, tids))

    def build_threads(self, name: str) -> ProfileTables:
        """Where the threads stood in the last snapshot, as a profile of that name."""
        threads = self.threads or messages.ThreadSnapshot()
        own = threads.labels or [0] * len(threads.tid)
        return self._count(name, zip(threads.node, threads.tid, own), threads.time_mono_ns)

    def build_leaks(self, name: str) -> ProfileTables:
        """What nothing can ever wake, as a profile of that name. Raises EngineError."""
        dump = self.leaks or messages.ThreadDump()
        return self._count(name, thread_leaks.list_rows(dump), dump.time_mono_ns)

    def _count(
        self, name: str, rows: Iterable[tuple[int, int, int]], time_mono_ns: int
    ) -> ProfileTables:
        """``rows``: node, tid, label set."""
        ready = self.ready or messages.Ready()
        time_unix_ns = ready.time_unix_ns + max(time_mono_ns - ready.time_mono_ns, 0)
        labelled = [(node, self._definitions.label(tid, labels)) for node, tid, labels in rows]
        return count_profile.build(self._build(), name, labelled, min(time_unix_ns, _MAX_VALUE))

    def build_creations(self, name: str) -> ProfileTables:
        """The stacks that started threads, as a profile of that name."""
        return creation_profile.build(
            self._build(), name, self.creations or messages.ThreadCreations(), self._end_unix_ns()
        )

    def build_custom(self, name: str) -> ProfileTables:
        """A profile that the program fills, as it is now."""
        return self.custom.build(self._build(), name, self._end_unix_ns())

    def _build(self) -> ProfileTables:
        names = self._definitions
        nodes, tids, own = self._samples
        label_sets: dict[LabelSet, int] = {(): 0}
        set_of_pair = {
            pair: label_sets.setdefault(self._definitions.label(*pair), len(label_sets))
            for pair in dict.fromkeys(zip(tids, own))
        }
        strings, function_names, system_names = names.list_functions()
        return ProfileTables(
            strings=tuple(strings),
            function_name=function_names,
            function_system_name=system_names,
            function_filename=array("I", names.functions[2]),
            function_start_line=array("I", names.functions[3]),
            location_function=array("I", names.locations[0]),
            location_line=array("I", names.locations[1]),
            node_parent=array("I", names.nodes[0]),
            node_location=array("I", names.nodes[1]),
            sample_node=array("I", nodes),
            sample_labels=array("I", (set_of_pair[pair] for pair in zip(tids, own))),
            sample_values=(array("Q", self._counts), array("Q", self._cpu_ns)),
            label_sets=tuple(label_sets),
            sample_types=(_SAMPLES, _CPU),
            default_type=_CPU.name,
            period_type=_CPU,
            period=self._period_ns,
            time_unix_ns=self._start_unix_ns(),
            duration_ns=self.duration_ns,
            executable=self.ready.executable if self.ready else "",
            comments=(self.share_warning,) if self.share_warning else (),
            natives=dict(names.natives),
        )

    @property
    def _period_ns(self) -> int:
        return 10**9 // self._cpu_hz if self._cpu_hz else 0

    def _start_unix_ns(self) -> int:
        ready = self.ready or messages.Ready()
        since_ready_ns = self.start_mono_ns - ready.time_mono_ns if self.ready else 0
        return min(ready.time_unix_ns + since_ready_ns, _MAX_VALUE)

    def _end_unix_ns(self) -> int:
        return min(self._start_unix_ns() + self.duration_ns, _MAX_VALUE)

    def has_label(self, key: str) -> bool:
        """Whether anything that was recorded has a label of this key."""
        return self._definitions.has_label(key)
