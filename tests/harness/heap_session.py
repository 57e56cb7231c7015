"""Recordings of a heap, made from stacks as text: ``"main;serve;parse"``."""

from __future__ import annotations

from typing import NamedTuple

from harness.wire_session import WireSession
from stackglass.wire import messages, reader
from stackglass.wire.recording import Recording


class TextBucket(NamedTuple):
    """Raw samples of one stack (root first) and one size."""

    stack: str
    allocs: int
    alloc_bytes: int
    frees: int = 0
    free_bytes: int = 0
    rate: int = 1
    size_bytes: int | None = None  # of the size class; None = the mean
    labels: int = 0  # number of a label set


def record_heap(buckets: list[TextBucket], status: messages.HeapStatus | None = None) -> Recording:
    """Record a session that has reported these buckets, all live at a collection."""
    wire = WireSession()
    recording = Recording(cpu_hz=0)
    stacks, nodes = wire.stacks(bucket.stack for bucket in buckets)
    for content in (wire.hello(), wire.ready(), stacks):
        message = reader.decode(content)
        assert message is not None
        recording.add(message)
    recording.add(make_heap(buckets, nodes))
    recording.add(status or messages.HeapStatus(time_mono_ns=2 * 10**9, n_full=1))
    return recording


def make_heap(buckets: list[TextBucket], nodes: dict[str, int]) -> messages.Heap:
    """Make the message that defines the buckets and reports their sums. Nothing was freed before
    the last full collection."""
    columns: dict[str, list[int]] = {name: [] for name in messages.Heap._fields}
    for i, bucket in enumerate(buckets):
        columns["bucket_node"].append(nodes[bucket.stack])
        columns["bucket_kind"].append(0)
        mean = bucket.alloc_bytes // max(bucket.allocs, 1)
        columns["bucket_size"].append(mean if bucket.size_bytes is None else bucket.size_bytes)
        columns["bucket_rate"].append(bucket.rate)
        columns["bucket_labels"].append(bucket.labels)
        columns["value_bucket"].append(i)
        for name, value, full in (
            ("allocs", bucket.allocs, bucket.allocs),
            ("alloc_bytes", bucket.alloc_bytes, bucket.alloc_bytes),
            ("frees", bucket.frees, 0),
            ("free_bytes", bucket.free_bytes, 0),
        ):
            columns[f"value_{name}"].append(value)
            columns[f"value_full_{name}"].append(full)
    return messages.Heap(**columns)
