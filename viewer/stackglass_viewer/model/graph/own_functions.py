"""Own functions: functions of the program itself, by the cost of what they and their libraries do.

A cost in C code, the standard library or an installed package counts for the innermost own function
on the stack::

    main ── serve ── threading.wait ── lock.acquire 9        serve 9
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int64s
from stackglass_viewer.model.graph.call_tree import CallTree
from stackglass_viewer.model.graph.transformed_tree import follow_chains
from stackglass_viewer.model.patterns import compile_pattern
from stackglass_viewer.model.profile.transforms import NOT_OWN

_ENGINE = re.compile(r"<?stackglass>?(\.|$)")


def is_of_engine(name: str) -> bool:
    """Whether a function belongs to the engine, or to the package that serves it in the program.

    >>> [is_of_engine(each) for each in ("<stackglass>.f", "stackglass.api.labels.set", "app.f")]
    [True, True, False]
    """
    return bool(_ENGINE.match(name))


def find_own(names: Sequence[str], files: Sequence[str]) -> Bools:
    """Return the mask of the functions that are the program's own: (n_functions,). Code without a
    file, such as ``<string>``, is not."""
    is_foreign = compile_pattern(NOT_OWN)
    return np.array(
        [
            bool(file)
            and not file.startswith("<")
            and not (is_of_engine(name) or is_foreign(file) or is_foreign(name))
            for name, file in zip(names, files, strict=True)
        ],
        dtype=np.bool_,
    )


def sum_own(tree: CallTree, is_own: Bools, costs: Int64s) -> Int64s:
    """Return the cost of each function, (n_frames,); that of one that is not own is 0.

    ``is_own``: (n_frames,). ``costs``: (n_nodes,) of each node alone.
    """
    sums = np.zeros(len(is_own), dtype=np.int64)
    if not tree.n_nodes:
        return sums
    holds = np.append(is_own, False)[tree.frame]  # the last is the root's
    itself = np.arange(tree.n_nodes, dtype=np.int32)
    payer = follow_chains(np.where(holds, itself, np.maximum(tree.parent, 0)).astype(np.int32))
    is_paid = holds[payer]
    np.add.at(sums, tree.frame[payer[is_paid]], costs[is_paid])
    return sums


def list_costs_of(tree: CallTree, totals: Int64s, function: int) -> Int64s:
    """Return the costs of one function with its callees, (n_nodes,), for ``sum_own``: recursion is
    counted once."""
    is_meant = (tree.frame == function) & ~tree.is_recursive
    return np.where(is_meant, totals, 0)
