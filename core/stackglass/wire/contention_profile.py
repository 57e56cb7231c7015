"""The contention of a session as the profiles that Go calls ``block`` and ``mutex``, and our own.

Values are scaled already, so the period is 1: who reads them multiplies by nothing. Equal stacks
are one row, whichever locks they are about. What Go's profiles do not have carries the label
``wait``, which says what was waited for: so the waits that are Go's can be told from the others.
"""

from __future__ import annotations

from array import array

from stackglass.wire.contention_recording import ContentionKind, ContentionRecording
from stackglass.wire.pprof import ProfileTables, SampleType

CONTENTIONS = SampleType("contentions", "count")
DELAY = SampleType("delay", "nanoseconds")
PROFILES = {
    "block": ContentionKind.BLOCK,
    "mutex": ContentionKind.MUTEX,
    "gil": ContentionKind.GIL,
    "tasks": ContentionKind.TASK,
    "stalls": ContentionKind.STALL,
}
"""Kinds by the names of their profiles."""
LABEL = "wait"


def build(
    definitions: ProfileTables,
    contention: ContentionRecording,
    kind: ContentionKind,
    time_unix_ns: int,
    duration_ns: int,
    has_other: bool = False,
) -> ProfileTables:
    """All of a kind since ``time_unix_ns``, over the names and stacks of ``definitions``; with
    ``has_other`` also the waits for other things than locks.

    The duration is not in Go's; it makes a share of the time on the wall of each delay.
    """
    rows = contention.list_rows(kind)
    if has_other:
        rows += contention.list_rows(ContentionKind.OTHER)
    set_of = {0: 0}
    for row in rows:
        set_of.setdefault(row.primitive, len(set_of))
    labels = (((LABEL, definitions.strings[text]),) if text else () for text in set_of)
    return definitions._replace(
        sample_node=array("I", (row.node for row in rows)),
        sample_labels=array("I", (set_of[row.primitive] for row in rows)),
        sample_values=(
            array("Q", (row.contentions for row in rows)),
            array("Q", (row.delay_ns for row in rows)),
        ),
        label_sets=tuple(labels),
        sample_types=(CONTENTIONS, DELAY),
        default_type=DELAY.name,
        period_type=CONTENTIONS,
        period=1,
        time_unix_ns=time_unix_ns,
        duration_ns=duration_ns,
        comments=(),
    )
