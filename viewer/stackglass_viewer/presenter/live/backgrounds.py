"""Background of a session's sample types, for the summary: labels, waits, allocated memory."""

from __future__ import annotations

from collections.abc import Callable

from stackglass_viewer.model.contention.buckets import ContentionColumn
from stackglass_viewer.model.contention.snapshot import (
    ContentionFilter,
    ContentionMoment,
    sum_contention,
)
from stackglass_viewer.model.findings.background import Background, tabulate_labels
from stackglass_viewer.model.graph.top import build_top
from stackglass_viewer.model.heap.buckets import HeapColumn
from stackglass_viewer.model.heap.snapshot import HeapMoment, sum_heap
from stackglass_viewer.model.profile.label_values import LabelledValues
from stackglass_viewer.presenter.settings.sample_choice import ContentionChoice


def add_labels(describe: Callable[[], Background], labelled: LabelledValues | None) -> Background:
    """Return the background with the tables of all labels. ``labelled`` None: samples are filtered
    by labels. Any thread."""
    background = describe()
    return background if labelled is None else tabulate_labels(background, labelled)


def describe_allocated(moment: HeapMoment) -> Background:
    """Return the background of the memory in use. Any thread."""
    values = sum_heap(moment, HeapColumn.ALLOC_SPACE)
    return Background(allocated=build_top(moment.tree, values))


def describe_waits(
    moment: ContentionMoment, choice: ContentionChoice, wanted: ContentionFilter
) -> Background:
    """Return the background of a kind of waits. Any thread."""
    if choice.kind is None or not choice.is_delay:
        return Background()
    counts = sum_contention(moment, choice.kind, ContentionColumn.COUNT, wanted)
    return Background(moment.wall_ns, n_waits=int(counts.total[0]))
