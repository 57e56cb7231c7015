"""Findings: facts that stand out in a call tree. Each has a threshold, so that facts that are true
of most profiles are left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.graph.call_tree import CallTree, NodeValues
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.model.profile.transforms import NOT_OWN

# Shares are of the profile's total, unless they say otherwise.
_OWN_SHARE = 0.2  # least flat share of a function that is named (Kind.OWN)
_MOST_OWN = 3  # most functions that are named
_MINE_SHARE = 0.2  # least cum share of a function of the user's own code (Kind.MINE)
_MINE_CHAIN = 0.9  # a callee with this share of its caller's cum is named in the caller's place
_MOST_MINE, _MOST_LOOKED_AT = 3, 16  # functions that are named; that are candidates
_PATH_SHARE = 0.9  # least share of each box on the common path (Kind.PATH)
_BRANCH_SHARE = 0.05  # least share of a box where the path splits
_MOST_BRANCHES = 3  # most branches that are named
_BRANCHES_SHARE = 0.5  # least share of the named branches together
_SHARED_SHARE = 0.1  # least cum share of a function with many callers (Kind.SHARED)
_SHARED_CALLERS = 3  # least number of callers with _CALLER_SHARE of the function's cum
_CALLER_SHARE, _CALLER_MOST = 0.05, 0.5  # shares of that cum; no caller has more than the second
_MOST_SHARED = 2  # most functions that are named
_EVEN_SHARE, _EVEN_FUNCTIONS = 0.1, 20  # Kind.EVEN: flat shares below this, of at least so many
_EVEN_PART = 0.9  # Kind.EVEN counts the functions that make up this share
_NATIVE_SHARE, _GC_SHARE, _LOST_SHARE = 0.25, 0.05, 0.01
_FEW_SAMPLES = 400  # with fewer, a share may be uncertain by more than 5 percentage points
_SURE = 1.96  # standard errors of a normal distribution: 95 % confidence
_CHANGE_SHARE = 0.1  # least share of the sum of all changes
_NATIVE, _GC = "<native>", "<gc>"
_LIBRARY = re.compile(NOT_OWN)
_LOST = ("<lost samples>", "<truncated>")
# Functions whose names have angle brackets: Python's own, and those of C code in cProfile's files.
_COMPREHENSIONS = ("<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>")
_BRACKETED = ("<built-in ", "<method ", "<lambda>", *_COMPREHENSIONS)


class Kind(Enum):
    """What a finding says about its function."""

    OWN = "own"  # its flat share is large
    LARGEST = "largest"  # its flat share is the largest, but no function's is large
    MINE = "mine"  # it is in no library, and its cum share is large
    PATH = "path"  # nearly all stacks go through it, and split below it
    SHARED = "shared"  # it is called from many places, none of which stands out
    EVEN = "even"  # no function stands out
    NATIVE = "native"  # C code below Python functions has a large share
    GC = "gc"  # the garbage collector has a large share
    LOST = "lost"  # samples, or ends of stacks, are missing
    FEW = "few"  # there are few samples
    GREW = "grew"
    SHRANK = "shrank"
    ALL_CHANGED = "all changed"  # the total changed, and no function stands out


class Part(NamedTuple):
    """Another function that a finding names: a branch of a path, or a caller."""

    function: int
    share: float  # for a branch, of the whole; for a caller, of the callee


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact."""

    kind: Kind
    function: int = -1  # −1 = the fact is about no single function
    node: int = -1  # the box to look at; −1 = none
    share: float = 0.0  # of the whole; for FEW, the uncertainty of a share
    count: int = 0  # number of callers, branches, functions or samples
    value: int = 0  # how much it grew, or negative how much it shrank
    share_of_base: float | None = None  # of ALL_CHANGED; None = there is no base
    parts: tuple[Part, ...] = ()


def find_outstanding(
    tree: CallTree | None, values: NodeValues | None, top: TopTable, n_samples: int | None = None
) -> tuple[Finding, ...]:
    """Return the findings, the most important first. ``tree`` None: the profile has no stacks.
    ``n_samples`` None: the number is not known. May run in any thread."""
    if top.is_change:
        return _find_changes(top)
    if top.total <= 0:
        return ()
    found = _find_own(top) or _find_largest(top)
    if tree is not None and values is not None:
        found += _find_path(tree, values, top)
    found += _find_mine(tree, values, top, found)
    if tree is not None and values is not None:
        callers = _Callers(tree, values)
        found += _find_shared(callers, top)
        found += _find_native(callers, top)
    found += _find_named(top, (_GC,), Kind.GC, _GC_SHARE)
    found += _find_named(top, _LOST, Kind.LOST, _LOST_SHARE)
    found += _find_even(top)
    if n_samples is not None and 0 < n_samples < _FEW_SAMPLES:
        found.append(Finding(Kind.FEW, share=_SURE * 0.5 / n_samples**0.5, count=n_samples))
    return tuple(found)


def _is_real(name: str) -> bool:
    """Whether a name is that of a function, not a placeholder: ``<native>``, ``[libc.so]``."""
    return name.startswith(_BRACKETED) or not name.startswith(("<", "["))


def _find_own(top: TopTable) -> list[Finding]:
    order = np.argsort(-top.flat, kind="stable")[: _MOST_OWN + len(_LOST) + 2].tolist()
    large = [at for at in order if top.flat[at] >= _OWN_SHARE * top.total]
    named = [at for at in large if _is_real(top.name[at])][:_MOST_OWN]
    return [Finding(Kind.OWN, at, share=top.flat[at] / top.total) for at in named]


def _find_largest(top: TopTable) -> list[Finding]:
    """Find the function with the largest flat share, for a profile without OWN functions; none if
    the profile is even."""
    order = np.argsort(-top.flat, kind="stable")[: len(_LOST) + 3].tolist()
    named = [at for at in order if _is_real(top.name[at])]
    if not named or top.flat[named[0]] < _EVEN_SHARE * top.total:
        return []
    return [Finding(Kind.LARGEST, named[0], share=top.flat[named[0]] / top.total)]


def _find_mine(
    tree: CallTree | None, values: NodeValues | None, top: TopTable, named: Sequence[Finding]
) -> list[Finding]:
    """Find functions of Python code outside libraries with a large cum share that neither a finding
    of the kind OWN nor a part of a path names. A function that has nearly all its cum from another
    such function is left out: the inner one is nearer to the cost."""
    known = {part.function for each in named for part in each.parts}
    known |= {each.function for each in named if each.kind is Kind.OWN}
    order = np.argsort(-top.cum, kind="stable").tolist()
    most, least = _PATH_SHARE * top.total, _MINE_SHARE * top.total
    large = takewhile(lambda at: top.cum[at] >= least, order)
    mine = [at for at in large if top.cum[at] < most and _is_mine(top, at)][:_MOST_LOOKED_AT]
    if tree is not None and values is not None:
        inner = _sum_inner(tree, values, mine)
        outer, _ = np.nonzero(inner >= _MINE_CHAIN * top.cum[mine][:, np.newaxis])
        mine = [at for place, at in enumerate(mine) if place not in outer]
    unnamed = [at for at in mine if at not in known][:_MOST_MINE]
    return [Finding(Kind.MINE, at, share=top.cum[at] / top.total) for at in unnamed]


def _sum_inner(tree: CallTree, values: NodeValues, functions: Sequence[int]) -> Int64s:
    """Return the total of each function's calls below each other function: (n, n), indexed
    [outer, inner]."""
    bits = np.zeros(len(tree.frame_name) + 1, np.int64)  # the root's frame is -1
    bits[functions] = 1 << np.arange(len(functions))
    above = np.zeros(tree.n_nodes, np.int64)  # bit i: function i is an ancestor of the node
    order = np.argsort(tree.depth, kind="stable")
    for nodes in np.split(order, np.flatnonzero(np.diff(tree.depth[order])) + 1)[1:]:
        parents = tree.parent[nodes]
        above[nodes] = above[parents] | bits[tree.frame[parents]]
    sums = np.zeros((len(functions), len(functions)), np.int64)
    for inner, function in enumerate(functions):
        nodes = np.flatnonzero((tree.frame == function) & ~tree.is_recursive)
        for outer in range(len(functions)):
            is_below = (above[nodes] >> outer) & 1 == 1
            sums[outer, inner] = values.total[nodes[is_below]].sum() if outer != inner else 0
    return sums


def _is_mine(top: TopTable, function: int) -> bool:
    name, file = top.name[function], top.file[function]
    return _is_real(name) and file.endswith(".py") and _LIBRARY.search(file) is None


def _find_path(tree: CallTree, values: NodeValues, top: TopTable) -> list[Finding]:
    order = np.argsort(values.total[1:], kind="stable") + 1
    largest = np.full(tree.n_nodes, -1, np.int64)
    largest[tree.parent[order]] = order  # ascending, so that the largest child is written last
    node, whole = 0, top.total
    while largest[node] >= 0 and values.total[largest[node]] >= _PATH_SHARE * whole:
        node = int(largest[node])
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


def _find_shared(callers: _Callers, top: TopTable) -> list[Finding]:
    found = []
    candidates = np.flatnonzero(top.cum >= _SHARED_SHARE * top.total)
    for function in candidates[np.argsort(-top.cum[candidates], kind="stable")].tolist():
        if not _is_real(top.name[function]):
            continue
        names, sums = callers.of(function)
        cum = int(top.cum[function])
        n_large = int((sums >= _CALLER_SHARE * cum).sum())
        if n_large >= _SHARED_CALLERS and sums[0] <= _CALLER_MOST * cum:
            part = Part(int(names[0]), sums[0] / cum)
            share = cum / top.total
            found.append(Finding(Kind.SHARED, function, -1, share, len(names), parts=(part,)))
    return found[:_MOST_SHARED]


def _find_native(callers: _Callers, top: TopTable) -> list[Finding]:
    found = _find_named(top, (_NATIVE,), Kind.NATIVE, _NATIVE_SHARE)
    if not found:
        return []
    names, sums = callers.of(found[0].function)
    if not len(names) or names[0] < 0:
        return found
    part = Part(int(names[0]), sums[0] / max(int(sums.sum()), 1))
    return [Finding(Kind.NATIVE, found[0].function, share=found[0].share, parts=(part,))]


def _find_named(top: TopTable, names: tuple[str, ...], kind: Kind, least: float) -> list[Finding]:
    rows = [at for at, name in enumerate(top.name) if name in names]
    shares = [(at, top.cum[at] / top.total) for at in rows]
    return [Finding(kind, at, share=float(share)) for at, share in shares if share >= least]


def _find_even(top: TopTable) -> list[Finding]:
    functions = [at for at in np.flatnonzero(top.flat > 0).tolist() if _is_real(top.name[at])]
    flat = np.sort(top.flat[functions])[::-1]
    if len(flat) < _EVEN_FUNCTIONS or flat[0] >= _EVEN_SHARE * top.total:
        return []
    count = int(np.searchsorted(np.cumsum(flat), _EVEN_PART * flat.sum())) + 1
    return [Finding(Kind.EVEN, share=flat[0] / top.total, count=count)]


def _find_changes(top: TopTable) -> tuple[Finding, ...]:
    moved = int(np.abs(top.flat).sum())
    if not moved:
        return ()
    most, least = int(np.argmax(top.flat)), int(np.argmin(top.flat))
    found = []
    for kind, function, sign in ((Kind.GREW, most, 1), (Kind.SHRANK, least, -1)):
        value = int(top.flat[function])
        if value * sign >= _CHANGE_SHARE * moved:
            found.append(Finding(kind, function, share=abs(value) / moved, value=value))
    change = int(top.flat.sum())
    if not found and change:
        found.append(
            Finding(
                Kind.ALL_CHANGED,
                share=int(np.abs(top.flat).max()) / moved,
                count=int(np.count_nonzero(top.flat)),
                value=change,
                share_of_base=abs(change) / top.total_before if top.total_before else None,
            )
        )
    return tuple(found)
