"""Conversion of a kind of contention to the pprof profile that Go calls ``block`` or ``mutex``."""

from __future__ import annotations

import numpy as np

from stackglass.wire.contention_kinds import NAMED_KINDS, ContentionKind
from stackglass.wire.contention_profile import LABEL, MARKS
from stackglass.wire.pprof import ProfileTables, SampleType
from stackglass_viewer.model.columns.index import Int32s
from stackglass_viewer.model.contention.buckets import CONTENTION_TYPES
from stackglass_viewer.model.contention.snapshot import (
    ALL_WAITS,
    ContentionFilter,
    ContentionMoment,
)
from stackglass_viewer.native import _loops
from stackglass_viewer.presenter.saving.profile_tables import Origin, ProfileRows, make_tables
from stackglass_viewer.presenter.settings.sample_choice import ContentionChoice


def to_contention_profile(
    moment: ContentionMoment,
    shown: ContentionChoice,
    time_unix_ns: int,
    executable: str,
    wanted: ContentionFilter = ALL_WAITS,
) -> ProfileTables:
    """Return the waits of a kind, with both values. A viewer shows ``shown`` first.

    Equal stacks with the same labels become one sample, whatever their locks. Waits of kinds that
    Go's profiles do not have get a label that names the primitive.
    """
    assert shown.kind is not None  # a capture always has a kind
    marks = MARKS[ContentionKind(int(shown.kind))]
    mask = moment.choose(shown.kind, wanted)
    mask &= (moment.values.columns != 0).any(axis=0)
    primitives = moment.buckets.primitive[mask] * (shown.kind in NAMED_KINDS)
    sets = moment.buckets.labels[mask]
    keys, group = np.unique(
        np.stack((moment.buckets.node[mask], primitives, sets)), axis=1, return_inverse=True
    )
    nodes = keys[0]
    kinds, labels = np.unique(keys[1:], axis=1, return_inverse=True)
    given = moment.labels.list_sets()
    groups: Int32s = group.ravel().astype(np.int32)
    sums = np.zeros((2, len(nodes)), dtype=np.int64)
    for column, values in zip(sums, moment.values.columns[:, mask], strict=True):
        _loops.sum_own(groups, np.ascontiguousarray(values), column)
    strings = moment.definitions.strings
    samples = ProfileRows(
        node=nodes,
        labels=labels.ravel(),
        values=list(sums),
        label_sets=[
            (*given.get(label_set, ()), *(((LABEL, strings[text]),) if text else ()))
            for text, label_set in kinds.T.tolist()
        ],
        types=[SampleType(each.name, each.unit) for each in CONTENTION_TYPES],
        default_type=CONTENTION_TYPES[shown.column].name,
    )
    origin = Origin(marks.period_type, 1, time_unix_ns, moment.wall_ns, executable)
    tables = make_tables(moment.definitions, samples, origin)
    return tables._replace(comments=(marks.comment,), doc_url=marks.doc_url)
