"""Times of samples: when the stacks of a file were there, where the file says so.

::

    samples   0: main;load          1: main;work
              ┌──0──┐┌─────1─────┐  ┌─0─┐          rows: sample, begin, end, values
              ──────────────────────────────▶ ns since the first moment

Equal stacks are one sample, whenever they were there; a row says which part of its values belongs
to which moment.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, freeze
from stackglass_viewer.model.profile.profile import Profile, SampleTimes


def keep_times(times: SampleTimes | None, is_kept: Bools) -> SampleTimes | None:
    """The rows of the samples of a mask, (n_samples,); these keep their numbers."""
    if times is None or is_kept.all():
        return times
    return _choose(times, is_kept[times.sample])


def renumber_times(times: SampleTimes | None, is_kept: Bools) -> SampleTimes | None:
    """The same where samples outside the mask are dropped."""
    kept = keep_times(times, is_kept)
    if kept is None or is_kept.all():
        return kept
    number_of = (np.cumsum(is_kept) - 1).astype(np.int32)
    sample = number_of[kept.sample]
    freeze(sample)
    return replace(kept, sample=sample)


def cut_profile(profile: Profile, begin_ns: int, end_ns: int) -> Profile:
    """What lies between two moments. Samples keep their numbers; of a row that lies partly outside
    a part of its values is left. Any thread."""
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
    """The rows between two moments, cut at them. A row without length is there if it begins
    there."""
    is_instant = times.begin_ns == times.end_ns
    is_inside = (times.begin_ns < end_ns) & (
        (times.end_ns > begin_ns) | (is_instant & (times.begin_ns >= begin_ns))
    )
    kept = _choose(times, is_inside)
    begin = np.maximum(kept.begin_ns, begin_ns)
    end = np.maximum(np.minimum(kept.end_ns, end_ns), begin)
    length = kept.end_ns - kept.begin_ns
    share = np.divide(end - begin, length, out=np.ones(len(length)), where=length > 0)
    values = np.where(share >= 1, kept.values, np.rint(kept.values * share).astype(np.int64))
    freeze(begin, end, values)
    return SampleTimes(kept.sample, begin, end, values, times.length_ns)


def _choose(times: SampleTimes, which: Bools) -> SampleTimes:
    columns = (times.sample[which], times.begin_ns[which], times.end_ns[which])
    values = np.ascontiguousarray(times.values[:, which])
    freeze(*columns, values)
    return SampleTimes(*columns, values, times.length_ns)


_LONGEST_NS = 1 << 62


@dataclass(frozen=True, slots=True, eq=False)
class TimedRows:
    """Rows as a reader has them, in any order."""

    sample: Int32s  # (n,)
    begin_ns: Int64s  # (n,) of any clock
    end_ns: Int64s  # (n,) not before ``begin_ns``
    values: Int64s  # (n_types, n)


def order_times(rows: TimedRows) -> SampleTimes | None:
    """By time, since the first moment; None = there are none."""
    if not len(rows.sample):
        return None
    first, last = int(rows.begin_ns.min()), int(rows.end_ns.max())
    if last - first > _LONGEST_NS:
        return None  # no clock runs so long
    if _are_ordered(rows.begin_ns, rows.end_ns):
        columns, values = (rows.sample, rows.begin_ns, rows.end_ns), rows.values
        if first:
            columns = (rows.sample, rows.begin_ns - first, rows.end_ns - first)
    else:
        order = np.lexsort((rows.end_ns, rows.begin_ns))
        columns = (rows.sample[order], rows.begin_ns[order] - first, rows.end_ns[order] - first)
        values = np.ascontiguousarray(rows.values[:, order])
    freeze(*columns, values)
    return SampleTimes(*columns, values, last - first)


def _are_ordered(begin: Int64s, end: Int64s) -> bool:
    earlier, later = begin[:-1], begin[1:]
    is_next = (earlier < later) | ((earlier == later) & (end[:-1] <= end[1:]))
    return bool(is_next.all())
