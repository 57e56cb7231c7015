"""Plan of a recording: what it contains, when it ends, and where its files go."""

from __future__ import annotations

from stackglass.named_tuple import NamedTuple
from stackglass.record.flight_plan import Window
from stackglass.record.outputs import CPU, MEMORY, WALL, Output
from stackglass.record.rate_requests import RateRequest
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.heap_recording import HeapView
from stackglass.wire.recorded_profiles import THREADCREATE

DEFAULT_STACK_DEPTH = 192


class Plan(NamedTuple):
    """A recording as it was requested."""

    outputs: tuple[Output, ...]
    request: RateRequest
    duration_ns: int | None = None  # None = until an interrupt or the end of the process
    clock: str = "auto"
    view: HeapView = HeapView.LIVE
    is_collecting: bool = False  # heap: a full collection before the end
    stack_depth: int = DEFAULT_STACK_DEPTH  # frames; not of cpu, wall and threadcreate
    has_children: bool = False  # of a command: also record the Pythons that it starts
    window: Window | None = None  # the part of the memory trace that is kept; None = all of it

    def name_process(self, process: str) -> Plan:
        """The plan of one process: ``{pid}`` in its paths stands for ``process``."""
        return self._replace(outputs=tuple(output.name_process(process) for output in self.outputs))

    @property
    def cpu_hz(self) -> int | None:
        """The CPU rate that was named; None = the default, or the rate in force."""
        return self.request.rates.cpu_hz if "cpu_hz" in self.request.named else None

    @property
    def new_hz(self) -> int:
        """The CPU rate of an engine that starts for this recording; 0 = no CPU profile."""
        return self.request.rates.cpu_hz

    @property
    def has_samples(self) -> bool:
        """Whether cpu or wall is among the profiles; a memory trace's thread states are neither."""
        return any(output.profile in (CPU, WALL) for output in self.outputs)

    @property
    def has_wall(self) -> bool:
        """Whether wall is among the profiles."""
        return any(output.profile == WALL for output in self.outputs)

    @property
    def has_heap(self) -> bool:
        """Whether heap or allocs is among the profiles."""
        return self.request.rates.heap_rate > 0

    @property
    def has_native(self) -> bool:
        """Whether heap or allocs also has the memory that bypasses Python's allocators."""
        return self.has_heap and self.request.has_native

    @property
    def memory(self) -> Output | None:
        """The memory trace among the outputs; None = there is none."""
        return next((output for output in self.outputs if output.profile == MEMORY), None)

    @property
    def has_tables(self) -> bool:
        """Whether any profile but a memory trace, which needs no tables, is among the outputs."""
        return any(output.profile != MEMORY for output in self.outputs)

    @property
    def has_creations(self) -> bool:
        """Whether threadcreate is among the profiles."""
        return any(output.profile == THREADCREATE for output in self.outputs)

    @property
    def kinds(self) -> list[ContentionKind]:
        """The kinds of contention among the profiles."""
        return [kind for output in self.outputs for kind in output.kinds]

    def list_arguments(self) -> dict[str, int | str]:
        """The arguments of an engine that starts for this recording (agent/agent.h)."""
        return {
            **self.request.list_arguments(),
            "clock": self.clock,
            "depth": self.stack_depth,
        }
