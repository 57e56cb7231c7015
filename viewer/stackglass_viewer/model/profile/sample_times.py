"""Times of samples: when each stack was sampled, for files that record it.

::

    samples   0: main;load          1: main;work
              ┌──0──┐┌─────1─────┐  ┌─0─┐          rows: sample, begin, end, values
              ──────────────────────────────▶ ns since the first moment

Equal stacks are one sample, also if they were taken at different times. Each row has the part of
the sample's values that belongs to one stretch of time.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, Integers, freeze
from stackglass_viewer.model.profile.profile import Profile, SampleTimes


def keep_times(times: SampleTimes | None, is_kept: Bools) -> SampleTimes | None:
    """Return the rows of the samples that ``is_kept``, (n_samples,), marks. Samples keep their
    numbers."""
    if times is None or is_kept.all():
        return times
    return _choose(times, is_kept[times.sample])


def renumber_times(times: SampleTimes | None, is_kept: Bools) -> SampleTimes | None:
    """Return the same rows as ``keep_times``, with the kept samples renumbered from 0."""
    kept = keep_times(times, is_kept)
    if kept is None or is_kept.all():
        return kept
    number_of = (np.cumsum(is_kept) - 1).astype(np.int32)
    sample = number_of[kept.sample]
    freeze(sample)
    return replace(kept, sample=sample)


def cut_profile(profile: Profile, begin_ns: int, end_ns: int) -> Profile:
    """Return the profile between two moments, without values of unknown times. If the profile has
    no times, return it as it is. Samples keep their numbers. A row that is partly outside keeps the
    corresponding share of its values. May run in any thread."""
    times = profile.times
    if times is None:
        return profile
    cut = cut_times(times, begin_ns, end_ns)
    values = np.zeros_like(profile.samples.values)
    for column, parts in zip(values, cut.values, strict=True):
        np.add.at(column, cut.sample, parts)
    freeze(values)
    samples = replace(profile.samples, values=values)
    length_ns = max(min(end_ns, times.length_ns) - max(begin_ns, 0), 0)
    duration_ns = length_ns if profile.duration_ns > 0 else profile.duration_ns
    return replace(profile, samples=samples, times=cut, duration_ns=duration_ns)


def cut_times(times: SampleTimes, begin_ns: int, end_ns: int) -> SampleTimes:
    """Return the rows between two moments, cut at these moments. A row without length is included
    if it is at or after ``begin_ns`` and before ``end_ns``."""
    is_instant = times.begin_ns == times.end_ns
    is_inside = (times.begin_ns < end_ns) & (
        (times.end_ns > begin_ns) | (is_instant & (times.begin_ns >= begin_ns))
    )
    kept = _choose(times, is_inside)
    begin = np.maximum(kept.begin_ns, begin_ns)
    end = np.maximum(np.minimum(kept.end_ns, end_ns), begin)
    length = kept.end_ns - kept.begin_ns
    share = np.divide(end - begin, length, out=np.ones(len(length)), where=length > 0)
    values: list[Integers] = []
    for column in kept.values:
        part = np.rint(column * share).astype(np.int64)
        values.append(column if (share >= 1).all() else np.where(share >= 1, column, part))
    freeze(begin, end, *values)
    return SampleTimes(kept.sample, begin, end, tuple(values), times.length_ns)


def _choose(times: SampleTimes, which: Bools) -> SampleTimes:
    begin = times.begin_ns[which]
    # Begin and end that are one array stay one array, which takes half the memory.
    end = begin if times.end_ns is times.begin_ns else times.end_ns[which]
    sample, values = times.sample[which], [_take(column, which) for column in times.values]
    freeze(sample, begin, end, *values)
    return SampleTimes(sample, begin, end, tuple(values), times.length_ns)


def repeat_number(number: int, n: int) -> Int64s:
    """Return a column of one number, (n,), with stride 0: it takes the memory of one number."""
    repeated: Int64s = np.broadcast_to(np.int64(number), n)
    return repeated


def _take(column: Integers, which: Bools | Int64s) -> Integers:
    """Return the rows of a mask, or rows in an order. A column with stride 0 keeps it."""
    if len(column) and column.strides == (0,):
        n = np.count_nonzero(which) if which.dtype == np.bool_ else len(which)
        return repeat_number(int(column[0]), int(n))
    return column[which]


LONGEST_NS = 1 << 62
"""Longest time between two moments of a profile, so that sums and differences of two times cannot
overflow."""


@dataclass(frozen=True, slots=True, eq=False)
class TimedRows:
    """Rows of a reader, in any order."""

    sample: Int32s  # (n,)
    begin_ns: Int64s  # (n,) by any clock
    end_ns: Int64s  # (n,) not before ``begin_ns``; the same array if rows have no length
    values: tuple[Integers, ...]  # (n,) for each type


def order_times(rows: TimedRows) -> SampleTimes | None:
    """Return the rows sorted by time, with times since the first one; None = there are no rows, or
    their times are impossible."""
    if not len(rows.sample):
        return None
    first, last = int(rows.begin_ns.min()), int(rows.end_ns.max())
    if last - first > LONGEST_NS:
        return None  # no clock runs so long
    sample, begin, end, values = rows.sample, rows.begin_ns, rows.end_ns, rows.values
    have_length = end is not begin
    if not _are_ordered(begin, end):
        order = np.lexsort((end, begin)) if have_length else np.argsort(begin, kind="stable")
        sample, values = sample[order], tuple(_take(column, order) for column in values)
        begin, end = begin[order], end[order] if have_length else end
    if first:
        begin, end = begin - first, end - first if have_length else end
    end = end if have_length else begin
    freeze(sample, begin, end, *values)
    return SampleTimes(sample, begin, end, values, last - first)


def _are_ordered(begin: Int64s, end: Int64s) -> bool:
    if end is begin:
        return bool((begin[:-1] <= begin[1:]).all())
    earlier, later = begin[:-1], begin[1:]
    is_next = (earlier < later) | ((earlier == later) & (end[:-1] <= end[1:]))
    return bool(is_next.all())
