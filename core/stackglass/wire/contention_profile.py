"""The contention of a session as the profiles that Go calls ``block`` and ``mutex``, and the GIL's.

Values are scaled already, so the period is 1: who reads them multiplies by nothing. Equal stacks
are one row, whichever locks they are about.
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
}
"""Kinds by the names of their profiles."""


def build(
    definitions: ProfileTables,
    contention: ContentionRecording,
    kind: ContentionKind,
    time_unix_ns: int,
    duration_ns: int,
) -> ProfileTables:
    """All of a kind since ``time_unix_ns``, over the names and stacks of ``definitions``.

    The duration is not in Go's; it makes a share of the time on the wall of each delay.
    """
    rows = contention.list_rows(kind)
    return definitions._replace(
        sample_node=array("I", (row.node for row in rows)),
        sample_labels=array("I", [0] * len(rows)),
        sample_values=(
            array("Q", (row.contentions for row in rows)),
            array("Q", (row.delay_ns for row in rows)),
        ),
        label_sets=((),),
        sample_types=(CONTENTIONS, DELAY),
        default_type=DELAY.name,
        period_type=CONTENTIONS,
        period=1,
        time_unix_ns=time_unix_ns,
        duration_ns=duration_ns,
        comments=(),
    )
