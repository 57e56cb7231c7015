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

_THREAD = "thread"
_ALL = "all"


class SampleRows(NamedTuple):
    """Parts of the values of samples, none of them zero."""

    sample: Int64s  # (n,)
    value: Int64s  # (n,)
    begin_ns: Int64s  # (n_timed,) of the first rows, since the first moment of the file
    end_ns: int  # of the last of these; 0 = no time is known


def list_sample_rows(profile: Profile, sample_type: TypeId) -> SampleRows:
    """Rows by time, and behind them the values of unknown times, in the order of samples."""
    left = profile.samples.values[sample_type]
    times = profile.times
    if times is None:
        untimed = np.flatnonzero(left)
        return SampleRows(untimed, left[untimed], np.zeros(0, dtype=np.int64), 0)
    column = times.values[sample_type]
    timed = np.flatnonzero(column)
    sample, value = times.sample[timed].astype(np.int64), column[timed].astype(np.int64)
    left = left.copy()
    np.subtract.at(left, sample, value)
    untimed = np.flatnonzero(left)
    return SampleRows(
        np.concatenate((sample, untimed)),
        np.concatenate((value, left[untimed])),
        times.begin_ns[timed],
        times.length_ns,
    )


def split_threads(profile: Profile, samples: Int64s) -> Iterator[tuple[str, Int64s]]:
    """The rows, given by their samples, of each value of the label ``thread``, in the order of
    their first samples; with others, or without such a label, those of "all"."""
    labels, strings = profile.labels, profile.strings
    text_of = np.full(profile.n_samples, -1, dtype=np.int64)
    is_thread = np.array([text == _THREAD for text in strings])
    chosen = (labels.text >= 0) & is_thread[labels.key]
    text_of[labels.sample[chosen]] = labels.text[chosen]
    texts, firsts = np.unique(text_of, return_index=True)
    number_of: dict[str, int] = {}
    numbers = np.zeros(len(texts), dtype=np.int64)
    for place in np.argsort(firsts).tolist():
        name = strings[texts[place]] if texts[place] >= 0 else _ALL
        numbers[place] = number_of.setdefault(name, len(number_of))
    threads = numbers[np.searchsorted(texts, text_of[samples])]
    names = list(number_of) or [_ALL]
    ends = np.cumsum(np.bincount(threads, minlength=len(names)))
    yield from zip(names, np.split(np.argsort(threads, kind="stable"), ends[:-1]), strict=True)
