"""Events of frames for speedscope's evented profiles: each frame opens and closes.

::

    rows     0 to 5: main;load    5 to 9: main;save    20 to 22: main
    events   O main 0 ─ O load 0 ─ C load 5 ─ O save 5 ─ C save 9 ─ C main 9 ─ O main 20 ─ C main 22

A frame that two rows have in common stays open from one to the other, unless there is time between
them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.writers.timed_rows import TimedRows

_ROUNDING_NS = 2  # of lengths and values that are not whole nanoseconds in a file
_MOST_NS = 1 << 53  # whole numbers of JSON, as JavaScript reads them


class RowSpans(NamedTuple):
    """Begins and ends of rows. They do not overlap."""

    begin_ns: Int64s  # (n,)
    end_ns: Int64s  # (n,)


def place_rows(rows: TimedRows, here: Int64s, factor: float) -> RowSpans | None:
    """Return the begin and end of a thread's rows, each as long as its value times ``factor``, in
    ns. Rows of unknown times follow behind the last moment of the file. None = the rows overlap, so
    their values are not the time of a single thread; or they are too long for JSON's numbers.

    A row that is a moment has the time when a sample was taken; its value is the time that the
    sample stands for. So a row may begin late, after the row before it, by as much as the largest
    value of a moment.
    """
    values = rows.value[here]
    if float(values.sum(dtype=np.float64)) * factor + rows.length_ns >= _MOST_NS:
        return None
    value_ns = values if factor == 1 else np.rint(values * factor).astype(np.int64)
    timed = here[: int(np.searchsorted(here, len(rows.begin_ns)))]
    n_timed = len(timed)
    length_ns = rows.end_ns[timed] - rows.begin_ns[timed]
    widths = value_ns.copy()
    is_known = np.abs(length_ns - value_ns[:n_timed]) <= _ROUNDING_NS
    widths[:n_timed][is_known] = length_ns[is_known]
    wanted = np.full(len(here), rows.length_ns, dtype=np.int64)
    wanted[:n_timed] = rows.begin_ns[timed]
    before = np.cumsum(widths) - widths
    begin = np.maximum.accumulate(wanted - before) + before
    latest = int(value_ns[:n_timed][length_ns == 0].max(initial=0)) + _ROUNDING_NS
    if (begin[:n_timed] - wanted[:n_timed] > latest).any():
        return None
    return RowSpans(begin, begin + widths)


def list_events(stacks: Sequence[list[int]], samples: Int64s, spans: RowSpans) -> Iterator[str]:
    """Yield the events as JSON, in order, one or several in a piece. ``stacks``: the stack of each
    sample, root first; none may be empty."""
    opened: list[int] = []
    now = 0
    rows = zip(samples.tolist(), spans.begin_ns.tolist(), spans.end_ns.tolist(), strict=True)
    for sample, begin, end in rows:
        stack = stacks[sample]
        n_shared = _count_shared(opened, stack) if begin == now else 0
        events = [_describe("C", frame, now) for frame in reversed(opened[n_shared:])]
        events += [_describe("O", frame, begin) for frame in stack[n_shared:]]
        if events:
            yield ",".join(events)
        opened, now = stack, end
    if opened:
        yield ",".join(_describe("C", frame, now) for frame in reversed(opened))


def _count_shared(opened: list[int], stack: list[int]) -> int:
    n = 0
    for before, frame in zip(opened, stack, strict=False):
        if before != frame:
            break
        n += 1
    return n


def _describe(kind: str, frame: int, at_ns: int) -> str:
    return f'{{"type":"{kind}","frame":{frame},"at":{at_ns}}}'
