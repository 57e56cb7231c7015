"""The heap of a session as the profiles that Go calls ``heap`` and ``allocs``.

Both hold the same values; they differ in what a viewer shows first. The label ``bytes`` is the
largest size of a row's size class, so that different sizes at one place stay apart.
"""

from __future__ import annotations

from array import array
from enum import Enum

from stackglass.wire.heap_recording import HeapRecording, HeapView
from stackglass.wire.pprof import LabelSet, ProfileTables, SampleType

SAMPLE_TYPES = (
    SampleType("alloc_objects", "count"),
    SampleType("alloc_space", "bytes"),
    SampleType("inuse_objects", "count"),
    SampleType("inuse_space", "bytes"),
)
_PERIOD_TYPE = SampleType("space", "bytes")
_SIZE_LABEL = "bytes"
BEFORE_ATTACH = "<before attach>"
"""Memory that was resident when the heap profiler started, and has no samples."""


class HeapKind(Enum):
    """The profiles. The value is the sample type that is shown first."""

    HEAP = "inuse_space"
    ALLOCS = "alloc_space"


def build(
    definitions: ProfileTables,
    heap: HeapRecording,
    kind: HeapKind,
    view: HeapView,
    time_unix_ns: int,
) -> ProfileTables:
    """Return the heap at ``time_unix_ns``, with the names and stacks of ``definitions``."""
    rows = heap.list_rows(view)
    label_sets: dict[LabelSet, int] = {}
    labels = [
        label_sets.setdefault((*row.labels, (_SIZE_LABEL, row.size_bytes)), len(label_sets))
        for row in rows
    ]
    return definitions._replace(
        sample_node=array("I", (row.node for row in rows)),
        sample_labels=array("I", labels),
        sample_values=tuple(
            array("Q", column)
            for column in (
                [row.alloc_objects for row in rows],
                [row.alloc_bytes for row in rows],
                [row.inuse_objects for row in rows],
                [row.inuse_bytes for row in rows],
            )
        ),
        label_sets=tuple(label_sets),
        sample_types=SAMPLE_TYPES,
        default_type=kind.value,
        period_type=_PERIOD_TYPE,
        period=find_rate(heap),
        time_unix_ns=time_unix_ns,
        duration_ns=0,
        comments=describe_memory(heap),
    )


def describe_memory(heap: HeapRecording) -> tuple[str, ...]:
    """Return lines about the memory of the whole process, in bytes; none before the engine's
    status.

    They are comments, because memory from before the attach has no stack, and the unaccounted part
    may be negative.
    """
    status = heap.status
    if status is None:
        return ()
    if not status.attach_rss_bytes:
        return describe_forgotten(status.n_displaced, status.n_lost_frees)
    return (
        f"resident = {status.rss_bytes}",
        f"{BEFORE_ATTACH} = {status.attach_rss_bytes}",
        f"accounted = {status.accounted_bytes}",
        f"unaccounted = {status.unaccounted_bytes}",
        f"native memory: {_describe_native(heap)}",
        *(
            f"resident in arenas of {name} = {size}: its allocator is not followed"
            for name, size in zip(status.arena_library, status.arena_bytes)
        ),
        *describe_forgotten(status.n_displaced, status.n_lost_frees),
    )


def describe_forgotten(n_displaced: int, n_lost_frees: int) -> tuple[str, ...]:
    """Return a line for each reason why the engine forgot all live blocks; none if it did not. The
    numbers are those of its status."""
    reasons = (
        (n_displaced, "another tool (such as tracemalloc) removed the heap profile's hooks"),
        (n_lost_frees, "a free was lost, because too many threads freed memory at once"),
    )
    return tuple(
        f"memory allocated before {event}{'' if n == 1 else f' ({n} times)'} is missing from "
        "memory in use"
        for n, event in reasons
        if n
    )


def _describe_native(heap: HeapRecording) -> str:
    status = heap.status
    if not heap.has_native:
        return "left out"
    if status is not None and status.is_native_seen:
        n_own = status.n_allocators
        allocators = f", {n_own} from their own allocators" if n_own else ""
        return f"as {status.n_native_libraries} libraries allocate it{allocators}"
    return status.native_problem if status is not None else ""


def find_rate(heap: HeapRecording) -> int:
    """Return the session's heap rate in bytes: the present one, else the last bucket's; 0 =
    none."""
    if heap.status is not None and heap.status.rate:
        return min(heap.status.rate, 2**63 - 1)
    buckets = heap.list_buckets()
    return min(buckets[-1].rate, 2**63 - 1) if buckets else 0
