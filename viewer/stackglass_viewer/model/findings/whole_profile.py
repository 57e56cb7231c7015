"""Findings about the whole profile: processors, waits, memory, labels."""

from __future__ import annotations

import re

import numpy as np

from stackglass_viewer.model.findings.background import Background
from stackglass_viewer.model.findings.finding import Finding, FindingKind, RelatedFunction
from stackglass_viewer.model.findings.names import is_real
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.model.units import find_scale

_IDLE, _BUSY = 0.5, 1.5  # busy processors: IDLE below the first, BUSY from the second on
_KEPT_SHARE = 0.5  # most share of the allocated memory that is still in use (FindingKind.ALLOCATED)
_LABEL_SHARE = 0.3  # least share of a label's value (FindingKind.LABEL)
_LABEL_LEAD = 1.5  # least multiple that this value is of the key's next value
_MOST_THREAD = 0.9  # a thread with this share is not reported: the program has in effect one thread
THREAD_KEYS = ("thread", "thread name", "thread_name")
_MOST_LABELS = 2  # most labels that are named
# The values of these keys are numbers of threads or requests; another key has their names.
_NUMBERING = re.compile(r"(?:^|[_. -])(?:id|tid|pid)$", re.IGNORECASE)


def find_use(top: TopTable, background: Background) -> list[Finding]:
    """Find how many processors were busy. ``share``: their number; ``value``: the CPU time in
    ``top.unit``; ``count``: the duration, ns."""
    if background.duration_ns <= 0 or background.n_waits is not None:
        return []
    used_ns = top.total * find_scale(top.unit)[1]
    share = used_ns / background.duration_ns
    kind = FindingKind.IDLE if share < _IDLE else FindingKind.BUSY
    if _IDLE <= share < _BUSY:
        return []
    return [Finding(kind, share=share, value=top.total, count=background.duration_ns)]


def find_waits(top: TopTable, background: Background) -> list[Finding]:
    """Find the number of waits. ``share``: the mean number of waiting threads; 0 = not known."""
    if not background.n_waits or background.n_waits < 0:
        return []
    delay_ns = top.total * find_scale(top.unit)[1]
    share = delay_ns / background.duration_ns if background.duration_ns > 0 else 0.0
    return [Finding(FindingKind.WAITS, share=share, value=top.total, count=background.n_waits)]


def find_allocated(top: TopTable, background: Background) -> list[Finding]:
    """Find how much of the allocated memory is still in use. ``value``: the sum of all allocations;
    the part is the function that allocated most."""
    table = background.allocated
    if table is None or table.total <= 0 or top.total > _KEPT_SHARE * table.total:
        return []
    order = np.argsort(-table.flat, kind="stable")[:4].tolist()
    named = [at for at in order if is_real(table.name[at]) and table.flat[at] > 0][:1]
    parts = tuple(RelatedFunction(at, table.flat[at] / table.total) for at in named)
    share = top.total / table.total
    return [Finding(FindingKind.ALLOCATED, share=share, value=table.total, parts=parts)]


def find_labels(top: TopTable, background: Background) -> list[Finding]:
    """Find the labels with a value that stands out among the values of its key. A value that only
    repeats a function's name is left out."""
    found = []
    for table in background.labels:
        if _NUMBERING.search(table.key) or (table.flat < 0).any() or background.whole <= 0:
            continue
        first, *others = table.flat.tolist()
        most = _MOST_THREAD if table.key in THREAD_KEYS else 1.0
        is_all = first >= most * background.whole
        if first < _LABEL_SHARE * background.whole or is_all:
            continue
        if others and first < _LABEL_LEAD * others[0]:
            continue
        share = first / background.whole
        if _repeats_function(top, table.value[0], first):
            continue
        n_values = len(table.value)
        found.append(
            Finding(
                FindingKind.LABEL,
                share=share,
                count=n_values,
                name=table.key,
                detail=table.value[0],
            )
        )
    return sorted(found, key=lambda each: -each.share)[:_MOST_LABELS]


def _repeats_function(top: TopTable, value: str, amount: int) -> bool:
    """Whether a function with the flat value ``amount`` and the label's value ``value`` have the
    same last part of their names."""
    end = value.rpartition(".")[2]
    same = np.flatnonzero(top.flat == amount).tolist()
    return any(top.name[at].rpartition(".")[2] == end for at in same)
