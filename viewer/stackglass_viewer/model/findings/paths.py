"""Findings in the call tree: where cost comes together and where it splits."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import takewhile

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.findings.finding import Finding, FindingKind, RelatedFunction
from stackglass_viewer.model.findings.flat_values import find_named
from stackglass_viewer.model.findings.names import (
    is_entry,
    is_generic,
    is_import,
    is_importing,
    is_label_value,
    is_mine,
    is_real,
)
from stackglass_viewer.model.findings.nesting import MOST_OUTER, Nesting, TreeNesting
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues
from stackglass_viewer.model.graph.top import TopTable

# Shares are of the profile's total, unless the comment says otherwise.
_PATH_SHARE = 0.9  # least share of each box on the common path (FindingKind.PATH)
_BRANCH_SHARE = 0.05  # least share of a box where the path splits
_MOST_BRANCHES = 3  # most branches that are named
_BRANCHES_SHARE = 0.5  # least share of the named branches together
_MINE_SHARE = 0.2  # least cum share of a function of the user's own code (FindingKind.MINE)
_MINE_CHAIN = 0.9  # a callee with this share of its caller's cum is named in the caller's place
_MOST_MINE = 2  # most functions that are named
_MOST_CANDIDATES = 16
_COMMON_SHARE = 0.25  # least cum share of a common function (FindingKind.COMMON)
_COMMON_INNER = 0.5  # a function with this share of its cum in another candidate is left out
_COMMON_KNOWN = 0.8  # a callee with this share of the cum of a named own function is left out
_MOST_COMMON = 2  # most functions that are named
_CALLEE_SHARE, _MOST_CALLEES = 0.05, 2  # least share and most number of callees that are named
_SHARED_SHARE = 0.1  # least cum share of a function with many callers (FindingKind.SHARED)
_SHARED_CALLERS = 3  # least number of callers with _CALLER_SHARE of the function's cum
_CALLER_SHARE = 0.05
_CALLER_MOST = 0.5  # most share that one caller may have of the function's cum
_MOST_SHARED = 2  # most functions that are named
_RECURSION_SHARE, _RECURSION_DEPTH = 0.15, 8  # least share of calls by itself, and least depth
_MOST_RECURSIVE = 4  # candidates
_IMPORT_SHARE = 0.1  # least cum share of all imports (FindingKind.IMPORT)
_MODULE_SHARE = 0.05  # least cum share of a module that is named
_MODULE_INNER = 0.5  # an imported module with this share of its importer's cum is named instead
_NATIVE_SHARE = 0.25  # least cum share of C code (FindingKind.NATIVE)
_NATIVE, _BODY = "<native>", ".<module>"


def find_common_path(tree: CallTree, values: NodeValues, top: TopTable) -> list[Finding]:
    """Find where the common path splits."""
    whole = top.total
    large = np.flatnonzero(values.total >= _PATH_SHARE * whole)  # one path, from the root on
    node = int(large[np.argmax(tree.depth[large])]) if len(large) else 0
    below = np.flatnonzero(tree.parent == node)
    below = below[values.total[below] >= _BRANCH_SHARE * whole]
    if node == 0 or len(below) < 2 or tree.is_recursive[below].any():
        return []
    named = below[np.argsort(-values.total[below], kind="stable")][:_MOST_BRANCHES].tolist()
    parts = tuple(RelatedFunction(int(tree.frame[at]), values.total[at] / whole) for at in named)
    if sum(part.share for part in parts) < _BRANCHES_SHARE:
        return []
    share = values.total[node] / whole
    return [Finding(FindingKind.PATH, int(tree.frame[node]), node, share, len(below), parts=parts)]


def find_mine(nesting: Nesting | None, top: TopTable, named: Sequence[Finding]) -> list[Finding]:
    """Find functions of the user's own code with a large cum share.

    These are left out: functions that OWN, SHARED or a part of PATH names; a function with nearly
    all its cum in another such function, which is nearer to the cost; functions with nearly the
    whole total, unless there is no other and no OWN function is the user's.
    """
    known = {
        part.function for each in named if each.kind is FindingKind.PATH for part in each.parts
    }
    own = {each.function for each in named if each.kind is FindingKind.OWN}
    known |= own | {each.function for each in named if each.kind is FindingKind.SHARED}
    large = [at for at in _iter_large(top, _MINE_SHARE) if _is_mine(top, at)][:_MOST_CANDIDATES]
    mine = [at for at in large if not is_entry(top.name[at])]
    if not mine:  # the function that begins everything is better than nothing
        mine = [at for at in large if not top.name[at].endswith(_BODY)]
    unnamed = [at for at in _keep_innermost(nesting, top, mine) if at not in known][:_MOST_MINE]
    if not large and nesting is not None and not any(_is_mine(top, at) for at in own):
        paths = {each.function for each in named if each.kind is FindingKind.PATH}
        whole = np.flatnonzero(top.cum >= _PATH_SHARE * top.total).tolist()
        whole = [at for at in whole if _is_mine(top, at) and not is_entry(top.name[at])]
        inner = _keep_innermost(nesting, top, whole[:_MOST_CANDIDATES])
        unnamed = [at for at in inner if at not in known | paths][:1]
    return [Finding(FindingKind.MINE, at, share=top.cum[at] / top.total) for at in unnamed]


def _is_mine(top: TopTable, function: int) -> bool:
    name, file = top.name[function], top.file[function]
    return is_mine(name, file) and not is_importing(name, file)


def _keep_innermost(nesting: Nesting | None, top: TopTable, functions: list[int]) -> list[int]:
    """Return the functions, except those with nearly all their cum in another function listed."""
    if nesting is None or not functions:
        return functions
    inner = nesting(functions, functions)
    outer, _ = np.nonzero(inner >= _MINE_CHAIN * top.cum[functions][:, np.newaxis])
    return [at for index, at in enumerate(functions) if index not in outer]


def find_common(nesting: Nesting, top: TopTable, named: Sequence[Finding]) -> list[Finding]:
    """Find the innermost functions with a large cum share. Functions that a finding names are left
    out, and functions with half of their cum in another large or named function."""
    known = {part.function for each in named for part in each.parts}
    known |= {each.function for each in named}
    nearer = [
        each.function
        for each in named
        if each.function >= 0
        and each.kind in (FindingKind.OWN, FindingKind.LARGEST, FindingKind.MINE)
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
    mine = [each.function for each in named if each.kind is FindingKind.MINE]
    sums = nesting([*large, *mine], [*large, *nearer])
    inner, below = sums[: len(large), : len(large)], sums[: len(large), len(large) :]
    below = below.max(axis=1, initial=0)
    limit = _COMMON_INNER * top.cum[large]
    is_known = sums[len(large) :, : len(large)] >= _COMMON_KNOWN * top.cum[mine][:, np.newaxis]
    known |= {large[index] for index in np.flatnonzero(is_known.any(axis=0)).tolist()}
    found = []
    for index, at in enumerate(large):
        if at in known or below[index] >= limit[index]:
            continue
        # Of two functions that are below each other, the larger one is named.
        inside = np.flatnonzero(inner[index] >= limit[index]).tolist()
        if all(inner[other, index] >= limit[other] and index < other for other in inside):
            found.append(Finding(FindingKind.COMMON, at, share=top.cum[at] / top.total))
    return found[:_MOST_COMMON]


def add_callees(
    tree: CallTree, values: NodeValues, top: TopTable, found: Sequence[Finding]
) -> list[Finding]:
    """Return the findings with the main callees of each function as parts. A function without such
    callees is left out if it is a part of an earlier finding."""
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
) -> tuple[RelatedFunction, ...]:
    """Return the main callees of a function, the largest first."""
    calls = np.flatnonzero((tree.frame == function) & ~tree.is_recursive)
    is_call = np.zeros(tree.n_nodes, np.bool_)
    is_call[calls] = True
    below = np.flatnonzero(is_call[np.maximum(tree.parent, 0)] & (tree.parent >= 0))
    sums = np.zeros(len(tree.frame_name), np.int64)
    np.add.at(sums, tree.frame[below], values.total[below])
    sums[function] = 0
    order = np.argsort(-sums, kind="stable")[: 2 * _MOST_CALLEES].tolist()
    large = [at for at in order if sums[at] >= _CALLEE_SHARE * top.total and is_real(top.name[at])]
    return tuple(RelatedFunction(at, sums[at] / top.total) for at in large[:_MOST_CALLEES])


def _iter_large(top: TopTable, least: float) -> Iterable[int]:
    """Yield the functions with a cum share from ``least`` to ``_PATH_SHARE``, the largest first."""
    order = np.argsort(-top.cum, kind="stable").tolist()
    large = takewhile(lambda at: top.cum[at] >= least * top.total, order)
    return (at for at in large if top.cum[at] < _PATH_SHARE * top.total)


class _Callers:
    """The cum of each function by direct caller; recursive calls are left out. Where the graph is
    split by a label, its values call nothing: below them stacks begin, as below the root."""

    def __init__(self, tree: CallTree, values: NodeValues) -> None:
        nodes = np.flatnonzero(~tree.is_recursive)
        nodes = nodes[nodes > 0]
        self._callee = tree.frame[nodes].astype(np.int64)
        callers = tree.parent[nodes]
        frames = tree.frame[callers].astype(np.int64)
        names = tree.frame_name
        values_of_label = [at for at in _list_outermost(tree) if is_label_value(names[at])]
        is_value = (tree.depth[callers] == 1) & np.isin(frames, values_of_label)
        self._caller = np.where(is_value, -1, frames)
        self._value = values.total[nodes]

    def list_for(self, function: int) -> tuple[Int64s, Int64s]:
        """Return the callers of a function and the function's total by caller, the largest first:
        (n_callers,) each. Caller −1 is the root."""
        is_meant = self._callee == function
        callers, at = np.unique(self._caller[is_meant], return_inverse=True)
        sums = np.zeros(len(callers), np.int64)
        np.add.at(sums, at, self._value[is_meant])
        order = np.argsort(-sums, kind="stable")
        return callers[order], sums[order]


def _list_outermost(tree: CallTree) -> list[int]:
    """Return the functions of the first row of the tree."""
    outermost: list[int] = np.unique(tree.frame[tree.depth == 1]).tolist()
    return outermost


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
        frames, sums = callers.list_for(function)
        cum = int(top.cum[function])
        n_large = int((sums >= _CALLER_SHARE * cum).sum())
        if n_large >= _SHARED_CALLERS and sums[0] <= _CALLER_MOST * cum:
            part = RelatedFunction(int(frames[0]), sums[0] / cum)
            share = cum / top.total
            found.append(
                Finding(FindingKind.SHARED, function, -1, share, len(frames), parts=(part,))
            )
        if len(found) == _MOST_SHARED:
            break
    return found


def _find_native(callers: _Callers, top: TopTable) -> list[Finding]:
    found = find_named(top, (_NATIVE,), FindingKind.NATIVE, _NATIVE_SHARE)
    if not found:
        return []
    frames, sums = callers.list_for(found[0].function)
    if not len(frames) or frames[0] < 0:
        return found
    part = RelatedFunction(int(frames[0]), sums[0] / max(int(sums.sum()), 1))
    return [Finding(FindingKind.NATIVE, found[0].function, share=found[0].share, parts=(part,))]


def find_recursion(nesting: TreeNesting, tree: CallTree, top: TopTable) -> list[Finding]:
    """Find the function with the largest total in calls by itself. ``count``: the largest number of
    its calls on one path."""
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
    return [
        Finding(FindingKind.RECURSION, function, share=top.cum[function] / top.total, count=depth)
    ]


def find_imports(nesting: Nesting | None, top: TopTable) -> list[Finding]:
    """Find the import of modules. The part is the module with the largest cum. A module with half
    of its cum or more in a module that it imports is left out."""
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
    bodies = sorted(bodies, key=lambda at: -int(top.cum[at]))[:_MOST_CANDIDATES]
    if nesting is not None and bodies:
        inner = nesting(bodies, bodies)
        outer, _ = np.nonzero(inner >= _MODULE_INNER * top.cum[bodies][:, np.newaxis])
        bodies = [at for index, at in enumerate(bodies) if index not in outer]
    share = top.cum[function] / top.total
    parts = tuple(RelatedFunction(at, top.cum[at] / top.total) for at in bodies[:1])
    return [Finding(FindingKind.IMPORT, function, share=share, parts=parts)]
