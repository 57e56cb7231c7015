"""Timeline of a session's memory, thinned to the pixels on which it is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stackglass_viewer.model.live.samples import UNIT_NS
from stackglass_viewer.model.memory.gc_pauses import Pauses, thin_pauses
from stackglass_viewer.model.memory.history import MemoryRecord
from stackglass_viewer.model.memory.points import PixelTrace, thin

UNITS_PER_S = 1_000_000_000 // UNIT_NS


@dataclass(frozen=True, slots=True, eq=False)
class TimelinePicture:
    """All values to draw for a span. Times are units of 10 ms since the session's start."""

    left: float
    right: float
    first: int  # the first moment that is known of the session
    now: int
    rss: PixelTrace  # bytes
    accounted: PixelTrace  # bytes
    rate: PixelTrace  # bytes per second
    pauses: Pauses  # one row for each pixel and generation
    n_lost_events: int


@dataclass(frozen=True, slots=True)
class TimelineMoment:
    """The values of the lines at one moment; None = unknown."""

    time: float  # units
    rss_bytes: int | None
    accounted_bytes: int | None
    rate_bytes: int | None  # bytes per second; the highest of the pixel
    pause: TimelinePause | None  # the longest pause near the moment


@dataclass(frozen=True, slots=True)
class TimelinePause:
    """A mark for the pauses of a pixel: the longest, and their number."""

    generation: int
    longest_ns: int
    n_pauses: int
    n_freed: int
    n_uncollectable: int


def draw_timeline(
    record: MemoryRecord,
    left: float,
    right: float,
    n_px: int,
    whole: tuple[int, int] | None = None,
) -> TimelinePicture:
    """Return the picture of the span from ``left`` to ``right``, in units, ``n_px`` pixels wide.
    ``whole``: first and last moment of the session; None = those of the memory. Any thread."""
    rss, accounted = record.rss, record.accounted
    first, now = whole or (record.first, record.now)
    return TimelinePicture(
        left=left,
        right=right,
        first=first,
        now=now,
        rss=thin(rss.time, rss.low, rss.high, left, right, n_px),
        accounted=thin(accounted.time, accounted.low, accounted.high, left, right, n_px),
        rate=thin(record.rate_time, record.rate_bytes, record.rate_bytes, left, right, n_px),
        pauses=thin_pauses(record.pauses, left * UNIT_NS, right * UNIT_NS, n_px),
        n_lost_events=record.n_lost_events,
    )


def read_timeline(picture: TimelinePicture, time: float, reach: float) -> TimelineMoment:
    """Return the values drawn at a moment, with the longest pause within ``reach`` units."""
    return TimelineMoment(
        time=time,
        rss_bytes=_read(picture.rss, time),
        accounted_bytes=_read(picture.accounted, time),
        rate_bytes=_read(picture.rate, time),
        pause=_find_pause(picture.pauses, time, reach),
    )


def _read(trace: PixelTrace, time: float) -> int | None:
    """Return the highest value of the point nearest to ``time``."""
    if len(trace.time) == 0:
        return None
    at = int(np.searchsorted(trace.time, time))
    near = slice(max(at - 1, 0), at + 1)
    nearest = int(np.argmin(np.abs(trace.time[near] - time)))
    return int(trace.high[near][nearest])


def _find_pause(pauses: Pauses, time: float, reach: float) -> TimelinePause | None:
    first = int(np.searchsorted(pauses.start_ns, (time - reach) * UNIT_NS))
    last = int(np.searchsorted(pauses.start_ns, (time + reach) * UNIT_NS, side="right"))
    if first >= last:
        return None
    row = first + int(np.argmax(pauses.longest_ns[first:last]))
    return TimelinePause(
        generation=int(pauses.generation[row]),
        longest_ns=int(pauses.longest_ns[row]),
        n_pauses=int(pauses.n_pauses[row]),
        n_freed=int(pauses.n_freed[row]),
        n_uncollectable=int(pauses.n_uncollectable[row]),
    )
