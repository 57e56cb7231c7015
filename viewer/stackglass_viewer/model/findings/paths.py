"""Findings in the call tree: where cost comes together and where it splits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.findings.finding import Finding, Kind, Part
from stackglass_viewer.model.findings.flat import find_named
from stackglass_viewer.model.findings.names import (
    is_entry,
    is_generic,
    is_import,
    is_importing,
    is_mine,
    is_real,
)
from stackglass_viewer.model.findings.nesting import MOST_OUTER, Nesting, TreeNesting
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues
from stackglass_viewer.model.graph.top import TopTable

# Shares are of the profile's total, unless they say otherwise.
_PATH_SHARE = 0.9  # least share of each box on the common path (Kind.PATH)
_BRANCH_SHARE = 0.05  # least share of a box where the path splits
_MOST_BRANCHES = 3  # most branches that are named
_BRANCHES_SHARE = 0.5  # least share of the named branches together
_MINE_SHARE = 0.2  # least cum share of a function of the user's own code (Kind.MINE)
_MINE_CHAIN = 0.9  # a callee with this share of its caller's cum is named in the caller's place
_MOST_MINE, _MOST_LOOKED_AT = 2, 16  # functions that are named; that are candidates
_COMMON_SHARE, _COMMON_INNER = 0.25, 0.5  # Kind.COMMON: least share; of its cum, below another one
_CALLEE_SHARE, _MOST_CALLEES = 0.05, 2  # least share of a callee that is named; most of them
_COMMON_KNOWN = 0.8  # of the cum of a function of the user's own: its callee is not named, too
_MOST_COMMON = 2  # most functions that are named
_SHARED_SHARE = 0.1  # least cum share of a function with many callers (Kind.SHARED)
_SHARED_CALLERS = 3  # least number of callers with _CALLER_SHARE of the function's cum
_CALLER_SHARE, _CALLER_MOST = 0.05, 0.5  # shares of that cum; no caller has more than the second
_MOST_SHARED = 2  # most functions that are named
_RECURSION_SHARE, _RECURSION_DEPTH = 0.15, 8  # least share of calls by itself, and least depth
_MOST_RECURSIVE = 4  # candidates
_IMPORT_SHARE, _MODULE_SHARE, _MODULE_INNER = 0.1, 0.05, 0.5  # of imports; of one; of a module
_NATIVE_SHARE = 0.25
_NATIVE, _BODY = "<native>", ".<module>"


def find_path(tree: CallTree, values: NodeValues, top: TopTable) -> list[Finding]:
    """Find where the common path splits."""
    whole = top.total
    large = np.flatnonzero(values.total >= _PATH_SHARE * whole)  # one path, from the root on
    node = int(large[np.argmax(tree.depth[large])]) if len(large) else 0
    below = np.flatnonzero(tree.parent == node)
    below = below[values.total[below] >= _BRANCH_SHARE * whole]
    if node == 0 or len(below) < 2 or tree.is_recursive[below].any():
        return []
    named = below[np.argsort(-values.total[below], kind="stable")][:_MOST_BRANCHES].tolist()
    parts = tuple(Part(int(tree.frame[at]), values.total[at] / whole) for at in named)
    if sum(part.share for part in parts) < _BRANCHES_SHARE:
        return []
    share = values.total[node] / whole
    return [Finding(Kind.PATH, int(tree.frame[node]), node, share, len(below), parts=parts)]


def find_mine(nesting: Nesting | None, top: TopTable, named: Sequence[Finding]) -> list[Finding]:
    """Find functions of the user's own code with a large cum share that neither a finding of the
    kinds OWN and SHARED nor a part of a path names. A function that has nearly all its cum from
    another such function is left out: the inner one is nearer to the cost. Functions with nearly
    everything are left out, unless there is no other, and no OWN function is the user's."""
    known = {part.function for each in named if each.kind is Kind.PATH for part in each.parts}
    own = {each.function for each in named if each.kind is Kind.OWN}
    known |= own | {each.function for each in named if each.kind is Kind.SHARED}
    large = [at for at in _iter_large(top, _MINE_SHARE) if _is_mine(top, at)][:_MOST_LOOKED_AT]
    mine = [at for at in large if not is_entry(top.name[at])]
    if not mine:  # the function that begins everything is better than nothing
        mine = [at for at in large if not top.name[at].endswith(_BODY)]
    unnamed = [at for at in _leave_inner(nesting, top, mine) if at not in known][:_MOST_MINE]
    if not large and nesting is not None and not any(_is_mine(top, at) for at in own):
        paths = {each.function for each in named if each.kind is Kind.PATH}
        whole = np.flatnonzero(top.cum >= _PATH_SHARE * top.total).tolist()
        whole = [at for at in whole if _is_mine(top, at) and not is_entry(top.name[at])]
        inner = _leave_inner(nesting, top, whole[:_MOST_LOOKED_AT])
        unnamed = [at for at in inner if at not in known | paths][:1]
    return [Finding(Kind.MINE, at, share=top.cum[at] / top.total) for at in unnamed]


def _is_mine(top: TopTable, function: int) -> bool:
    name, file = top.name[function], top.file[function]
    return is_mine(name, file) and not is_importing(name, file)


def _leave_inner(nesting: Nesting | None, top: TopTable, functions: list[int]) -> list[int]:
    """Return the functions that do not have nearly all their cum from another one."""
    if nesting is None or not functions:
        return functions
    inner = nesting(functions, functions)
    outer, _ = np.nonzero(inner >= _MINE_CHAIN * top.cum[functions][:, np.newaxis])
    return [at for place, at in enumerate(functions) if place not in outer]


def find_common(nesting: Nesting, top: TopTable, named: Sequence[Finding]) -> list[Finding]:
    """Find the innermost functions with a large cum share that no finding names, and that do not
    have most of it from another large or named function."""
    known = {part.function for each in named for part in each.parts}
    known |= {each.function for each in named}
    nearer = [
        each.function
        for each in named
        if each.function >= 0 and each.kind in (Kind.OWN, Kind.LARGEST, Kind.MINE)
    ]
    large = [
        at
        for at in _iter_large(top, _COMMON_SHARE)
        if is_real(top.name[at])
        and not is_entry(top.name[at])
        and not is_importing(top.name[at], top.file[at])
    ][: MOST_OUTER - _MOST_MINE]
    if not large:
        return []
    mine = [each.function for each in named if each.kind is Kind.MINE]
    sums = nesting([*large, *mine], [*large, *nearer])
    inner, below = sums[: len(large), : len(large)], sums[: len(large), len(large) :]
    below = below.max(axis=1, initial=0)
    limit = _COMMON_INNER * top.cum[large]
    is_said = sums[len(large) :, : len(large)] >= _COMMON_KNOWN * top.cum[mine][:, np.newaxis]
    known |= {large[place] for place in np.flatnonzero(is_said.any(axis=0)).tolist()}
    found = []
    for place, at in enumerate(large):
        holds = inner[place] >= limit[place]
        if at in known or below[place] >= limit[place]:
            continue
        # Of two functions that are below each other, the larger one is named.
        inside = [other for other in np.flatnonzero(holds).tolist()]
        if all(inner[other, place] >= limit[other] and place < other for other in inside):
            found.append(Finding(Kind.COMMON, at, share=top.cum[at] / top.total))
    return found[:_MOST_COMMON]


def add_callees(
    tree: CallTree, values: NodeValues, top: TopTable, found: Sequence[Finding]
) -> list[Finding]:
    """Return the findings with the main callees of each function as parts, without functions that
    are only a part of an earlier one."""
    added: list[Finding] = []
    known: set[int] = set()
    for each in found:
        parts = _find_callees(tree, values, top, each.function)
        if parts or each.function not in known:
            added.append(replace(each, parts=parts))
            known.update(part.function for part in parts)
    return added


def _find_callees(
    tree: CallTree, values: NodeValues, top: TopTable, function: int
) -> tuple[Part, ...]:
    calls = np.flatnonzero((tree.frame == function) & ~tree.is_recursive)
    is_call = np.zeros(tree.n_nodes, np.bool_)
    is_call[calls] = True
    below = np.flatnonzero(is_call[np.maximum(tree.parent, 0)] & (tree.parent >= 0))
    sums = np.zeros(len(tree.frame_name), np.int64)
    np.add.at(sums, tree.frame[below], values.total[below])
    sums[function] = 0
    order = np.argsort(-sums, kind="stable")[: 2 * _MOST_CALLEES].tolist()
    large = [at for at in order if sums[at] >= _CALLEE_SHARE * top.total and is_real(top.name[at])]
    return tuple(Part(at, sums[at] / top.total) for at in large[:_MOST_CALLEES])


def _iter_large(top: TopTable, least: float) -> Iterable[int]:
    """Yield the functions with a cum share of at least ``least`` that is not nearly everything."""
    order = np.argsort(-top.cum, kind="stable").tolist()
    large = takewhile(lambda at: top.cum[at] >= least * top.total, order)
    return (at for at in large if top.cum[at] < _PATH_SHARE * top.total)


class _Callers:
    """The cum of each function by direct caller; recursive calls are left out."""

    def __init__(self, tree: CallTree, values: NodeValues) -> None:
        nodes = np.flatnonzero(~tree.is_recursive)
        nodes = nodes[nodes > 0]
        self._callee = tree.frame[nodes].astype(np.int64)
        self._caller = tree.frame[tree.parent[nodes]].astype(np.int64)
        self._value = values.total[nodes]

    def of(self, function: int) -> tuple[Int64s, Int64s]:
        """Return the callers of a function and its total by each, the largest first. Caller −1 is
        the root."""
        is_meant = self._callee == function
        callers, at = np.unique(self._caller[is_meant], return_inverse=True)
        sums = np.zeros(len(callers), np.int64)
        np.add.at(sums, at, self._value[is_meant])
        order = np.argsort(-sums, kind="stable")
        return callers[order], sums[order]


def find_by_callers(tree: CallTree, values: NodeValues, top: TopTable) -> list[Finding]:
    """Find functions that are called from many places, and C code below Python functions."""
    callers = _Callers(tree, values)
    return _find_shared(callers, top) + _find_native(callers, top)


def _find_shared(callers: _Callers, top: TopTable) -> list[Finding]:
    found: list[Finding] = []
    candidates = np.flatnonzero(top.cum >= _SHARED_SHARE * top.total)
    for function in candidates[np.argsort(-top.cum[candidates], kind="stable")].tolist():
        name = top.name[function]
        if not is_real(name) or is_importing(name, top.file[function]):
            continue
        names, sums = callers.of(function)
        cum = int(top.cum[function])
        n_large = int((sums >= _CALLER_SHARE * cum).sum())
        if n_large >= _SHARED_CALLERS and sums[0] <= _CALLER_MOST * cum:
            part = Part(int(names[0]), sums[0] / cum)
            share = cum / top.total
            found.append(Finding(Kind.SHARED, function, -1, share, len(names), parts=(part,)))
        if len(found) == _MOST_SHARED:
            break
    return found


def _find_native(callers: _Callers, top: TopTable) -> list[Finding]:
    found = find_named(top, (_NATIVE,), Kind.NATIVE, _NATIVE_SHARE)
    if not found:
        return []
    names, sums = callers.of(found[0].function)
    if not len(names) or names[0] < 0:
        return found
    part = Part(int(names[0]), sums[0] / max(int(sums.sum()), 1))
    return [Finding(Kind.NATIVE, found[0].function, share=found[0].share, parts=(part,))]


def find_recursion(nesting: TreeNesting, tree: CallTree, top: TopTable) -> list[Finding]:
    """Find the function that spends most in calls by itself. ``count``: how many are nested."""
    functions = np.unique(tree.frame[1:][tree.is_recursive[1:]])
    large = [
        at
        for at in functions[np.argsort(-top.cum[functions], kind="stable")].tolist()
        if top.cum[at] >= _RECURSION_SHARE * top.total
        and not is_generic(top.name[at])
        and not is_entry(top.name[at])
        and not is_importing(top.name[at], top.file[at])
    ][:_MOST_RECURSIVE]
    least, found = _RECURSION_SHARE * top.total, []
    for function in large:
        total, depth = nesting.measure_recursion(function)
        if depth >= _RECURSION_DEPTH and total >= least:
            found.append((total, depth, function))
    if not found:
        return []
    _, depth, function = max(found, key=lambda each: each[0])
    return [Finding(Kind.RECURSION, function, share=top.cum[function] / top.total, count=depth)]


def find_imports(nesting: Nesting | None, top: TopTable) -> list[Finding]:
    """Find the import of modules. The part is the module that takes most with what it imports;
    of a module and one that it imports for half of its cum or more, the second is named."""
    rows = [at for at, name in enumerate(top.name) if is_import(name)]
    function = max(rows, key=lambda at: int(top.cum[at]), default=-1)
    if function < 0 or top.cum[function] < _IMPORT_SHARE * top.total:
        return []
    bodies = [
        at
        for at in np.flatnonzero(top.cum >= _MODULE_SHARE * top.total).tolist()
        if top.name[at].endswith(_BODY) and not top.name[at].startswith("__main__.")
    ]
    bodies = [at for at in bodies if top.cum[at] <= top.cum[function]]
    bodies = sorted(bodies, key=lambda at: -int(top.cum[at]))[:_MOST_LOOKED_AT]
    if nesting is not None and bodies:
        inner = nesting(bodies, bodies)
        outer, _ = np.nonzero(inner >= _MODULE_INNER * top.cum[bodies][:, np.newaxis])
        bodies = [at for place, at in enumerate(bodies) if place not in outer]
    share = top.cum[function] / top.total
    parts = tuple(Part(at, top.cum[at] / top.total) for at in bodies[:1])
    return [Finding(Kind.IMPORT, function, share=share, parts=parts)]
