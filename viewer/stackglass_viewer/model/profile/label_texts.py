"""Labels of samples as text: texts by key, then numbers by key, as in pprof's ``-traces``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s
from stackglass_viewer.model.profile.numeric_labels import (
    find_numeric,
    format_number,
    group_by_key,
)
from stackglass_viewer.model.profile.profile import Profile

LabelTexts = dict[str, list[str]]
"""The texts of one sample's labels, by key."""


def describe_labels(profile: Profile, units: Mapping[str, str]) -> dict[int, LabelTexts]:
    """Return the labels of each sample that has any, by the sample's number. ``units``: the unit of
    the numbers of each key."""
    labels, strings = profile.labels, profile.strings
    found: dict[int, LabelTexts] = {}
    texts = group_by_key(labels, strings, (labels.text >= 0).nonzero()[0])
    for key in sorted(texts):
        for row in texts[key].tolist():
            text = strings[labels.text[row]]
            found.setdefault(int(labels.sample[row]), {}).setdefault(key, []).append(text)
    numbers = group_by_key(labels, strings, find_numeric(labels).nonzero()[0])
    for key in sorted(numbers):
        for row in numbers[key].tolist():
            text = format_number(int(labels.number[row]), units[key])
            found.setdefault(int(labels.sample[row]), {}).setdefault(key, []).append(text)
    return found


def number_label_sets(profile: Profile) -> Int64s:
    """Number the sets of labels: samples with the same labels in the same order get the same
    number. Returns (n_samples,); 0 = no labels."""
    labels = profile.labels
    numbers = np.zeros(profile.n_samples, dtype=np.int64)
    if not len(labels.key):
        return numbers
    texts = (labels.key, labels.text, labels.unit)
    columns = (*(_number_texts(profile.strings, column) for column in texts), labels.number)
    kinds = np.unique(np.stack(columns), axis=1, return_inverse=True)[1].ravel()
    count = np.bincount(labels.sample, minlength=profile.n_samples)
    begin = np.cumsum(count) - count
    bearers = np.flatnonzero(count)
    n_sets = 1
    for index in range(int(count.max())):
        # Each label extends a set to a longer one with a new number: sets of other lengths differ.
        bearers = bearers[count[bearers] > index]
        pairs = np.stack((numbers[bearers], kinds[begin[bearers] + index].astype(np.int64)))
        longer = np.unique(pairs, axis=1, return_inverse=True)[1].ravel()
        numbers[bearers] = longer + n_sets
        n_sets += int(longer.max()) + 1
    return np.unique(np.append(numbers, 0), return_inverse=True)[1][:-1].astype(np.int64)


def _number_texts(strings: Sequence[str], column: Int32s) -> Int64s:
    """Return a number for each text: (n,); -1 = no text. Equal texts get the same number, although
    a file may contain a string twice."""
    used, number_of = np.unique(column, return_inverse=True)
    first: dict[str, int] = {}
    numbers = [first.setdefault(strings[at], at) if at >= 0 else -1 for at in used.tolist()]
    return np.array(numbers, dtype=np.int64)[number_of]
