"""Background: facts about a profile that its call tree lacks, for findings about the whole."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from stackglass_viewer.model.columns.index import TypeId, freeze
from stackglass_viewer.model.graph.call_tree import CallTree, sum_type
from stackglass_viewer.model.graph.top import TopTable, build_top, measure_whole
from stackglass_viewer.model.profile.label_table import (
    LabelTable,
    build_label_tables,
    index_profile,
)
from stackglass_viewer.model.profile.label_values import LabelledValues
from stackglass_viewer.model.profile.numeric_labels import group_by_key
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.sample_counts import list_counts
from stackglass_viewer.model.units import find_scale
from stackglass_viewer.native import _loops

_CPU, _DELAY, _WAITS = "cpu", "delay", "contentions"
_MANY_LABELS = 200_000  # an index of more labels takes seconds
# A longer duration is wrong: some converters write the time of the end in its place.
_LONGEST_NS = 366 * 24 * 3600 * 10**9
_IN_USE, _ALLOCATED = "inuse_space", "alloc_space"


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """The facts. A default value means: not known, or not for this sample type."""

    duration_ns: int = 0  # length of the profile of CPU time or delays; 0 = not known
    n_waits: int | None = None  # number of waits in a profile of delays
    allocated: TopTable | None = None  # for memory in use: all allocations of the same profile
    labels: tuple[LabelTable, ...] = ()
    whole: int = 0  # the value of 100 % for ``labels``


def describe_profile(
    profile: Profile, tree: CallTree, sample_type: TypeId, is_whole: bool
) -> Background:
    """Return the background of a file's sample type. ``tree``: of all samples.
    ``is_whole``: no sample is filtered out, except by time. Any thread."""
    names = [each.name for each in profile.sample_types]
    name, unit = names[sample_type], profile.sample_types[sample_type].unit
    has_time = find_scale(unit)[0] == "time" and name in (_CPU, _DELAY)
    n_waits = None
    if name == _DELAY and _WAITS in names:
        n_waits = int(profile.samples.values[names.index(_WAITS)].sum())
    allocated = None
    if name == _IN_USE and _ALLOCATED in names:
        values = sum_type(tree, profile, TypeId(names.index(_ALLOCATED)))
        allocated = build_top(tree, values)
    is_credible = profile.duration_ns <= _LONGEST_NS
    background = Background(
        duration_ns=profile.duration_ns if has_time and is_whole and is_credible else 0,
        n_waits=n_waits,
        allocated=allocated,
    )
    if not is_whole or not len(profile.labels.key):
        return background
    whole = measure_whole(profile, sample_type)
    if len(profile.labels.key) > _MANY_LABELS:
        tables = _sum_texts(profile, sample_type)
        return replace(background, labels=tables, whole=whole)
    labelled = LabelledValues(
        index_profile(profile),
        weights=profile.samples.values[sample_type],
        counts=list_counts(profile),
        whole=whole,
        unit=unit,
    )
    return tabulate_labels(background, labelled)


def _sum_texts(profile: Profile, sample_type: TypeId) -> tuple[LabelTable, ...]:
    """Return the tables of a large file's text labels, without an index of all pairs of sample and
    label. A key that a sample has twice is left out."""
    labels, strings, values = profile.labels, profile.strings, profile.samples.values
    tables = []
    texts = np.flatnonzero(labels.text >= 0)
    for key, rows in sorted(group_by_key(labels, strings, texts).items()):
        bearers = labels.sample[rows]
        if not (np.diff(bearers) > 0).all():
            continue
        used, inverse = np.unique(labels.text[rows], return_inverse=True)
        number_of = inverse.astype(np.int32)
        flat, samples = np.zeros(len(used), np.int64), np.zeros(len(used), np.int64)
        _loops.sum_own(number_of, values[sample_type][bearers], flat)
        _loops.sum_own(number_of, np.ones(len(rows), np.int64), samples)
        sums: dict[str, list[int]] = {}
        each = zip(used.tolist(), flat.tolist(), samples.tolist(), strict=True)
        for text, value, count in each:  # two strings may have the same text
            both = sums.setdefault(strings[text], [0, 0])
            both[0] += value
            both[1] += count
        names = sorted(sums, key=lambda name: (-abs(sums[name][0]), name))
        values_of, counts_of = np.array([sums[name] for name in names], np.int64).T
        freeze(values_of, counts_of)
        total = int(values_of.sum())
        tables.append(LabelTable(key, tuple(names), values_of, counts_of, total))
    return tuple(tables)


def tabulate_labels(background: Background, labelled: LabelledValues) -> Background:
    """Return the background with the tables of all labels."""
    counts = labelled.counts
    if counts is None:
        counts = np.ones(len(labelled.weights), np.int64)
    tables = build_label_tables(labelled.index, labelled.weights, counts)
    return replace(background, labels=tables, whole=labelled.whole)
