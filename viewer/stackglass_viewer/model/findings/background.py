"""Background: what is known of a profile besides its call tree, for findings about the whole."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.call_tree import CallTree, sum_type
from stackglass_viewer.model.graph.top import TopTable, build_top, measure_whole
from stackglass_viewer.model.profile.label_table import (
    LabelTable,
    build_label_tables,
    index_profile,
)
from stackglass_viewer.model.profile.label_values import LabelledValues
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.sample_counts import list_counts
from stackglass_viewer.model.units import find_scale

_CPU, _DELAY, _WAITS = "cpu", "delay", "contentions"
_IN_USE, _ALLOCATED = "inuse_space", "alloc_space"


@dataclass(frozen=True, slots=True, eq=False)
class Background:
    """What is known besides the tree. The defaults mean: not known, or not of this sample type."""

    duration_ns: int = 0  # length of the profile of CPU time or delays; 0 = not known
    n_waits: int | None = None  # of a profile of delays
    allocated: TopTable | None = None  # all that was allocated, beside memory in use
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
    background = Background(
        duration_ns=profile.duration_ns if has_time and is_whole else 0,
        n_waits=n_waits,
        allocated=allocated,
    )
    if not is_whole or not len(profile.labels.key):
        return background
    labelled = LabelledValues(
        index_profile(profile),
        weights=profile.samples.values[sample_type],
        counts=list_counts(profile),
        whole=measure_whole(profile, sample_type),
        unit=unit,
    )
    return tabulate_labels(background, labelled)


def tabulate_labels(background: Background, labelled: LabelledValues) -> Background:
    """Return the background with the tables of all labels."""
    counts = labelled.counts
    if counts is None:
        counts = np.ones(len(labelled.weights), np.int64)
    tables = build_label_tables(labelled.index, labelled.weights, counts)
    return Background(
        background.duration_ns, background.n_waits, background.allocated, tables, labelled.whole
    )
