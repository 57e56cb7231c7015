"""Profiles that count stacks: ``threads``, and those that a program registers itself.

One sample type, named like the profile; equal stacks with equal labels are one row.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping

from stackglass.wire.pprof import LabelSet, ProfileTables, SampleType


def build(
    definitions: ProfileTables,
    name: str,
    rows: Iterable[tuple[int, LabelSet]],
    time_unix_ns: int,
) -> ProfileTables:
    """Return the profile ``name`` with one count for each row, a node and its labels."""
    counts: dict[tuple[int, LabelSet], int] = {}
    for row in rows:
        counts[row] = counts.get(row, 0) + 1
    return build_of_counts(definitions, name, counts, time_unix_ns)


def build_of_counts(
    definitions: ProfileTables,
    name: str,
    counts: Mapping[tuple[int, LabelSet], int],
    time_unix_ns: int,
    comments: tuple[str, ...] = (),
) -> ProfileTables:
    """Return the profile ``name`` of rows that are already counted."""
    label_sets: dict[LabelSet, int] = {(): 0}
    labels = [label_sets.setdefault(labels, len(label_sets)) for _, labels in counts]
    kind = SampleType(name, "count")
    return definitions._replace(
        sample_node=array("I", (node for node, _ in counts)),
        sample_labels=array("I", labels),
        sample_values=(array("Q", counts.values()),),
        label_sets=tuple(label_sets),
        sample_types=(kind,),
        default_type=name,
        period_type=kind,
        period=1,
        time_unix_ns=time_unix_ns,
        duration_ns=0,
        comments=comments,
    )
