"""Recording: the messages of one session, and the profiles built from them.

Lost samples are a row, too: its stack is the one frame ``<lost samples>``.
"""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from typing import Any, Callable

from stackglass.errors import WireError
from stackglass.symbols.names import name_function
from stackglass.wire import (
    contention_profile,
    count_profile,
    creation_profile,
    heap_profile,
    messages,
    thread_dump,
)
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.contention_recording import ContentionRecording
from stackglass.wire.cpu_recording import MAX_VALUE, CpuRecording
from stackglass.wire.custom_recording import CustomRecording
from stackglass.wire.definitions import Definitions, check_references
from stackglass.wire.heap_recording import HeapRecording, HeapView
from stackglass.wire.lost_samples import add_lost_row
from stackglass.wire.pprof import ProfileTables, SampleType
from stackglass.wire.source_lines import add_lines
from stackglass.wire.wall_recording import WallRecording

TYPE_CHECKING = False
if TYPE_CHECKING:
    from stackglass.wire.definitions import LocateNative, NameNative

_SAMPLES = SampleType("samples", "count")
_CPU = SampleType("cpu", "nanoseconds")


class Recording:
    """A session as it is received. For one thread."""

    __slots__ = (
        "_connected_mono_ns",
        "_definitions",
        "_end_mono_ns",
        "bye",
        "contention",
        "cpu",
        "creations",
        "custom",
        "dump",
        "heap",
        "hello",
        "memory",
        "rates",
        "ready",
        "wall",
    )

    def __init__(
        self,
        cpu_hz: int,
        connected_mono_ns: int = 0,
        has_native_memory: bool = True,
        name_native: NameNative | None = None,
        locate_native: LocateNative | None = None,
    ) -> None:
        """``cpu_hz`` is the requested rate. ``connected_mono_ns`` is when the client connected: a
        session that began earlier has counts from before, which are subtracted. ``name_native``
        and ``locate_native``: see Definitions."""
        self.hello: messages.Hello | None = None
        self.ready: messages.Ready | None = None
        self.bye: messages.Bye | None = None
        self.rates: messages.Rates | None = None  # in force; None = not known yet
        self.creations: messages.ThreadCreations | None = None  # the last ones
        self.dump: messages.ThreadDump | None = None  # the last one
        self.memory: messages.MemoryInfo | None = None  # of the memory trace; the last one
        self._connected_mono_ns = connected_mono_ns
        self._end_mono_ns = 0
        self._definitions = Definitions(
            name_native, lambda: array("I"), locate_native, name_function
        )
        self.cpu = CpuRecording(self._definitions, cpu_hz)
        self.wall = WallRecording()
        self.heap = HeapRecording(self._definitions, has_native_memory)
        self.contention = ContentionRecording(self._definitions)
        self.custom = CustomRecording()

    @property
    def duration_ns(self) -> int:
        """Time from the start of this recording to the last status of the engine."""
        return max(self._end_mono_ns - self.start_mono_ns, 0) if self.ready else 0

    @property
    def start_mono_ns(self) -> int:
        """When this recording began, CLOCK_MONOTONIC; not before the engine's Ready."""
        return max(self.ready.time_mono_ns if self.ready else 0, self._connected_mono_ns)

    def find_start(self, mono_ns: int) -> int:
        """Return when this recording of a profile began, if the engine has recorded the profile
        since ``mono_ns``; 0 = it has not begun."""
        return max(mono_ns, self.start_mono_ns) if mono_ns and self.ready else 0

    def find_covered(self, profile_start_ns: int, profile_end_ns: int) -> int:
        """Return for how long this recording has a profile, ns. Both times are the engine's, 0 =
        not yet."""
        start_ns = self.find_start(profile_start_ns)
        return max(profile_end_ns - start_ns, 0) if start_ns else 0

    def add(self, message: messages.Message) -> None:
        """Add a message. Raises WireError if it refers to something undefined."""
        add = _ADDERS.get(type(message))
        if add is not None:
            add(self, message)

    def _add_batch(self, batch: messages.Batch) -> None:
        n_before = self._definitions.n_nodes
        self._definitions.add(batch)
        self.cpu.add(batch, n_before)
        self.wall.add(batch, self._definitions.n_nodes)

    def _add_hello(self, hello: messages.Hello) -> None:
        self.hello = hello

    def _add_ready(self, ready: messages.Ready) -> None:
        if min(ready.time_unix_ns, ready.time_mono_ns) < 0:
            raise WireError("a session has a negative start time")
        self.ready = ready
        self._end_mono_ns = max(self._end_mono_ns, self.start_mono_ns)

    def _add_bye(self, bye: messages.Bye) -> None:
        self.bye = bye

    def _add_rates(self, rates: messages.Rates) -> None:
        self.cpu.set_hz(rates.cpu_hz)
        self.rates = rates

    def _add_status(self, status: messages.Status) -> None:
        is_joined = self.ready is not None and self.ready.time_mono_ns < self._connected_mono_ns
        self.cpu.add_status(status, is_joined)
        self.wall.add_status(status)
        self._end_mono_ns = max(self._end_mono_ns, status.time_mono_ns)

    def _add_heap(self, heap: messages.Heap) -> None:
        self.heap.add(heap, self._definitions.n_nodes)

    def _add_heap_status(self, status: messages.HeapStatus) -> None:
        if min(status.time_mono_ns, status.full_mono_ns, status.start_mono_ns) < 0:
            raise WireError("a heap status has a negative time")
        self.heap.status = status
        self._end_mono_ns = max(self._end_mono_ns, status.time_mono_ns)

    def _add_memory_info(self, info: messages.MemoryInfo) -> None:
        if min(info.time_mono_ns, info.start_mono_ns) < 0:
            raise WireError("the state of a memory trace has a negative time")
        self.memory = info
        self._end_mono_ns = max(self._end_mono_ns, info.time_mono_ns)

    def _add_contention(self, contention: messages.Contention) -> None:
        names = self._definitions
        self.contention.add(contention, len(names.strings), names.n_nodes)

    def _add_contention_status(self, status: messages.ContentionStatus) -> None:
        if min(status.time_mono_ns, status.start_mono_ns) < 0:
            raise WireError("a contention status has a negative time")
        self.contention.status = status
        self._end_mono_ns = max(self._end_mono_ns, status.time_mono_ns)

    def _add_dump(self, dump: messages.ThreadDump) -> None:
        thread_dump.check(dump, self._definitions)
        self.dump = dump

    def _add_creations(self, creations: messages.ThreadCreations) -> None:
        check_references(creations.node, max(self._definitions.n_nodes, 1), "stack")
        self.creations = creations

    def _add_custom(self, custom: messages.CustomProfiles) -> None:
        self.custom.add(custom, self._definitions.n_nodes)

    def build(self) -> ProfileTables:
        """Return the CPU profile of everything received; valid even if empty."""
        n_without_row, cpu_ns = self.cpu.without_row
        tables = self._build()
        return add_lost_row(tables, n_without_row, cpu_ns) if n_without_row else tables

    def build_wall(self) -> ProfileTables:
        """Return the profile of all threads by the wall clock, with their states."""
        hz = self.rates.wall_hz if self.rates else 0
        return self.wall.build(
            self.build(), self._definitions, self._definitions.label, 10**9 // hz if hz else 0
        )

    def build_heap(self, kind: heap_profile.HeapKind, view: HeapView) -> ProfileTables:
        """Return the heap profile since the session began, even if the client connected later."""
        return heap_profile.build(self._build(), self.heap, kind, view, self._end_unix_ns())

    def build_contention(self, kind: ContentionKind, has_other: bool = False) -> ProfileTables:
        """Return a profile of contention since locks were hooked; ``has_other`` adds the waits for
        other things than locks."""
        ready = self.ready or messages.Ready()
        status = self.contention.status
        before_ns = max((status.start_mono_ns if status else 0) - ready.time_mono_ns, 0)
        lasted_ns = self.contention.last_status_mono_ns - ready.time_mono_ns - before_ns
        return contention_profile.build(
            self._build(),
            self.contention,
            kind,
            min(ready.time_unix_ns + before_ns, MAX_VALUE),
            max(lasted_ns, 0),
            has_other,
        )

    @property
    def definitions(self) -> Definitions:
        """The strings, functions, stacks and label sets that messages refer to."""
        return self._definitions

    def build_threads(self, name: str, is_leaked: bool = False) -> ProfileTables:
        """Return the threads and tasks of the last dump as the profile ``name``, with ``is_leaked``
        only those that nothing can ever wake. Raises EngineError if the dump has not found them."""
        dump = self.dump or messages.ThreadDump()
        rows = [
            (row.node, thread_dump.label(row, self._definitions))
            for row in thread_dump.list_rows(dump, is_leaked)
        ]
        ready = self.ready or messages.Ready()
        time_unix_ns = ready.time_unix_ns + max(dump.time_mono_ns - ready.time_mono_ns, 0)
        tables = count_profile.build(self._build(), name, rows, min(time_unix_ns, MAX_VALUE))
        gaps = thread_dump.list_gaps(dump.n_slices, bool(dump.is_whole)) if self.dump else ()
        return tables._replace(comments=(*tables.comments, *gaps)) if gaps else tables

    def build_creations(self, name: str) -> ProfileTables:
        """Return the stacks that started threads as the profile ``name``."""
        return creation_profile.build(
            self._build(), name, self.creations or messages.ThreadCreations(), self._end_unix_ns()
        )

    def build_custom(self, name: str) -> ProfileTables:
        """Return a profile that the program fills, as it is now."""
        return self.custom.build(self._build(), name, self._end_unix_ns())

    def _build(self) -> ProfileTables:
        names, rows = self._definitions, self.cpu.list_rows()
        strings, function_names, system_names = names.list_functions()
        tables = ProfileTables(
            strings=tuple(strings),
            function_name=function_names,
            function_system_name=system_names,
            function_filename=array("I", names.functions[2]),
            function_start_line=array("I", names.functions[3]),
            location_function=array("I", names.locations[0]),
            location_line=array("I", names.locations[1]),
            node_parent=array("I", names.nodes[0]),
            node_location=array("I", names.nodes[1]),
            sample_node=rows.nodes,
            sample_labels=rows.labels,
            sample_values=(rows.counts, rows.cpu_ns),
            label_sets=rows.label_sets,
            sample_types=(_SAMPLES, _CPU),
            default_type=_CPU.name,
            period_type=_CPU,
            period=self.cpu.period_ns,
            time_unix_ns=self._start_unix_ns(),
            duration_ns=self.duration_ns,
            executable=self.ready.executable if self.ready else "",
            comments=self.cpu.comments,
            natives=dict(names.natives),
            location_native_address=array("I", names.locations[2]),
        )
        return add_lines(tables, names.locate())

    def _start_unix_ns(self) -> int:
        ready = self.ready or messages.Ready()
        since_ready_ns = self.start_mono_ns - ready.time_mono_ns if self.ready else 0
        return min(ready.time_unix_ns + since_ready_ns, MAX_VALUE)

    def _end_unix_ns(self) -> int:
        return min(self._start_unix_ns() + self.duration_ns, MAX_VALUE)

    def has_label(self, key: str) -> bool:
        """Return whether a label set with this key was received."""
        return self._definitions.has_label(key)


_ADDERS: Mapping[type, Callable[[Recording, Any], None]] = {
    messages.Hello: Recording._add_hello,
    messages.Ready: Recording._add_ready,
    messages.Bye: Recording._add_bye,
    messages.Rates: Recording._add_rates,
    messages.Status: Recording._add_status,
    messages.Batch: Recording._add_batch,
    messages.Heap: Recording._add_heap,
    messages.HeapStatus: Recording._add_heap_status,
    messages.Contention: Recording._add_contention,
    messages.ContentionStatus: Recording._add_contention_status,
    messages.ThreadDump: Recording._add_dump,
    messages.ThreadCreations: Recording._add_creations,
    messages.CustomProfiles: Recording._add_custom,
    messages.MemoryInfo: Recording._add_memory_info,
}
"""By the type of a message. Other messages belong to no profile."""
