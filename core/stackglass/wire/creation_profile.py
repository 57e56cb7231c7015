"""The profile ``threadcreate``: stacks that started threads.

Two columns: threads ever started, and those of them that are alive. Threads from before the attach
are one row, ``<before attach>``.
"""

from __future__ import annotations

from array import array

from stackglass.wire.messages import ThreadCreations
from stackglass.wire.pprof import ProfileTables, SampleType

_ALIVE = SampleType("alive", "count")


def build(
    definitions: ProfileTables, name: str, creations: ThreadCreations, time_unix_ns: int
) -> ProfileTables:
    """Return the profile ``name``, with one row for each stack."""
    kind = SampleType(name, "count")
    lost = creations.n_lost
    return definitions._replace(
        sample_node=array("I", creations.node),
        sample_labels=array("I", [0] * len(creations.node)),
        sample_values=(array("Q", creations.ever), array("Q", creations.alive)),
        label_sets=((),),
        sample_types=(kind, _ALIVE),
        default_type=name,
        period_type=kind,
        period=1,
        time_unix_ns=time_unix_ns,
        duration_ns=0,
        comments=(f"{lost} more threads were started: no memory for their stacks",) if lost else (),
    )
