"""Finding: one fact about a profile that stands out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple


class FindingKind(Enum):
    """What a finding says about its function, or about the profile."""

    OWN = "own"  # its flat share is large
    LARGEST = "largest"  # its flat share is the largest, but no function's is large
    EVEN = "even"  # no function stands out
    CALLS = "calls"  # it is called most often
    PACKAGE = "package"  # the functions of one package or file together have a large flat share
    PATH = "path"  # nearly all stacks go through it, and split below it
    MINE = "mine"  # it is in no library, and its cum share is large
    COMMON = "common"  # its cum share is large, and no other such function is below it
    SHARED = "shared"  # it is called from many places, and no place stands out
    RECURSION = "recursion"  # it calls itself, and much is spent there
    IMPORT = "import"  # importing modules has a large share
    NATIVE = "native"  # C code below Python functions has a large share
    GC = "gc"  # the garbage collector has a large share
    ALLOCATING = "allocating"  # Go's allocator has a large share
    LABEL = "label"  # samples with one value of a label have a large share
    IDLE = "idle"  # the processors were hardly used
    BUSY = "busy"  # several processors were busy
    WAITS = "waits"  # how many waits there were, and how long
    ALLOCATED = "allocated"  # little of the allocated memory is still in use
    LOST = "lost"  # samples, or ends of stacks, are missing
    UNNAMED = "unnamed"  # much is spent in code without names of functions
    FEW = "few"  # there are few samples
    GREW = "grew"
    SHRANK = "shrank"
    CUM_CHANGED = "cum changed"  # its cum changed
    TOTAL_CHANGED = "total changed"
    ALL_CHANGED = "all changed"  # the total changed, and no function stands out


class RelatedFunction(NamedTuple):
    """Another function that a finding names: a branch of a path, or a caller."""

    function: int
    share: float  # for a branch, of the whole; for a caller, of the callee


@dataclass(frozen=True, slots=True)
class Finding:
    """One fact."""

    kind: FindingKind
    function: int = -1  # −1 = the fact is about no single function
    node: int = -1  # the box to look at; −1 = none
    # Share of the whole; for FEW, the uncertainty of a share; for IDLE and BUSY, the number of busy
    # processors; for WAITS, the number of waiting threads.
    share: float = 0.0
    # Number of callers, branches, functions, samples or waits; for RECURSION, the depth; for IDLE
    # and BUSY, the duration in ns.
    count: int = 0
    value: int = 0  # the growth, negative if the function shrank; a total
    share_of_base: float | None = None  # of a changed total; None = there is no base
    parts: tuple[RelatedFunction, ...] = ()
    name: str = ""  # of a package, file or module; key of a label
    detail: str = ""  # pattern of a package's functions; value of a label
