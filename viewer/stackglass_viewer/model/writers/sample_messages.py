"""Samples of pprof as protobuf, encoded with numpy, many at a time.

A sample's message consists of varints only, tags and sizes included. So all numbers of a piece are
placed in one array, which is encoded as varints as a whole::

    0x12 size │ 0x0a size id id id │ 0x12 size value value │ 0x1a size 0x08 key 0x10 text │ …
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, UInt64s
from stackglass_viewer.model.profile.profile import Labels, Profile

_PIECE = 1 << 14  # samples
_SAMPLE, _IDS, _VALUES, _LABEL = 0x12, 0x0A, 0x12, 0x1A
_KEY, _TEXT, _NUMBER, _UNIT = 0x08, 0x10, 0x18, 0x20
_MAX_BYTES = 10


def encode_samples(profile: Profile, locations: Int32s, strings: Int32s) -> Iterator[bytes]:
    """Yield the field ``sample`` of a ``Profile``, in pieces. ``locations``: the ID of each
    location; ``strings``: the number in the file of each string that a label refers to."""
    label_start = np.searchsorted(profile.labels.sample, np.arange(profile.n_samples + 1))
    values = profile.samples.values.astype(np.int64, copy=False).view(np.uint64)
    for first in range(0, profile.n_samples, _PIECE):
        last = min(first + _PIECE, profile.n_samples)
        start = profile.samples.stack_start[first : last + 1]
        ids = locations[profile.samples.stack[start[0] : start[-1]]].astype(np.uint64)
        label = label_start[first : last + 1]
        numbers = _list_label_numbers(profile.labels, strings, label[0], label[-1])
        piece = _place(ids, start - start[0], values[:, first:last].T, numbers, label - label[0])
        yield _encode_varints(piece)


def _list_label_numbers(
    labels: Labels, strings: Int32s, first: int, last: int
) -> tuple[UInt64s, UInt64s]:
    """Return tag and number of each field of labels: (n, 4); tag 0 = the field is not written."""
    rows = slice(first, last)
    text, is_text = labels.text[rows], labels.text[rows] >= 0
    numbers = np.zeros((last - first, 4), dtype=np.uint64)
    numbers[:, 0] = strings[labels.key[rows]]
    numbers[:, 1] = np.where(is_text, strings[np.maximum(text, 0)], 0)
    numbers[:, 2] = np.where(is_text, 0, labels.number[rows]).view(np.uint64)
    numbers[:, 3] = np.where(is_text, 0, strings[labels.unit[rows]])
    tags = np.array((_KEY, _TEXT, _NUMBER, _UNIT), dtype=np.uint64)
    return np.where(numbers > 0, tags, 0).astype(np.uint64), numbers


def _place(
    ids: UInt64s,
    id_start: Int64s,
    values: UInt64s,
    label_numbers: tuple[UInt64s, UInt64s],
    label_start: Int64s,
) -> UInt64s:
    """Return all numbers of the messages of some samples, in their order."""
    n_samples, n_types = values.shape
    n_ids = np.diff(id_start)
    id_bytes = _sum_pieces(_count_bytes(ids), id_start)
    value_bytes = _count_bytes(values).sum(axis=1)
    tags, numbers = label_numbers
    is_written = tags > 0
    field_bytes = np.where(is_written, _count_bytes(numbers) + 1, 0)
    label_bytes = field_bytes.sum(axis=1)
    label_places = 2 + 2 * is_written.sum(axis=1)
    of_labels = _sum_pieces(1 + _count_bytes(label_bytes) + label_bytes, label_start)
    has_ids, has_values = n_ids > 0, np.full(n_samples, n_types > 0)
    sizes = (
        np.where(has_ids, 1 + _count_bytes(id_bytes) + id_bytes, 0)
        + np.where(has_values, 1 + _count_bytes(value_bytes) + value_bytes, 0)
        + of_labels
    )
    at_ids = 2  # behind tag and size
    at_values = at_ids + np.where(has_ids, 2 + n_ids, 0)
    at_labels = at_values + np.where(has_values, 2 + n_types, 0)
    total = at_labels + _sum_pieces(label_places, label_start)
    begin = np.cumsum(total) - total
    placed = np.empty(int(total.sum()), dtype=np.uint64)
    placed[begin], placed[begin + 1] = _SAMPLE, sizes
    place = begin[has_ids] + at_ids
    placed[place], placed[place + 1] = _IDS, id_bytes[has_ids]
    placed[np.repeat(begin + at_ids + 2 - id_start[:-1], n_ids) + np.arange(len(ids))] = ids
    if n_types:
        place = begin + at_values
        placed[place], placed[place + 1] = _VALUES, value_bytes
        placed[place[:, None] + 2 + np.arange(n_types)] = values
    if len(tags):
        before = np.cumsum(label_places) - label_places
        n_labels = np.diff(label_start)
        of_first = np.append(before, 0)[label_start[:-1]]
        place = np.repeat(begin + at_labels - of_first, n_labels) + before
        placed[place], placed[place + 1] = _LABEL, label_bytes
        nth = np.cumsum(is_written, axis=1) - 1
        fields = (place[:, None] + 2 + 2 * nth)[is_written]
        placed[fields], placed[fields + 1] = tags[is_written], numbers[is_written]
    return placed


def _sum_pieces(numbers: Int64s, start: Int64s) -> Int64s:
    sums = np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(numbers, dtype=np.int64)))
    pieces: Int64s = sums[start[1:]] - sums[start[:-1]]
    return pieces


def _count_bytes(numbers: Int64s | UInt64s) -> Int64s:
    """Return the size of each number as a varint, bytes."""
    wide = numbers.astype(np.uint64, copy=False)
    n_bytes = np.ones(wide.shape, dtype=np.int64)
    most = int(wide.max(initial=0))
    for bits in range(7, 7 * _MAX_BYTES, 7):
        if most >> bits == 0:
            break
        n_bytes += wide >= np.uint64(1 << bits)
    return n_bytes


def _encode_varints(numbers: UInt64s) -> bytes:
    n_bytes = _count_bytes(numbers)
    places = np.cumsum(n_bytes) - n_bytes
    content = np.empty(int(n_bytes.sum()), dtype=np.uint8)
    while len(numbers):
        goes_on = n_bytes > 1
        content[places] = (numbers & np.uint64(0x7F)).astype(np.uint8) | (
            goes_on.astype(np.uint8) << 7
        )
        numbers = numbers[goes_on] >> np.uint64(7)
        n_bytes, places = n_bytes[goes_on] - 1, places[goes_on] + 1
    return content.tobytes()
