"""Source lines of machine code in a session, and calls that the compiler inlined.

The engine sends addresses. With debug information, an address may stand for several calls, each
inlined into its caller. So one node of the engine's tree becomes several nodes here::

    wire   0 ── main ── sort at 0x110        viewer 0 ── main ── sort ── swap (inlined)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from stackglass.symbols.native_code import NativeLine
from stackglass_viewer.model.columns.index import Int32s, Int64s

NativeLines = Mapping[int, Sequence[NativeLine]]
"""The calls at each location: the innermost inlined call first, the location's function last."""


def mark_inlined(line: NativeLine) -> str:
    """Return the name of the frame of an inlined call.

    >>> mark_inlined(NativeLine("libz: longest_match", "longest_match", "deflate.c", 9, 1))
    'libz: longest_match (inlined)'
    """
    return f"{line.text} (inlined)"


class Expansion(NamedTuple):
    """New stacks of a session, expanded: a location with inlined calls is several frames."""

    parents: Int32s  # (n_expanded,) expanded stack
    frames: Int32s  # (n_expanded,)
    last: Int32s  # (n_new,) the innermost expanded stack for each new stack of the engine


def expand(
    parents: Int64s,
    locations: Int64s,
    own_frame: Int32s,
    inlined: Mapping[int, Sequence[int]],
    last_of_wire: Int32s,
    first: int,
) -> Expansion:
    """Expand stacks: put the inlined calls of each location below it.

    ``parents`` and ``locations`` are the columns of the engine's new stacks, and ``own_frame`` has
    the frames of their functions. ``inlined``: frames of inlined calls by location, outermost
    first. ``last_of_wire``: the innermost expanded stack for each earlier stack of the engine.
    ``first``: the number of the next expanded stack.
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
