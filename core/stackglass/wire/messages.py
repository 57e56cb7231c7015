"""What an engine says, as values. Columns are lists of equal length; see wire.proto."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Union


class Hello(NamedTuple):
    """The engine's first message, sent before it has had the GIL."""

    protocol: int = 0
    engine_version: str = ""
    pid: int = 0


class Ready(NamedTuple):
    """It has had the GIL, its self-check passed, and it is profiling."""

    python_version: str = ""
    executable: str = ""
    argv: tuple[str, ...] = ()
    time_unix_ns: int = 0
    time_mono_ns: int = 0
    clock: str = ""


class Rates(NamedTuple):
    """The rates in force, whoever changed them."""

    cpu_hz: int = 0  # 0 = off
    heap_rate: int = 0  # bytes; 0 = off
    block_rate_ns: int = 0  # of contention; 0 = off, each
    mutex_fraction: int = 0
    gil_hz: int = 0
    has_other: int = 0  # also waits for other things than locks
    stall_ns: int = 0


class Batch(NamedTuple):
    """Definitions to be appended to the session's tables, and samples that use them."""

    strings: list[str]
    function_name: list[int]  # string
    function_system_name: list[int]  # string
    function_filename: list[int]  # string
    function_start_line: list[int]
    location_function: list[int]
    location_line: list[int]  # 0 = unknown
    node_parent: list[int]
    node_location: list[int]
    thread_tid: list[int]
    thread_name: list[int]  # string
    sample_node: list[int]
    sample_tid: list[int]
    sample_labels: list[int]  # label set; 0 = none
    sample_time: list[int]  # 10 ms units since Ready.time_mono_ns
    sample_count: list[int]
    sample_cpu_ns: list[int]


class Status(NamedTuple):
    """How the session stands; counts are cumulative since it began."""

    time_mono_ns: int = 0
    cpu_hz: int = 0
    n_samples: int = 0
    n_lost: int = 0
    process_cpu_ns: int = 0
    engine_cpu_ns: int = 0
    n_threads: int = 0
    gil_wait_ns: int = 0
    clock: str = ""
    n_bad_walks: int = 0


class Heap(NamedTuple):
    """Buckets to be appended to the session's, sums of those that have changed, and events."""

    bucket_node: list[int]
    bucket_kind: list[int]  # 0 = Python's allocators, 1 = native code's
    bucket_least_size: list[int]  # bytes
    bucket_rate: list[int]  # bytes
    value_bucket: list[int]
    value_allocs: list[int]  # live
    value_alloc_bytes: list[int]
    value_frees: list[int]
    value_free_bytes: list[int]
    value_full_allocs: list[int]  # as of the last full collection
    value_full_alloc_bytes: list[int]
    value_full_frees: list[int]
    value_full_free_bytes: list[int]
    event_bucket: list[int]
    event_tid: list[int]
    event_time: list[int]  # 10 ms units since Ready.time_mono_ns
    event_count: list[int]
    event_bytes: list[int]
    event_is_free: list[int]
    collection_generation: list[int]
    collection_start_mono_ns: list[int]
    collection_pause_ns: list[int]
    collection_tid: list[int]
    collection_collected: list[int]
    collection_uncollectable: list[int]


class HeapStatus(NamedTuple):
    """How the heap profile stands; counts are cumulative since the session began."""

    time_mono_ns: int = 0  # everything up to here has been told
    rate: int = 0
    n_samples: int = 0
    n_lost: int = 0
    n_lost_frees: int = 0
    n_lost_events: int = 0
    accounted_bytes: int = 0
    rss_bytes: int = 0
    max_rss_bytes: int = 0
    attach_rss_bytes: int = 0  # before the heap profiler came: "<before attach>"
    n_full: int = 0
    full_mono_ns: int = 0  # 0 = there was no full collection
    n_collects: int = 0
    n_unnamed: int = 0
    n_blocks: int = 0
    n_displaced: int = 0
    table_bytes: int = 0
    is_listening_to_gc: int = 0
    n_bad_walks: int = 0
    problem: str = ""  # why there is no heap profile
    is_native_seen: int = 0  # memory past Python's allocators
    native_problem: str = ""  # why it is not
    n_native_libraries: int = 0
    unaccounted_bytes: int = 0  # rss less attach_rss less accounted; may be negative
    n_allocators: int = 0  # libraries with an allocator of their own that is followed
    arena_library: Sequence[str] = ()  # with one that cannot be
    arena_bytes: Sequence[int] = ()  # resident in that library's arenas; accounted
    start_mono_ns: int = 0  # when the allocators were hooked; 0 = they are not


class TypeCensus(NamedTuple):
    """The objects that the collector knows by type, and the heap's live samples by type."""

    time_mono_ns: int = 0  # the walk began
    duration_ns: int = 0
    n_slices: int = 0
    longest_hold_ns: int = 0  # of the GIL, by the clock on the wall
    n_restarts: int = 0
    is_whole: int = 0  # 0 = objects may be missing
    n_objects: int = 0
    n_untold: int = 0  # sampled blocks that are left out
    problem: str = ""  # why there is no census
    type_name: Sequence[int] = ()  # string: module.qualname
    type_count: Sequence[int] = ()
    type_bytes: Sequence[int] = ()
    site_bucket: Sequence[int] = ()
    site_type: Sequence[int] = ()  # string: module.qualname; 0 = not known
    site_count: Sequence[int] = ()  # blocks, unscaled
    site_bytes: Sequence[int] = ()
    longest_cpu_ns: int = 0  # that one slice has worked


class Contention(NamedTuple):
    """Contention's locks and buckets to be appended, sums of those that have changed, events."""

    lock_primitive: Sequence[int] = ()  # string; row 0 is no lock
    lock_address: Sequence[int] = ()
    bucket_kind: Sequence[int] = ()  # 0 block, 1 mutex, 2 pair, 3 GIL, 4 other, 5 task, 6 stall
    bucket_primitive: Sequence[int] = ()  # string
    bucket_lock: Sequence[int] = ()
    bucket_node: Sequence[int] = ()
    bucket_other_node: Sequence[int] = ()  # of a pair: who waited
    named_lock: Sequence[int] = ()
    named_name: Sequence[int] = ()  # string
    named_site: Sequence[int] = ()  # string: where it was made
    named_wait: Sequence[int] = ()  # string: where it was first waited for
    value_bucket: Sequence[int] = ()
    value_count: Sequence[int] = ()  # scaled, as all that follows
    value_total_ns: Sequence[int] = ()
    value_max_ns: Sequence[int] = ()
    delay_bucket: Sequence[int] = ()
    delay_log2: Sequence[int] = ()
    delay_count: Sequence[int] = ()
    event_bucket: Sequence[int] = ()
    event_tid: Sequence[int] = ()
    event_time: Sequence[int] = ()  # 10 ms units since Ready.time_mono_ns
    event_count: Sequence[int] = ()
    event_ns: Sequence[int] = ()


class ContentionStatus(NamedTuple):
    """How the contention profiles stand; counts are cumulative since the session began."""

    time_mono_ns: int = 0  # everything up to here has been told
    block_rate_ns: int = 0
    mutex_fraction: int = 0
    gil_hz: int = 0
    n_events: int = 0
    n_lost: int = 0
    n_lost_events: int = 0
    n_unnamed: int = 0
    n_locks: int = 0
    lock_source: str = ""  # how a lock is seen to be taken
    gil_source: str = ""  # how waiting for the GIL is seen; "" = it is not
    problem: str = ""  # why locks are not seen
    gil_problem: str = ""  # why the GIL is not
    table_bytes: int = 0
    has_other: int = 0
    stall_ns: int = 0
    start_mono_ns: int = 0  # when locks were hooked; 0 = they are not


class LockWaits(NamedTuple):
    """Which threads waited for a lock at one moment, and who held it."""

    time_mono_ns: int = 0
    tid: Sequence[int] = ()
    lock: Sequence[int] = ()
    primitive: Sequence[int] = ()  # string
    since_mono_ns: Sequence[int] = ()  # 0 = not known: before locks were hooked
    holder_tid: Sequence[int] = ()  # 0 = not known
    node: Sequence[int] = ()  # where who waits stands
    holder_node: Sequence[int] = ()  # where the holder does; 0 = not known
    holder_inside: Sequence[int] = ()  # 1 = known only by standing in a `with` of the lock
    holder_taken: Sequence[int] = ()  # 1 = known only by having taken the lock last
    stuck: Sequence[int] = ()  # in a circle that does not move: 1 = not all proven, 2 = a deadlock


class ThreadSnapshot(NamedTuple):
    """Where every Python thread stands at one moment."""

    time_mono_ns: int
    tid: list[int]
    node: list[int]


class Bye(NamedTuple):
    """The engine leaves; an empty reason is a detach that was asked for."""

    reason: str = ""


Message = Union[
    Hello,
    Ready,
    Rates,
    Batch,
    Status,
    ThreadSnapshot,
    Bye,
    Heap,
    HeapStatus,
    TypeCensus,
    Contention,
    ContentionStatus,
    LockWaits,
]
