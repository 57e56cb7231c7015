"""Rows of the heap by the program's labels."""

from __future__ import annotations

from stackglass.wire import messages
from stackglass.wire.definitions import Definitions
from stackglass.wire.heap_recording import HeapRecording, HeapRow

A, B = (("route", "/a"),), (("route", "/b"),)


def test_rows_are_stacks_and_sizes_with_labels() -> None:
    """What is in use is in use in the row of its label; a set may be defined later."""
    definitions = Definitions()
    definitions.add(messages.Batch(strings=["", "route", "/a", "/b"]))
    heap = HeapRecording(definitions)
    counts, freed = [1, 2, 4, 8], [0, 2, 1, 0]
    columns = {
        f"value_{view}{name}": [value * size for value in values]
        for view in ("", "full_")
        for name, values, size in (
            ("allocs", counts, 1),
            ("alloc_bytes", counts, 32),
            ("frees", freed, 1),
            ("free_bytes", freed, 32),
        )
    }
    message = messages.Heap(
        bucket_node=[3] * 4,
        bucket_kind=[0] * 4,
        bucket_size=[32] * 4,
        bucket_rate=[1] * 4,
        bucket_labels=[7, 8, 7, 0],
        value_bucket=[0, 1, 2, 3],
        **columns,
    )
    heap.add(message, n_nodes=4)
    assert heap.list_rows() == [HeapRow(3, 32, (), 15, 480, 12, 384)]
    definitions.add(messages.Batch(label_set=[7, 8], label_key=[1, 1], label_value=[2, 3]))
    assert heap.list_rows() == [
        HeapRow(3, 32, A, 5, 160, 4, 128),
        HeapRow(3, 32, B, 2, 64, 0, 0),
        HeapRow(3, 32, (), 8, 256, 8, 256),
    ]
    assert [bucket.labels for bucket in heap.list_buckets()] == [A, B, A, ()]
