"""Findings in a difference: what grew, what shrank."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.findings.finding import Finding, Kind
from stackglass_viewer.model.findings.names import is_entry, is_real
from stackglass_viewer.model.findings.nesting import Nesting
from stackglass_viewer.model.graph.top import TopTable

_CHANGE_SHARE = 0.1  # least share of the sum of all changes
_CUM_SHARE, _CUM_INNER = 0.5, 0.9  # least share of a change with callees; of it, below another one
_MOST_LOOKED_AT = 16


def find_changes(top: TopTable, nesting: Nesting | None) -> tuple[Finding, ...]:
    """Return the findings. ``share`` is the table's: of the base, or without one of all changes."""
    moved = int(np.abs(top.flat).sum())
    if not moved:
        return ()
    most, least = int(np.argmax(top.flat)), int(np.argmin(top.flat))
    found = []
    for kind, function, sign in ((Kind.GREW, most, 1), (Kind.SHRANK, least, -1)):
        value = int(top.flat[function])
        if value * sign >= _CHANGE_SHARE * moved:
            share = abs(value) / (top.total or moved)
            found.append(Finding(kind, function, share=share, value=value))
    change = int(top.flat.sum())
    of_base = abs(change) / top.total_before if top.total_before else None
    if not found:
        return _find_even_change(top, moved, change, of_base) if change else ()
    if nesting is not None:
        found += _find_cum_change(top, moved, nesting, found)
    if change:
        found.insert(0, Finding(Kind.TOTAL_CHANGED, value=change, share_of_base=of_base))
    return tuple(found)


def _find_even_change(
    top: TopTable, moved: int, change: int, of_base: float | None
) -> tuple[Finding, ...]:
    largest = int(np.abs(top.flat).max()) / moved
    count = int(np.count_nonzero(top.flat))
    return (
        Finding(Kind.ALL_CHANGED, share=largest, count=count, value=change, share_of_base=of_base),
    )


def _find_cum_change(
    top: TopTable, moved: int, nesting: Nesting, named: list[Finding]
) -> list[Finding]:
    """Find the innermost function with a large change that is not one of its own."""
    sizes = np.abs(top.cum)
    order = np.argsort(-sizes, kind="stable")[: 4 * _MOST_LOOKED_AT].tolist()
    large = [
        at
        for at in order
        if sizes[at] >= _CUM_SHARE * moved and is_real(top.name[at]) and not is_entry(top.name[at])
    ][:_MOST_LOOKED_AT]
    known = {each.function for each in named}
    nearer = [*large, *known]
    if not large:
        return []
    inner = np.abs(nesting(large, nearer))
    for place, at in enumerate(large):
        is_outer = (inner[place] >= _CUM_INNER * sizes[at]).any()
        if at not in known and not is_outer:
            share = sizes[at] / (top.total or moved)
            value = int(top.cum[at])
            return [Finding(Kind.CUM_CHANGED, at, share=float(share), value=value)]
    return []
