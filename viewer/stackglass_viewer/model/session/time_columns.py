"""Times of samples as bytes: a head and one column after another. In a session file with a profile
(``profile_file``), they are one part."""

from __future__ import annotations

import struct

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Int64s, Integers, freeze
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleTimes
from stackglass_viewer.model.profile.sample_times import LONGEST_NS, repeat_number

_HEAD = struct.Struct("<qqq")  # rows, types, length in ns
_INT32, _INT64 = np.dtype("<i4"), np.dtype("<i8")


def encode_times(times: SampleTimes) -> bytes:
    """Return the times as bytes, every number in full: the file compresses its parts, so repeated
    numbers take little space.

    Raises ValueError if there are no rows: a file without times does not have this part.
    """
    if not len(times.sample):
        raise ValueError("no times")
    columns: list[npt.NDArray[np.integer]] = [times.sample.astype(_INT32)]
    columns += [each.astype(_INT64) for each in (times.begin_ns, times.end_ns, *times.values)]
    head = _HEAD.pack(len(times.sample), len(times.values), times.length_ns)
    return b"".join((head, *(column.tobytes() for column in columns)))


def decode_times(content: bytes | bytearray, profile: Profile) -> SampleTimes:
    """Return the times of a profile's samples from bytes. Values of samples may be negative, as in
    a difference of two profiles; moments may not. Raises ContentError."""
    try:
        n_rows, n_types, length_ns = _HEAD.unpack_from(content)
    except struct.error:
        raise _make_error() from None
    row_bytes = _INT32.itemsize + _INT64.itemsize * (2 + n_types)
    if n_types != len(profile.sample_types) or not 0 <= length_ns <= LONGEST_NS:
        raise _make_error()
    if n_rows < 1 or n_rows * row_bytes != len(content) - _HEAD.size:
        raise _make_error()
    sample = np.frombuffer(content, _INT32, n_rows, _HEAD.size).astype(np.int32)
    at = _HEAD.size + sample.nbytes
    numbers = np.frombuffer(content, _INT64, n_rows * (2 + n_types), at).astype(np.int64)
    begin, end, *values = numbers.reshape(2 + n_types, n_rows)
    is_known = (sample >= 0).all() and (sample < profile.n_samples).all()
    is_ordered = (begin[:-1] <= begin[1:]).all() and (begin <= end).all()
    if not (is_known and is_ordered and begin[0] >= 0 and (end <= length_ns).all()):
        raise _make_error()
    if np.array_equal(begin, end):
        end = begin  # one array: no row has a length (SampleTimes.end_ns)
    shrunk = tuple(_shrink_constant(column) for column in values)
    freeze(sample, begin, end, *shrunk)
    return SampleTimes(sample, begin, end, shrunk, length_ns)


def _shrink_constant(column: Int64s) -> Integers:
    """Return the column; if all its numbers are equal, as one number with stride 0."""
    is_constant = bool((column == column[0]).all())
    return repeat_number(int(column[0]), len(column)) if is_constant else column


def _make_error() -> ContentError:
    return ContentError("it is damaged: the times in it do not match its samples")
