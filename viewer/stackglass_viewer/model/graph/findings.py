"""Findings: what stands out in a call tree, as facts. What is true of most profiles is left out."""

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

_OWN_SHARE = 0.2  # flat of one function, from which on it stands out
_MOST_OWN = 3  # functions that are named for it
_MINE_SHARE = 0.2  # cum of one function of the user's own code
_MINE_CHAIN = 0.9  # of a function's cum, from which on a smaller one stands for it
_MOST_MINE, _MOST_LOOKED_AT = 3, 16
_PATH_SHARE = 0.9  # of the whole, of every box of the common path
_BRANCH_SHARE = 0.05  # of the whole, of a box where the path splits
_MOST_BRANCHES = 3
_BRANCHES_SHARE = 0.5  # of the whole, of those that are named together
_SHARED_SHARE = 0.1  # cum of a function with many callers
_SHARED_CALLERS = 3  # each with at least _CALLER_SHARE of it, and none with _CALLER_MOST
_CALLER_SHARE, _CALLER_MOST = 0.05, 0.5
_MOST_SHARED = 2
_EVEN_SHARE, _EVEN_FUNCTIONS = 0.1, 20  # no flat share as large, of at least so many functions
_EVEN_PART = 0.9
_NATIVE_SHARE, _GC_SHARE, _LOST_SHARE = 0.25, 0.05, 0.01
_FEW_SAMPLES = 400
_SURE = 1.96  # standard errors: 95 of 100 times
_CHANGE_SHARE = 0.1  # of all that changed
_NATIVE, _GC = "<native>", "<gc>"
_LIBRARY = re.compile(NOT_OWN)
_LOST = ("<lost samples>", "<truncated>")


class Kind(Enum):
    """What a finding says of its function."""

    OWN = "own"  # it has a large share of its own
    LARGEST = "largest"  # none has, and this one has most
    MINE = "mine"  # it is in no library, and has much with what it calls
    PATH = "path"  # nearly all goes through it, and splits below it
    SHARED = "shared"  # it is called from many places, none of which stands out
    EVEN = "even"  # no function stands out
    NATIVE = "native"  # C code below Python functions
    GC = "gc"
    LOST = "lost"  # samples, or ends of stacks, that are missing
    FEW = "few"  # samples
    GREW = "grew"
    SHRANK = "shrank"


class Part(NamedTuple):
    """A function, and its share of what the finding is about."""

    function: int
    share: float


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact."""

    kind: Kind
    function: int = -1  # −1 = of no single function
    node: int = -1  # the box to look at; −1 = none
    share: float = 0.0  # of the whole
    count: int = 0  # callers, branches, functions or samples
    value: int = 0  # that grew or shrank
    parts: tuple[Part, ...] = ()


def find_outstanding(
    tree: CallTree | None, values: NodeValues | None, top: TopTable, n_samples: int | None = None
) -> tuple[Finding, ...]:
    """The findings, the most important first. ``tree`` None: a table without stacks.
    ``n_samples``: None = that is not known. Any thread."""
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
    """A function, not what stands for something else: ``<native>``, ``[libc.so]``."""
    return not name.startswith(("<", "["))


def _find_own(top: TopTable) -> list[Finding]:
    order = np.argsort(-top.flat, kind="stable")[: _MOST_OWN + len(_LOST) + 2].tolist()
    large = [at for at in order if top.flat[at] >= _OWN_SHARE * top.total]
    named = [at for at in large if _is_real(top.name[at])][:_MOST_OWN]
    return [Finding(Kind.OWN, at, share=top.flat[at] / top.total) for at in named]


def _find_largest(top: TopTable) -> list[Finding]:
    """Below that, but no even profile."""
    order = np.argsort(-top.flat, kind="stable")[: len(_LOST) + 3].tolist()
    named = [at for at in order if _is_real(top.name[at]) or top.name[at].startswith("<built-in")]
    if not named or top.flat[named[0]] < _EVEN_SHARE * top.total:
        return []
    return [Finding(Kind.LARGEST, named[0], share=top.flat[named[0]] / top.total)]


def _find_mine(
    tree: CallTree | None, values: NodeValues | None, top: TopTable, named: Sequence[Finding]
) -> list[Finding]:
    """Functions of Python code outside of libraries that no other finding names. Of two that call
    each other for nearly all that they have, the inner one is nearest to what costs."""
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
    """(n, n) what each of some functions has by calls below each other one: [outer, inner]."""
    bits = np.zeros(len(tree.frame_name) + 1, np.int64)  # the root's frame is -1
    bits[functions] = 1 << np.arange(len(functions))
    above = np.zeros(tree.n_nodes, np.int64)  # which of them stand above a node
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
    largest[tree.parent[order]] = order  # the last one written has most
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
    """What each function has by its callers, recursion left out."""

    def __init__(self, tree: CallTree, values: NodeValues) -> None:
        nodes = np.flatnonzero(~tree.is_recursive)
        nodes = nodes[nodes > 0]
        self._callee = tree.frame[nodes].astype(np.int64)
        self._caller = tree.frame[tree.parent[nodes]].astype(np.int64)
        self._value = values.total[nodes]

    def of(self, function: int) -> tuple[Int64s, Int64s]:
        """Callers, and what the function has by each, the largest first; −1 = the root."""
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
    return tuple(found)
