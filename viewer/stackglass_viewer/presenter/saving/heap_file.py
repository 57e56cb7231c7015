"""Conversion of a capture's heap to the pprof profile that Go calls ``heap``."""

from __future__ import annotations

import numpy as np

from stackglass.wire import messages
from stackglass.wire.definitions import Definitions
from stackglass.wire.heap_profile import describe_memory
from stackglass.wire.heap_recording import HeapRecording
from stackglass.wire.pprof import LabelSet, ProfileTables, SampleType
from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.heap.buckets import HEAP_TYPES, HeapColumn
from stackglass_viewer.model.heap.snapshot import HeapMoment, value_buckets
from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.presenter.saving.profile_tables import Origin, ProfileRows, make_tables

_PERIOD_TYPE = SampleType("space", "bytes")
_SIZE_LABEL = "bytes"
_MAX_VALUE = 2**63 - 1


def to_heap_profile(
    moment: HeapMoment,
    definitions: DefinitionColumns,
    default: HeapColumn,
    time_unix_ns: int,
    executable: str,
    columns: Int64s | None = None,
) -> ProfileTables:
    """Return the heap at a moment, with all four values. A viewer shows ``default`` first.

    ``columns``: (4, n_buckets) by HeapColumn, in place of the moment's values; a growth may have
    negative values.
    Buckets of the same stack, size class and label set become one row. Its label ``bytes`` is the
    largest size of the class, as in files of the engine's own recorder.
    """
    node, size, sets, folded = _fold(moment, columns)
    kinds, which = np.unique(np.stack((size, sets)), axis=1, return_inverse=True)
    given = moment.labels.list_sets()
    labels: list[LabelSet] = [
        (*given.get(label_set, ()), (_SIZE_LABEL, size_bytes))
        for size_bytes, label_set in kinds.T.tolist()
    ]
    samples = ProfileRows(
        node=node,
        labels=which.ravel(),
        values=list(folded),
        label_sets=labels,
        types=[SampleType(each.name, each.unit) for each in HEAP_TYPES],
        default_type=HEAP_TYPES[default].name,
    )
    origin = Origin(
        period_type=_PERIOD_TYPE,
        period=_find_rate(moment),
        time_unix_ns=time_unix_ns,
        duration_ns=0,
        executable=executable,
        comments=_comment(moment),
    )
    return make_tables(definitions, samples, origin)


def _comment(moment: HeapMoment) -> tuple[str, ...]:
    """Return the comments about the process's memory, as the engine's recorder writes them."""
    recording = HeapRecording(Definitions())
    if moment.status is not None:
        fields = messages.HeapStatus._fields
        recording.status = messages.HeapStatus(
            **{name: getattr(moment.status, name) for name in fields}
        )
    return describe_memory(recording)


def _fold(moment: HeapMoment, columns: Int64s | None) -> tuple[Int64s, Int64s, Int64s, Int64s]:
    """Return stacks, size classes, label sets (n,) and values (4, n), with equal rows added up."""
    allocs = moment.sums.columns[0]
    values = value_buckets(moment).columns if columns is None else columns
    if columns is not None:
        is_there = values.any(axis=0)
    elif moment.since is None:
        is_there = allocs > 0
    else:
        is_there = (allocs > 0) & values.any(axis=0)
    node = moment.buckets.node[is_there].astype(np.int64)
    size = np.minimum(moment.buckets.size_bytes[is_there], _MAX_VALUE).astype(np.int64)
    sets = moment.buckets.labels[is_there].astype(np.int64)
    values = values[:, is_there]
    keys, group = np.unique(np.stack((node, size, sets)), axis=1, return_inverse=True)
    summed = np.zeros((len(values), keys.shape[1]), dtype=np.float64)
    folded = np.zeros((len(values), keys.shape[1]), dtype=np.int64)
    group = group.reshape(-1)
    for column, rough, total in zip(values, summed, folded, strict=True):
        np.add.at(total, group, column)
        np.add.at(rough, group, column.astype(np.float64))
    folded[summed >= _MAX_VALUE] = _MAX_VALUE  # pprof values are int64
    return keys[0], keys[1], keys[2], folded


def _find_rate(moment: HeapMoment) -> int:
    """Return the current rate; if it is off, the last bucket's; 0 = there is no bucket."""
    if moment.status is not None and moment.status.rate:
        return min(int(moment.status.rate), _MAX_VALUE)
    return min(int(moment.buckets.rate[-1]), _MAX_VALUE) if len(moment.buckets) else 0
