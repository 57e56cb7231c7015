"""Contention as text, as Go prints it with ``debug=1``; ``go tool pprof`` reads it.

::

    --- mutex:
    cycles/second=1000000000
    sampling period=1
    5000123456 1 @ 0x100010 0x100020
    #	0x100010	_thread.lock.release+0x0	:0
    #	0x100020	app.load+0x0	app.py:12

The values are scaled already, and who reads them multiplies by the period: so it is 1, whatever the
rate was. The GIL's profile is told as mutex's: there too the holder's stack is charged.
"""

from __future__ import annotations

from stackglass.wire.contention_recording import ContentionKind, ContentionRecording
from stackglass.wire.pprof import ProfileTables
from stackglass.wire.text_stacks import TextStacks

_CYCLES_A_SECOND = 10**9  # delays are nanoseconds


def encode(tables: ProfileTables, contention: ContentionRecording, kind: ContentionKind) -> bytes:
    """The text, longest delay first; ``tables`` has the names and stacks of the recording."""
    is_block = kind is ContentionKind.BLOCK
    lines = [
        "--- contention:" if is_block else "--- mutex:",
        f"cycles/second={_CYCLES_A_SECOND}",
        *([] if is_block else ["sampling period=1"]),
    ]
    stacks = TextStacks(tables)
    for row in sorted(contention.list_rows(kind), key=lambda row: -row.delay_ns):
        lines += stacks.describe(f"{row.delay_ns} {row.contentions}", row.node)
    return "\n".join([*lines, ""]).encode("utf-8", "replace")
