"""Findings in the table of functions: large flat values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.findings.finding import Finding, FindingKind, RelatedFunction
from stackglass_viewer.model.findings.names import (
    PARKED,
    Package,
    find_package,
    is_real,
    is_unnamed,
)
from stackglass_viewer.model.graph.search import Query, match_frames
from stackglass_viewer.model.graph.top import TopTable

# Shares are of the profile's total, unless the comment says otherwise.
_OWN_SHARE = 0.2  # least flat share of a function that is named (FindingKind.OWN)
_MOST_OWN = 3  # most functions that are named
_EVEN_SHARE = 0.1  # all flat shares are below this in an even profile (FindingKind.EVEN)
_EVEN_FUNCTIONS = 20  # least number of functions in an even profile
# FindingKind.EVEN counts the functions that make up half the total, and this share of it.
_EVEN_PART = 0.9
_CALLS_SHARE = 0.1  # least share of all calls (FindingKind.CALLS)
_PACKAGE_SHARE, _PACKAGE_MOST = 0.3, 0.9  # least and most share of a package (FindingKind.PACKAGE)
_PACKAGE_FUNCTIONS = 3  # least number of its functions with a flat value
_PACKAGE_OWN = 0.6  # most share that OWN functions may have of their package
_GC_SHARE, _ALLOCATING_SHARE, _LOST_SHARE, _UNNAMED_SHARE = 0.05, 0.1, 0.01, 0.1
_GC = ("<gc>", "runtime.gcBgMarkWorker")
_ALLOCATING = ("runtime.mallocgc",)
_LOST = ("<lost samples>", "<truncated>")


def find_own(top: TopTable) -> list[Finding]:
    """Find the functions with large flat shares."""
    order = _rank(top.flat)[: _MOST_OWN + len(_LOST) + 2].tolist()
    large = [at for at in order if top.flat[at] >= _OWN_SHARE * top.total]
    named = [at for at in large if is_real(top.name[at])][:_MOST_OWN]
    return [Finding(FindingKind.OWN, at, share=top.flat[at] / top.total) for at in named]


def find_largest(top: TopTable) -> list[Finding]:
    """Find the function with the largest flat share, for a profile without OWN functions; none if
    the profile is even. ``count``: the number of functions that make up half the total; 0 = the
    table has few, or placeholders have more than half. ``value``: 1 if no placeholder has a larger
    share, else 0."""
    order = _rank(top.flat)[: len(_LOST) + 3].tolist()
    named = [at for at in order if is_real(top.name[at])]
    if not named or top.flat[named[0]] < _EVEN_SHARE * top.total:
        return []
    if top.name[order[0]] == PARKED:
        return []
    is_largest = int(top.flat[named[0]] == top.flat[order[0]])
    share = top.flat[named[0]] / top.total
    n_functions = int(np.count_nonzero(top.flat))
    count = _count_for(top, 0.5) if n_functions >= _EVEN_FUNCTIONS else 0
    return [Finding(FindingKind.LARGEST, named[0], share=share, count=count, value=is_largest)]


def find_even(top: TopTable) -> list[Finding]:
    """Report that no function stands out. ``count``, ``value``: the numbers of functions that make
    up 90 % and half of the total; 0 = placeholders have too much. Then the part is the largest
    placeholder, if it has more than any function."""
    functions = [at for at in np.flatnonzero(top.flat > 0).tolist() if is_real(top.name[at])]
    if len(functions) < _EVEN_FUNCTIONS:
        return []
    largest = int(top.flat[functions].max())
    if largest >= _EVEN_SHARE * top.total:
        return []
    half, count = _count_for(top, 0.5), _count_for(top, _EVEN_PART)
    first = int(np.argmax(top.flat))
    parts: tuple[RelatedFunction, ...] = ()
    if not half and top.flat[first] > largest:
        parts = (RelatedFunction(first, top.flat[first] / top.total),)
    share = largest / top.total
    return [Finding(FindingKind.EVEN, share=share, count=count, value=half, parts=parts)]


def find_most_called(top: TopTable) -> list[Finding]:
    """Find the function that is called most often, if calls were counted. ``count``: its calls."""
    if top.calls is None or not top.n_functions:
        return []
    calls = np.maximum(top.calls, 0)
    most = int(np.argmax(calls))
    if calls[most] < _CALLS_SHARE * max(int(calls.sum()), 1) or (top.flat == calls).all():
        return []  # if the values are the calls, OWN or LARGEST names the function
    share = top.flat[most] / top.total
    return [Finding(FindingKind.CALLS, most, share=share, count=int(calls[most]))]


def find_package_share(top: TopTable) -> list[Finding]:
    """Find the package or file with the largest flat share, if no function of it stands out."""
    sums: dict[Package, int] = {}
    for at in np.flatnonzero(top.flat > 0).tolist():
        package = find_package(top.name[at], top.file[at])
        if package is not None:
            sums[package] = sums.get(package, 0) + int(top.flat[at])
    largest = max(sums, key=lambda each: sums[each], default=None)
    if largest is None or sums[largest] < _PACKAGE_SHARE * top.total:
        return []
    name, pattern = largest
    # The finding's link filters the table by the pattern, so count what the pattern matches.
    is_in = match_frames(top.name, top.file, Query(pattern)) & (top.flat > 0)
    flat = top.flat[is_in]
    share, count = int(flat.sum()) / top.total, len(flat)
    if share >= _PACKAGE_MOST or count < _PACKAGE_FUNCTIONS:
        return []
    of_own = int(flat[flat >= _OWN_SHARE * top.total].sum())
    if max(of_own, int(flat.max())) > _PACKAGE_OWN * int(flat.sum()):
        return []
    return [Finding(FindingKind.PACKAGE, share=share, count=count, name=name, detail=pattern)]


def find_collecting(top: TopTable) -> list[Finding]:
    """Find the garbage collector, and Go's allocator."""
    found = find_named(top, _GC, FindingKind.GC, _GC_SHARE)
    return found + find_named(top, _ALLOCATING, FindingKind.ALLOCATING, _ALLOCATING_SHARE)


def find_caveats(top: TopTable) -> list[Finding]:
    """Find placeholders for lost samples, and code without names. ``function``: the largest row."""
    found = find_named(top, _LOST, FindingKind.LOST, _LOST_SHARE)
    rows = [at for at in np.flatnonzero(top.flat > 0).tolist() if is_unnamed(top.name[at])]
    share = top.flat[rows].sum() / top.total if rows else 0.0
    if share >= _UNNAMED_SHARE:
        largest = max(rows, key=lambda at: int(top.flat[at]))
        found.append(Finding(FindingKind.UNNAMED, largest, share=float(share), count=len(rows)))
    return found


def find_named(
    top: TopTable, names: Sequence[str], kind: FindingKind, least: float
) -> list[Finding]:
    """Find the functions of these names with a cum share of at least ``least``."""
    rows = [at for at, name in enumerate(top.name) if name in names]
    shares = [(at, top.cum[at] / top.total) for at in rows]
    return [Finding(kind, at, share=float(share)) for at, share in shares if share >= least]


def _rank(values: Int64s) -> Int64s:
    """Return the rows, the largest value first."""
    return np.argsort(-values, kind="stable")


def _count_for(top: TopTable, part: float) -> int:
    """Return how many functions, the largest first, make up a part of the total; 0 = all of them
    have less. Placeholders do not count."""
    functions = [at for at in np.flatnonzero(top.flat > 0).tolist() if is_real(top.name[at])]
    sums = np.cumsum(np.sort(top.flat[functions])[::-1])
    reached = int(np.searchsorted(sums, part * top.total))
    return reached + 1 if reached < len(sums) else 0
