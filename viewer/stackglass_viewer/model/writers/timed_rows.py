"""Rows of one sample type for formats whose samples have times: by time, as far as it is known.

::

    samples   0: main;load 5    1: main;work 3     times   0 at 10 ms: 4, 1 at 20 ms: 3
    rows      0 at 10 ms: 4     1 at 20 ms: 3      0 at 20 ms: 1, of an unknown time
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, TypeId
from stackglass_viewer.model.profile.profile import Profile

THREAD_LABELS = ("process", "thread", "profile")  # the last: of a file that holds several
_ALL = "all"


class TimedRows(NamedTuple):
    """Parts of the values of samples, none of them zero."""

    sample: Int64s  # (n,)
    value: Int64s  # (n,)
    begin_ns: Int64s  # (n_timed,) of the first rows, since the first moment of the file
    end_ns: Int64s  # (n_timed,) equal to ``begin_ns``: the row is a moment
    length_ns: int  # of the file; 0 = no time is known


def list_timed_rows(profile: Profile, sample_type: TypeId) -> TimedRows:
    """Return the rows by time, and behind them the values of unknown times, in the order of
    samples."""
    left = profile.samples.values[sample_type]
    times = profile.times
    if times is None:
        untimed = np.flatnonzero(left)
        nothing = np.zeros(0, dtype=np.int64)
        return TimedRows(untimed, left[untimed], nothing, nothing, 0)
    column = times.values[sample_type]
    timed = np.flatnonzero(column)
    sample, value = times.sample[timed].astype(np.int64), column[timed].astype(np.int64)
    left = left.copy()
    np.subtract.at(left, sample, value)
    untimed = np.flatnonzero(left)
    return TimedRows(
        np.concatenate((sample, untimed)),
        np.concatenate((value, left[untimed])),
        times.begin_ns[timed],
        times.end_ns[timed],
        times.length_ns,
    )


def split_threads(profile: Profile, samples: Int64s) -> Iterator[tuple[str, Int64s]]:
    """Yield a name and the rows for each thread, in the order of the threads' first samples. A
    thread is a combination of the texts of ``THREAD_LABELS``; rows without such a label belong to
    "all". ``samples``: the sample of each row."""
    labels, strings = profile.labels, profile.strings
    texts = np.full((len(THREAD_LABELS), profile.n_samples), -1, dtype=np.int64)
    group_of = np.zeros(profile.n_samples, dtype=np.int64)
    for key, text_of in zip(THREAD_LABELS, texts, strict=True):
        is_key = np.array([text == key for text in strings])
        chosen = (labels.text >= 0) & is_key[labels.key]
        text_of[labels.sample[chosen]] = labels.text[chosen]
        combined = group_of * (len(strings) + 1) + text_of + 1
        group_of = np.unique(combined, return_inverse=True)[1]
    _, firsts = np.unique(group_of, return_index=True)
    number_of: dict[str, int] = {}
    numbers = np.zeros(len(firsts), dtype=np.int64)
    for index in np.argsort(firsts).tolist():
        known = [strings[text] for text in texts[:, firsts[index]].tolist() if text >= 0]
        numbers[index] = number_of.setdefault(", ".join(known) or _ALL, len(number_of))
    threads = numbers[group_of[samples]]
    names = list(number_of) or [_ALL]
    ends = np.cumsum(np.bincount(threads, minlength=len(names)))
    yield from zip(names, np.split(np.argsort(threads, kind="stable"), ends[:-1]), strict=True)
