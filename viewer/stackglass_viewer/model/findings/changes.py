"""Findings in a difference: what grew, what shrank."""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int64s
from stackglass_viewer.model.findings.finding import Finding, Kind
from stackglass_viewer.model.findings.names import is_entry, is_real
from stackglass_viewer.model.findings.nesting import Nesting
from stackglass_viewer.model.graph.top import TopTable

_CHANGE_SHARE = 0.1  # least share of the sum of all changes
_CUM_SHARE, _CUM_INNER = 0.2, 0.9  # least share of a change with callees; of it, below another one
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
        for sign in (1, -1):
            found += _find_cum_change(top, moved, nesting, found, sign)
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
    top: TopTable, moved: int, nesting: Nesting, named: list[Finding], sign: int
) -> list[Finding]:
    """Find a function with a large change with its callees, if nearly all of it is not that of a
    function that is named: the outermost one that only one of the two profiles has, else the
    innermost one."""
    sizes: Int64s = sign * top.cum
    order = np.argsort(-sizes, kind="stable")[: 4 * _MOST_LOOKED_AT].tolist()
    large = [
        at
        for at in order
        if sizes[at] >= _CUM_SHARE * moved and is_real(top.name[at]) and not is_entry(top.name[at])
    ][:_MOST_LOOKED_AT]
    if not large:
        return []
    known = [each.function for each in named]
    sums: Int64s = sign * nesting(large, [*large, *known])
    holds: Bools = sums >= _CUM_INNER * sizes[[*large, *known]]  # nearly all of the inner one
    holds_most: Bools = sums >= _CUM_INNER * sizes[large][:, np.newaxis]  # of the outer one
    only = [place for place, at in enumerate(large) if _is_in_one(top, at)]
    chosen = [place for place in only if not holds[only, place].any()]
    if not only:
        chosen = [place for place in range(len(large)) if not holds_most[place].any()]
    for place in chosen[:1]:
        at = large[place]
        if at not in known and not (sums[place, len(large) :] >= _CUM_INNER * sizes[at]).any():
            share = abs(int(top.cum[at])) / (top.total or moved)
            return [Finding(Kind.CUM_CHANGED, at, share=share, value=int(top.cum[at]))]
    return []


def _is_in_one(top: TopTable, function: int) -> bool:
    """Whether only one of the two profiles has a function."""
    before = top.cum_before
    if before is None:
        return False
    return not before[function] or not before[function] + top.cum[function]
