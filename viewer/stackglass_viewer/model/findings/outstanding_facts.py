"""Outstanding facts of a profile, the most important first. Each has a threshold, so that facts
that are true of most profiles are left out."""

from __future__ import annotations

from stackglass_viewer.model.findings.background import Background
from stackglass_viewer.model.findings.changes import find_changes
from stackglass_viewer.model.findings.finding import Finding, FindingKind
from stackglass_viewer.model.findings.flat_values import (
    find_caveats,
    find_collecting,
    find_even,
    find_largest,
    find_most_called,
    find_own,
    find_package_share,
)
from stackglass_viewer.model.findings.nesting import Nesting, TreeNesting
from stackglass_viewer.model.findings.paths import (
    add_callees,
    find_by_callers,
    find_common,
    find_common_path,
    find_imports,
    find_mine,
    find_recursion,
)
from stackglass_viewer.model.findings.whole_profile import (
    find_allocated,
    find_labels,
    find_use,
    find_waits,
)
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues
from stackglass_viewer.model.graph.top import TopTable

MOST = 6  # most findings, besides caveats
_FEW_SAMPLES = 400  # with fewer, a share may be uncertain by more than 5 percentage points
_CONFIDENCE = 1.96  # standard errors of a normal distribution: 95 % confidence
_NOTHING = Background()
_ORDER = (
    FindingKind.IDLE,
    FindingKind.WAITS,
    FindingKind.OWN,
    FindingKind.LARGEST,
    FindingKind.EVEN,
    FindingKind.PATH,
    FindingKind.MINE,
    FindingKind.COMMON,
    FindingKind.LABEL,
    FindingKind.ALLOCATED,
    FindingKind.IMPORT,
    FindingKind.GC,
    FindingKind.NATIVE,
    FindingKind.PACKAGE,
    FindingKind.SHARED,
    FindingKind.RECURSION,
    FindingKind.ALLOCATING,
    FindingKind.BUSY,
    FindingKind.CALLS,
)
"""Kinds of findings, the most important first."""


def find_outstanding(
    tree: CallTree | None,
    values: NodeValues | None,
    top: TopTable,
    n_samples: int | None = None,
    background: Background = _NOTHING,
    calls: Nesting | None = None,
) -> tuple[Finding, ...]:
    """Return the findings, the most important first. ``tree`` None: the profile has no stacks.
    ``n_samples`` None: the number is not known. ``calls``: the nesting of a profile without stacks.
    May run in any thread."""
    in_tree = None
    if tree is not None and values is not None and tree.n_nodes > 1:
        in_tree = TreeNesting(tree, values)
    nesting = in_tree.sum_inner if in_tree is not None else calls
    if top.is_change:
        return find_changes(top, nesting)
    if top.total <= 0:
        return ()
    found = find_use(top, background) + find_waits(top, background)
    found += find_own(top) or find_largest(top)
    if tree is not None and values is not None:
        found += find_common_path(tree, values, top)
        found += find_by_callers(tree, values, top)
    mine = find_mine(nesting, top, found)
    if tree is not None and values is not None:
        mine = add_callees(tree, values, top, mine)
    found += mine
    if nesting is not None:
        common = find_common(nesting, top, found)
        if tree is not None and values is not None:
            common = add_callees(tree, values, top, common)
        found += common
    if in_tree is not None and tree is not None:
        found += find_recursion(in_tree, tree, top)
    found += find_imports(nesting, top)
    found += find_package_share(top) + find_collecting(top)
    found += find_labels(top, background) + find_allocated(top, background)
    found += find_even(top) + find_most_called(top)
    caveats = find_caveats(top)
    if n_samples is not None and 0 < n_samples < _FEW_SAMPLES:
        caveats.append(
            Finding(FindingKind.FEW, share=_CONFIDENCE * 0.5 / n_samples**0.5, count=n_samples)
        )
    return (*_choose(found), *caveats)


def _choose(found: list[Finding]) -> list[Finding]:
    """Return the most important findings, in their order."""
    return sorted(found, key=lambda each: _ORDER.index(each.kind))[:MOST]
