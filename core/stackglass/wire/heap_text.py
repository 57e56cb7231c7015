"""The heap as text, as Go prints it with ``debug=1``; ``go tool pprof`` reads it.

::

    heap profile: inuse_objects: inuse_bytes [alloc_objects: alloc_bytes] @ heap/TWICE_THE_RATE
    2: 4096 [3: 6144] @ 0x100010 0x100020
    # labels: {"route":"/orders"}
    #	0x100010	app.load+0x0	app.py:12

The rows hold samples as they were taken, and readers scale them with the one rate of the
header, which has twice the rate, a convention of the C++ profiler. Samples of several rates are
scaled already, and then the rate is 1.
"""

from __future__ import annotations

from stackglass.wire.heap_profile import describe_memory
from stackglass.wire.heap_recording import Bucket, HeapRecording, HeapView, unsample
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.text_stacks import TextStacks


def encode(tables: ProfileTables, heap: HeapRecording, view: HeapView) -> bytes:
    """Return the text; ``tables`` has the names and stacks of the recording."""
    buckets, rate = _choose_scale(heap.list_buckets(view))
    buckets.sort(key=lambda bucket: bucket.free_bytes - bucket.alloc_bytes)  # most in use first
    frees = [sum(column) for column in zip(*((b.frees, b.free_bytes) for b in buckets))] or [0, 0]
    allocs = [sum(c) for c in zip(*((b.allocs, b.alloc_bytes) for b in buckets))] or [0, 0]
    inuse_bytes = allocs[1] - frees[1]
    # Equal sums would be read as a profile of in-use memory alone.
    alloc_bytes = allocs[1] + (allocs[1] == inuse_bytes)
    lines = [
        f"heap profile: {allocs[0] - frees[0]}: {inuse_bytes} "
        f"[{allocs[0]}: {alloc_bytes}] @ heap/{2 * rate}"
    ]
    stacks = TextStacks(tables)
    for bucket in buckets:
        values = (
            f"{bucket.allocs - bucket.frees}: {bucket.alloc_bytes - bucket.free_bytes} "
            f"[{bucket.allocs}: {bucket.alloc_bytes}]"
        )
        lines += stacks.describe(values, bucket.node, bucket.labels)
    return "\n".join([*lines, *_describe_process(heap), ""]).encode("utf-8", "replace")


def _choose_scale(buckets: list[Bucket]) -> tuple[list[Bucket], int]:
    """Return the buckets, and the one rate with which readers scale them."""
    rates = {bucket.rate for bucket in buckets}
    if len(rates) <= 1:
        return buckets, max(rates, default=1)
    return [_scale(bucket) for bucket in buckets], 1


def _scale(bucket: Bucket) -> Bucket:
    objects, size = unsample(bucket.allocs, bucket.alloc_bytes, bucket.rate)
    inuse_objects, inuse_size = unsample(
        bucket.allocs - bucket.frees, bucket.alloc_bytes - bucket.free_bytes, bucket.rate
    )
    return bucket._replace(
        allocs=objects,
        alloc_bytes=size,
        frees=max(objects - inuse_objects, 0),
        free_bytes=max(size - inuse_size, 0),
    )


def _describe_process(heap: HeapRecording) -> list[str]:
    """Return Go's lines about its runtime that CPython has values for, and those about memory."""
    status = heap.status
    rows = heap.list_rows()
    values = {
        "Alloc": sum(row.inuse_bytes for row in rows),
        "TotalAlloc": sum(row.alloc_bytes for row in rows),
        "Sys": status.rss_bytes if status else 0,
        "Mallocs": sum(row.alloc_objects for row in rows),
        "Frees": sum(row.alloc_objects - row.inuse_objects for row in rows),
        "NumGC": status.n_full if status else 0,
    }
    return [
        "# runtime.MemStats",
        *(f"# {name} = {value}" for name, value in values.items()),
        f"# MaxRSS = {status.max_rss_bytes if status else 0}",
        *(f"# {line}" for line in describe_memory(heap)),
    ]
