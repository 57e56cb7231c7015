"""Rows of contention by the program's labels."""

from __future__ import annotations

from stackglass.wire import messages
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.contention_recording import ContentionRecording, ContentionRow
from stackglass.wire.definitions import Definitions


def test_rows_are_stacks_with_labels() -> None:
    """Of several locks one row, of several labels several; a set may be defined later."""
    definitions = Definitions()
    definitions.add(messages.Batch(strings=["", "route", "/a", "/b", "Lock.acquire"]))
    contention = ContentionRecording(definitions)
    message = messages.Contention(
        lock_primitive=[0, 0, 0],
        lock_address=[0, 64, 128],
        bucket_kind=[0, 0, 0, 0, 5],
        bucket_primitive=[4] * 5,
        bucket_lock=[1, 2, 1, 1, 0],
        bucket_node=[3] * 5,
        bucket_other_node=[0] * 5,
        bucket_labels=[7, 7, 8, 0, 8],
        bucket_other_labels=[0] * 5,
        value_bucket=[0, 1, 2, 3, 4],
        value_count=[1, 2, 4, 8, 16],
        value_total_ns=[10, 20, 40, 80, 160],
        value_max_ns=[10] * 5,
    )
    contention.add(message, n_strings=5, n_nodes=4)
    assert contention.list_rows(ContentionKind.BLOCK) == [ContentionRow(3, 15, 150)]
    definitions.add(messages.Batch(label_set=[7, 8], label_key=[1, 1], label_value=[2, 3]))
    assert contention.list_rows(ContentionKind.BLOCK) == [
        ContentionRow(3, 3, 30, labels=(("route", "/a"),)),
        ContentionRow(3, 4, 40, labels=(("route", "/b"),)),
        ContentionRow(3, 8, 80),
    ]
    assert contention.list_rows(ContentionKind.TASK) == [
        ContentionRow(3, 16, 160, 4, (("route", "/b"),))
    ]
