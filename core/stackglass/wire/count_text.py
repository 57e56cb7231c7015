"""Profiles that count stacks as text, as Go prints them with ``debug=1`` and ``debug=2``.

::

    threads profile: total 3
    2 @ 0x100010 0x100020
    # labels: {"thread":"worker"}
    #	0x100010	app.load+0x0	app.py:12
    #	0x100020	app.main+0x0	app.py:40

``go tool pprof`` reads this form. The form of ``debug=2`` is for people: one block for each thread
or value, with its stack, leaf first. The middle of a very deep stack is left out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from stackglass.wire.pprof import LabelSet, ProfileTables
from stackglass.wire.text_stacks import TextStacks, elide


def encode(tables: ProfileTables) -> bytes:
    """Return the text of ``debug=1``: highest count first, equal counts in the order of stacks."""
    rows = list(_list_rows(tables))
    stacks = TextStacks(tables)
    total = sum(count for count, _, _ in rows)
    texts = [
        (-count, "\n".join(stacks.describe(str(count), node, labels)))
        for count, node, labels in rows
    ]
    lines = [f"{tables.default_type} profile: total {total}", *(text for _, text in sorted(texts))]
    return "\n".join([*lines, ""]).encode("utf-8", "replace")


def encode_dump(tables: ProfileTables) -> bytes:
    """Return the text of ``debug=2``: every stack by itself, as often as it was counted."""
    stacks = TextStacks(tables)
    blocks = []
    for count, node, labels in _list_rows(tables):
        names = dict(labels)
        words = [tables.default_type]
        if names.get("thread_id"):
            words.append(str(names["thread_id"]))
        if "thread" in names:
            words.append(json.dumps(names["thread"]))
        block = [f"{' '.join(words)}:", *elide(list(stacks.list_frames(node))), ""]
        blocks += ["\n".join(block)] * count
    return "\n".join([*blocks, ""]).encode("utf-8", "replace")


def _list_rows(tables: ProfileTables) -> Iterator[tuple[int, int, LabelSet]]:
    """Count, node of the stack and labels of each row."""
    nodes = memoryview(tables.sample_node.tobytes()).cast("I")
    sets = memoryview(tables.sample_labels.tobytes()).cast("I")
    counts = memoryview(tables.sample_values[0].tobytes()).cast("Q")
    for node, labels, count in zip(nodes, sets, counts):
        yield count, node, tables.label_sets[labels]
