"""Contention as text, as Go prints it with ``debug=1``; ``go tool pprof`` reads it.

::

    --- mutex:
    cycles/second=1000000000
    sampling period=1
    5000123456 1 @ 0x100010 0x100020
    # labels: {"route":"/orders", "wait":"sleep"}
    #	0x100010	_thread.lock.release+0x0	:0
    #	0x100020	app.load+0x0	app.py:12

Values are scaled already, so the period, by which readers multiply them, is 1 at any rate.
``block`` begins with ``--- contention:`` and has no period. ``tasks`` is written like ``block``,
because its stacks are those of waiters; ``gil`` and ``stalls`` are written like ``mutex``, because
their stacks are those of holders. Labels stand where Go's count profiles have them; ``go tool
pprof`` skips them.
"""

from __future__ import annotations

from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.contention_profile import list_labels
from stackglass.wire.contention_recording import ContentionRecording
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.text_stacks import TextStacks

_CYCLES_A_SECOND = 10**9  # delays are nanoseconds


def encode(
    tables: ProfileTables,
    contention: ContentionRecording,
    kind: ContentionKind,
    has_other: bool = False,
) -> bytes:
    """Return the text, longest delay first; ``tables`` has the names and stacks of the recording.
    ``has_other`` adds the waits for other things than locks."""
    is_block = kind in (ContentionKind.BLOCK, ContentionKind.TASK)
    lines = [
        "--- contention:" if is_block else "--- mutex:",
        f"cycles/second={_CYCLES_A_SECOND}",
        *([] if is_block else ["sampling period=1"]),
    ]
    stacks = TextStacks(tables)
    rows = contention.list_rows(kind)
    if has_other:
        rows += contention.list_rows(ContentionKind.OTHER)
    for row in sorted(rows, key=lambda row: -row.delay_ns):
        labels = list_labels(tables, row)
        lines += stacks.describe(f"{row.delay_ns} {row.contentions}", row.node, labels)
    return "\n".join([*lines, ""]).encode("utf-8", "replace")
