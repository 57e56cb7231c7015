"""Lines of machine code in a session: what its addresses come from, and calls that were inlined.

The engine sends an address; a stack of its tree may be several of the viewer's, one below another::

    wire   0 ── main ── sort at 0x110        viewer 0 ── main ── sort ── swap (inlined)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from stackglass.symbols.native_code import NativeLine
from stackglass_viewer.model.columns.index import Int32s, Int64s

Lines = Mapping[int, Sequence[NativeLine]]
"""By location: the innermost inlined call first, the location's own function last."""


def mark_inlined(line: NativeLine) -> str:
    """The frame of an inlined call.

    >>> mark_inlined(NativeLine("libz: longest_match", "longest_match", "deflate.c", 9, 1))
    'libz: longest_match (inlined)'
    """
    return f"{line.text} (inlined)"


class Expansion(NamedTuple):
    """New stacks of a session where some locations are several frames."""

    parents: Int32s  # (n_expanded,) numbers of expanded stacks
    frames: Int32s  # (n_expanded,)
    last: Int32s  # (n_new,) the innermost of each stack of the engine


def expand(
    parents: Int64s,
    locations: Int64s,
    own_frame: Int32s,
    inlined: Mapping[int, Sequence[int]],
    last_of_wire: Int32s,
    first: int,
) -> Expansion:
    """Stacks with the inlined calls of their locations below them.

    ``parents`` and ``locations`` are new stacks of the engine, ``own_frame`` the frames of their
    functions; ``inlined`` has the frames of inlined calls by location, outermost first.
    ``last_of_wire`` are the expanded stacks of earlier ones, and the next expanded one is
    ``first``.
    """
    n_calls = np.zeros(len(locations), dtype=np.int64)
    if inlined:
        calls = (len(inlined.get(location, ())) for location in locations.tolist())
        n_calls = np.fromiter(calls, dtype=np.int64, count=len(locations))
    ends = np.cumsum(n_calls + 1)
    last = (first + ends - 1).astype(np.int32)
    n_expanded = int(ends[-1]) if len(ends) else 0
    expanded_parents = np.arange(first - 1, first - 1 + n_expanded, dtype=np.int32)
    begins = ends - n_calls - 1
    is_new = parents >= len(last_of_wire)
    of_new = last[parents[is_new] - len(last_of_wire)]
    expanded_parents[begins[is_new]] = of_new
    expanded_parents[begins[~is_new]] = last_of_wire[parents[~is_new]]
    frames = np.empty(n_expanded, dtype=np.int32)
    frames[begins] = own_frame
    for row in np.flatnonzero(n_calls).tolist():
        begin = int(begins[row])
        frames[begin + 1 : int(ends[row])] = inlined[int(locations[row])]
    return Expansion(expanded_parents, frames, last)
