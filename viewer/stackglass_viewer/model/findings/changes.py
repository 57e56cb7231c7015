"""Findings in a difference: what grew, what shrank."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int64s
from stackglass_viewer.model.findings.finding import Finding, FindingKind
from stackglass_viewer.model.findings.names import is_entry, is_real
from stackglass_viewer.model.findings.nesting import Nesting
from stackglass_viewer.model.graph.top import TopTable

_CHANGE_SHARE = 0.1  # least share that a flat change has of the sum of all changes
_CUM_SHARE = 0.2  # least share that a cum change has of the sum of all changes
_NEARLY_ALL = 0.9  # a function explains a cum change if this share of the change is in its calls
_MOST_CANDIDATES = 16


def find_changes(top: TopTable, nesting: Nesting | None) -> tuple[Finding, ...]:
    """Return the findings. ``share`` refers to ``top.total``, or if that is 0 to the sum of all
    changes."""
    moved = int(np.abs(top.flat).sum())
    if not moved:
        return ()
    most, least = int(np.argmax(top.flat)), int(np.argmin(top.flat))
    found = []
    for kind, function, sign in ((FindingKind.GREW, most, 1), (FindingKind.SHRANK, least, -1)):
        value = int(top.flat[function])
        if value * sign >= _CHANGE_SHARE * moved:
            share = abs(value) / (top.total or moved)
            found.append(Finding(kind, function, share=share, value=value))
    change = int(top.flat.sum())
    of_base = abs(change) / top.total_before if top.total_before else None
    if not found:
        return _find_even_change(top, moved, change, of_base) if change else ()
    if nesting is not None:
        for sign in (1, -1):
            found += _find_cum_change(top, moved, nesting, found, sign)
    if change:
        found.insert(0, Finding(FindingKind.TOTAL_CHANGED, value=change, share_of_base=of_base))
    return tuple(found)


def _find_even_change(
    top: TopTable, moved: int, change: int, of_base: float | None
) -> tuple[Finding, ...]:
    """Return the finding that the total changed while no function stands out."""
    largest = int(np.abs(top.flat).max()) / moved
    count = int(np.count_nonzero(top.flat))
    return (
        Finding(
            FindingKind.ALL_CHANGED, share=largest, count=count, value=change, share_of_base=of_base
        ),
    )


def _find_cum_change(
    top: TopTable, moved: int, nesting: Nesting, named: list[Finding], sign: int
) -> list[Finding]:
    """Find a function with a large cum change, unless a named function explains the change. The
    function is the outermost that only one of the two profiles has, else the innermost."""
    sizes: Int64s = sign * top.cum
    order = np.argsort(-sizes, kind="stable")[: 4 * _MOST_CANDIDATES].tolist()
    large = [
        at
        for at in order
        if sizes[at] >= _CUM_SHARE * moved and is_real(top.name[at]) and not is_entry(top.name[at])
    ][:_MOST_CANDIDATES]
    if not large:
        return []
    known = [each.function for each in named]
    sums: Int64s = sign * nesting(large, [*large, *known])
    holds_inner: Bools = sums >= _NEARLY_ALL * sizes[[*large, *known]]  # nearly all of the inner
    is_inside: Bools = sums >= _NEARLY_ALL * sizes[large][:, np.newaxis]  # nearly all of the outer
    only = [index for index, at in enumerate(large) if _is_in_one(top, at)]
    chosen = [index for index in only if not holds_inner[only, index].any()]
    if not only:
        chosen = [index for index in range(len(large)) if not is_inside[index].any()]
    for index in chosen[:1]:
        at = large[index]
        if at not in known and not is_inside[index, len(large) :].any():
            share = abs(int(top.cum[at])) / (top.total or moved)
            return [Finding(FindingKind.CUM_CHANGED, at, share=share, value=int(top.cum[at]))]
    return []


def _is_in_one(top: TopTable, function: int) -> bool:
    """Whether only one of the two profiles has a function."""
    before = top.cum_before
    if before is None:
        return False
    return not before[function] or not before[function] + top.cum[function]
