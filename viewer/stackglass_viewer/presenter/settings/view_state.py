"""Frozen values that presenters' signals carry to the view."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from stackglass.wire.rates import DEFAULT, OFF, Rates, keep_contention

if TYPE_CHECKING:  # for start-up time: they import numpy
    from stackglass_viewer.model.heap.live import HeapWhen
    from stackglass_viewer.presenter.settings.native_level import NativeLevel
    from stackglass_viewer.presenter.settings.sample_choice import SampleChoice

Tone = Literal["info", "warning", "error"]


@dataclass(frozen=True, slots=True)
class Notice:
    """A message for the message bar. ``action``: what its button requests."""

    tone: Tone
    text: str
    action: str = ""
    action_label: str = ""
    can_close: bool = True


@dataclass(frozen=True, slots=True)
class ProcessRow:
    """A Python process in the list of processes to attach to."""

    pid: int
    python: str  # "3.13.0"; "" = not known
    command: str
    owner: str
    rss_bytes: int
    is_attachable: bool
    reason: str  # why it cannot be attached to; "" = it can
    remedy: str = ""  # what helps; "" = nothing known
    role: str = ""  # its purpose if multiprocessing started it for itself; "" = it did not
    cpu_ns: int = 0  # CPU time used
    seen_ns: int = 0  # monotonic clock when ``cpu_ns`` was read; 0 = it was not read
    parent_pid: int = 0  # nearest ancestor in the list; 0 = none
    begin_ticks: int = 0  # start in clock ticks since the system's boot; 0 = not known


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What a search of the flame graph found."""

    pattern: str
    n_functions: int = 0
    share: float | None = 0.0  # share of the total in stacks with a match; None = no stacks
    error: str = ""  # what is wrong with the pattern
    place: int = 0  # number of the match that Enter led to, from 1; 0 = none yet
    n_places: int = 0  # number of matches that Enter visits; 0 = not counted yet


@dataclass(frozen=True, slots=True)
class DocumentInfo:
    """Title, description and properties of the data that a tab shows."""

    title: str  # the tab's title
    description: str  # duration, total, time; one line
    choice: SampleChoice  # list of sample types
    has_stacks: bool  # False: a table without a flame graph
    is_live: bool
    has_samples: bool = True  # False: a file without samples
    has_heap: bool = False  # whether the sample types include the heap's values
    heap_when: HeapWhen | None = None  # the moment of the live heap that is shown
    has_contention: bool = False  # whether the sample types include contention's values
    has_labels: bool = False  # samples have labels
    idle_keys: frozenset[str] = frozenset()  # keys of labels that do not filter this sample type
    can_split: bool = False  # the graph can begin with the values of a label
    can_filter: bool = False  # frames can be left out and merged
    is_filtered_out: bool = False  # no sample passes the filters
    has_times: bool = False  # the times of samples are known
    has_calls: bool = False  # a table without stacks knows which function calls which
    native: NativeLevel | None = None  # how much of C code is shown; None = there is no C code
    # Title and text that stand in place of the samples if there are none.
    emptiness: tuple[str, str] = ("No samples", "The profile is complete and records no samples.")


Phase = Literal["connecting", "waiting", "running", "detached", "ended", "lost", "failed", "saved"]
"""The phase of a capture. ``saved``: it was opened from a file."""


@dataclass(frozen=True, slots=True)
class HeapFigures:
    """Figures of the heap profile, as last reported. Counts are since its start."""

    n_samples: int
    samples_hz: float | None  # samples per second over the last seconds; None = not known yet
    n_lost: int
    accounted_bytes: int  # bytes in use, estimated from live samples
    rss_bytes: int  # resident memory; 0 = unknown
    attach_rss_bytes: int  # resident memory when heap profiling began; 0 = unknown
    unaccounted_bytes: int  # rss_bytes - accounted_bytes - attach_rss_bytes
    n_native_libraries: int  # libraries with recorded calls of malloc
    n_allocators: int  # recorded allocators of libraries
    arenas: tuple[tuple[str, int], ...]  # library and resident bytes of allocators not recorded
    native_problem: str  # why no library is recorded; "" = libraries are recorded
    full_age_ns: int | None  # time since the last full collection; None = there was none
    is_listening_to_gc: bool
    n_unnamed: int  # buckets with stacks that are not symbolized yet
    problem: str  # why there is no heap profile; "" = there is one
    forgotten: tuple[str, ...] = ()  # why memory in use is incomplete, if it is; a sentence each


USUAL_CONTENTION = keep_contention(DEFAULT)
"""The contention rates that are set by *On*."""
ALL_CONTENTION = USUAL_CONTENTION._replace(has_other=1)
"""The same rates, with waits that are not for locks."""


@dataclass(frozen=True, slots=True)
class ContentionFigures:
    """Figures of the contention profiles, as last reported. Counts are cumulative."""

    n_events: int  # recorded events, before scaling
    n_lost: int
    n_lost_events: int  # records without time: in the totals, but in no span or timeline
    n_unnamed: int
    n_locks: int
    lock_source: str  # how the engine detects that a lock is taken
    gil_source: str  # how the engine measures waits for the GIL; "" = it cannot
    problem: str  # why locks are not recorded; "" = they are recorded, or off
    gil_problem: str
    tasks_problem: str = ""  # why waits of asyncio's tasks may be missing


@dataclass(frozen=True, slots=True)
class LiveStatus:
    """State of a capture. Cumulative numbers count from its beginning."""

    phase: Phase
    pid: int
    command: str = ""
    process_name: str = ""  # as named by multiprocessing, billiard or its title; "" = not named
    python_version: str = ""
    clock: str = ""
    start_mono_ns: int = 0  # CLOCK_MONOTONIC at the session's time 0; 0 = not known yet
    rates: Rates = OFF  # as requested; then as the engine reports them
    cpu_problem: str = ""  # why there is no CPU profile; "" = there is one, or it is off
    wall_problem: str = ""  # why waiting threads are not sampled; "" = they are, or it is off
    # Percentage points by which CPU shares may be off beside busy processes; 0 = 5 at most.
    share_error_points: int = 0
    share_error_cause: str = ""
    achieved_hz: float | None = None  # samples per second of CPU time; None = too little CPU time
    cpu_share: float | None = None  # of one processor; None = not known yet
    n_samples: int = 0  # of the CPU
    n_wall_samples: int = 0  # those that have arrived
    n_lost: int = 0
    n_threads: int = 0
    n_unsampled_threads: int = 0  # of these: threads that the CPU profile has no room for
    gil_wait_ns: int = 0
    outside_stack: tuple[str, ...] = ()  # lines of its stack, while the engine cannot enter it
    heap: HeapFigures | None = None  # None = there never was a heap profile
    is_collecting: bool = False  # whether a requested collection is under way
    n_collects: int = 0  # requested collections that are done
    collected: str = ""  # result of the last one, in words; "" = there was none
    is_counting: bool = False  # whether a requested census is under way
    n_censuses: int = 0  # censuses that have arrived
    contention: ContentionFigures | None = None  # None = no status has come yet
    line_problems: tuple[str, ...] = ()  # why lines of C are missing, a sentence each
    forker: int = 0  # PID of the parent that forked the process; 0 = none, or not known
    n_waits: int = 0  # reports of waiting threads that have arrived
    n_dumps: int = 0  # dumps of all threads, tasks and greenlets that have arrived
    message: str = ""  # why the capture ended or failed

    @property
    def is_attached(self) -> bool:
        return self.phase in ("connecting", "waiting", "running")


@dataclass(frozen=True, slots=True)
class GroupStatus:
    """State of a tab that adds up several processes."""

    n_processes: int = 0  # including those that have ended
    n_attached: int = 0
    is_paused: bool = False


@dataclass(frozen=True, slots=True)
class ThreadRow:
    """A row of the thread filter: a thread of the target, or several ended threads."""

    tids: tuple[int, ...]
    name: str
    share: float  # of everything shown, 0 … 1
    is_ended: bool = False
    names: tuple[str, ...] = ()  # name of each thread of several; () = ``name``


SPANS_NS: dict[str, int | None] = {
    "10 s": 10_000_000_000,
    "1 min": 60_000_000_000,
    "All": None,
}
"""Lengths of the shown span of a live capture; None = all since the last clear."""

WHOLE_SPAN = "All"

RATES_HZ = (0, 10, 50, 100, 250, 500, 1000, 2500, 5000, 10_000)
"""0 = off."""

WALL_RATES_HZ = (0, 10, 20, 50, 100, 250, 1000)
"""Wall samples of each thread per second; 0 = off."""

_KIB = 1024
HEAP_RATES = (
    0,
    *(kib * _KIB for kib in (4096, 2048, 1024, 512, 256, 128, 64, 16, 4, 1)),
    1,
)
"""Allocated bytes per sample on average; 0 = off, 1 = every allocation."""


BLOCK_RATES_NS = (0, 1, 1_000, 10_000, 100_000, 1_000_000)
MUTEX_FRACTIONS = (0, 1, 10, 100)
GIL_RATES_HZ = (0, 20, 100, 1000)
STALLS_NS = (0, 20_000_000, 50_000_000, 100_000_000, 250_000_000, 1_000_000_000)


@dataclass(frozen=True, slots=True)
class LoadProgress:
    """Progress of reading a file."""

    name: str
    share: float | None  # 0 … 1; None = unknown
    verb: str = "Opening"


SaveChoice = Literal["session", "everything", "shown"]
"""What is saved of a capture. ``session``: all kinds of data, as a session file; ``everything``:
all data of the shown kind, as a profile; ``shown``: only what is shown, as a profile."""
