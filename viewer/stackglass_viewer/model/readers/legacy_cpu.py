"""Reader of the binary CPU profiles of gperftools and of Go before 1.7.

A file consists of words of 32 or 64 bits in either byte order: ``0 3 0 period_us 0``, then records
``count depth pc…``, leaf first, then ``0 1 0`` and the text of ``/proc/self/maps``. A stack may
come many times. The third word is 1 for a Java program; ``legacy_java`` reads the text after its
samples.

If nearly all samples have the same second frame, it may be a signal handler's, left by an unwinder.
pprof drops such a frame, up to two times, and so does this reader, with a warning: a function that
calls everything looks the same. No frame is dropped from a file that names its functions.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stackglass_viewer.model.columns.index import Int64s, UInt64s
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.address_names import AddressNames
from stackglass_viewer.model.readers.address_profile import AddressSamples
from stackglass_viewer.model.readers.address_rows import number_addresses
from stackglass_viewer.model.readers.legacy_java import build_java
from stackglass_viewer.model.readers.process_maps import MAX_ADDRESS, read_mappings
from stackglass_viewer.model.readers.sample_columns import Symbol, check_values
from stackglass_viewer.model.readers.text_rows import Progress, ignore_progress, list_lines

_WORDS = ("<u4", ">u4", "<u8", ">u8")
_HEADER_WORDS, _END_WORDS = 5, 3
_JAVA = 1
_NS_PER_US = 1000
_CPU = SampleType("cpu", "nanoseconds")
_TYPES = (SampleType("samples", "count"), _CPU)
_MAX_SHARED = 2
_SAMPLES_PER_EXCEPTION = 32
_MOST_LINE_DIGITS = 18
_REPORT_EVERY = 1024  # records
_SHARE_OF_RECORDS = 0.5  # part of the progress
_DROPPED = (
    "{} frames are left out: nearly all samples have the same second frame, a signal handler's or "
    "that of a function that calls everything"
)
# A name ends at the first tab: a search among all tabs of a long line would take hours.
_SYMBOL = re.compile(rb"#\s+0x([0-9a-f]+)\s+([^\t\s][^\t]*)\t(.*):(\d+)", re.IGNORECASE)


def find_word_type(content: bytes | bytearray) -> str | None:
    """Return the numpy dtype of the words; None = ``content`` is not a binary CPU profile."""
    for word in _WORDS:
        size = _HEADER_WORDS * np.dtype(word).itemsize
        if len(content) < size:
            continue
        header = np.frombuffer(content[:size], dtype=word)
        if header[0] == 0 and header[1] == 3 and header[2] in (0, _JAVA) and header[4] == 0:
            return word
    return None


def read_legacy_cpu(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole file. Raises ContentError if ``find_word_type`` returns None or if the file is
    cut off, and what ``progress`` raises."""
    word = find_word_type(content)
    if word is None:
        raise ContentError("it is not a binary CPU profile")
    size = np.dtype(word).itemsize
    words = np.frombuffer(content, dtype=word, count=len(content) // size)
    words = words.astype(words.dtype.newbyteorder("="), copy=False)
    period_ns = int(words[3]) * _NS_PER_US
    records = _read_records(words, progress)
    at = records.end * size
    samples = AddressSamples(_TYPES)
    if words[2] == _JAVA:
        _add(samples, records.counts, period_ns, _Stacks(records.addresses, records.sizes))
        return build_java(samples, list_lines(content, at=at), _CPU, period_ns)
    names = _read_names(list_lines(content, at=at))
    stacks = _find_calls(records)
    n_dropped = 0
    if not names:
        stacks, n_dropped = _drop_shared(stacks)
    _add(samples, records.counts, period_ns, _drop_second_leaves(stacks))
    progress(_SHARE_OF_RECORDS)
    warnings = (_DROPPED.format(n_dropped),) if n_dropped else ()
    mappings = read_mappings(list_lines(content, at=at))
    return samples.build(mappings, names, _CPU, period_ns, warnings=warnings)


class _Records(NamedTuple):
    """Columns of the records, as they are in the file."""

    counts: UInt64s  # (n,)
    sizes: Int64s  # (n,) addresses of each record
    addresses: UInt64s  # of all records, leaf first
    end: int  # the word after the end mark


class _Stacks(NamedTuple):
    """Columns of stacks."""

    calls: UInt64s  # addresses of the calls of all stacks, leaf first
    sizes: Int64s  # (n,) calls of each stack

    @property
    def starts(self) -> Int64s:
        """Where each stack begins in the calls."""
        return np.cumsum(self.sizes) - self.sizes

    def leave_out(self, places: Int64s, stacks: Int64s) -> _Stacks:
        """Return the stacks without these calls, one call of each stack in ``stacks``."""
        sizes = self.sizes.copy()
        sizes[stacks] -= 1
        return _Stacks(np.delete(self.calls, places), sizes)


def _read_records(words: npt.NDArray[Any], progress: Progress) -> _Records:
    """Read the records up to the end mark. Raises ContentError."""
    begins = array("q")
    at, n_words = _HEADER_WORDS, len(words)
    with words.data as view:  # its items are Python's integers, faster than numpy's
        while True:
            if at + 2 > n_words:
                raise ContentError(f"the profile is cut off after {at} words, before its end mark")
            depth = view[at + 1]
            if depth < 1 or at + 2 + depth > n_words:
                raise ContentError(
                    f"word {at + 1} gives a stack depth of {depth} frames, which is impossible"
                )
            if depth == 1 and view[at] == 0 and view[at + 2] == 0:
                break
            begins.append(at)
            at += 2 + depth
            if len(begins) % _REPORT_EVERY == 0:
                progress(_SHARE_OF_RECORDS * at / n_words)
    begin = np.frombuffer(begins, dtype=np.int64)
    is_address = np.ones(at, dtype=np.bool_)
    is_address[:_HEADER_WORDS] = is_address[begin] = is_address[begin + 1] = False
    addresses = words[:at][is_address].astype(np.uint64)
    counts, sizes = words[begin].astype(np.uint64), words[begin + 1].astype(np.int64)
    return _Records(counts, sizes, addresses, at + _END_WORDS)


def _add(samples: AddressSamples, counts: UInt64s, period_ns: int, stacks: _Stacks) -> None:
    """Add the samples. Raises ContentError for a value that 63 bits cannot hold."""
    most = int(counts.max(initial=0))
    check_values((period_ns, most, most * period_ns))
    values = np.empty((len(counts), len(_TYPES)), dtype=np.int64)
    values[:, 0] = counts
    np.multiply(values[:, 0], period_ns, out=values[:, 1])
    samples.add_rows(values, number_addresses(stacks.calls), np.cumsum(stacks.sizes))


def _find_calls(records: _Records) -> _Stacks:
    """Find the calls. All addresses but the leaf are return addresses, after the call; 0 wraps
    around, as in pprof."""
    stacks = _Stacks(records.addresses - np.uint64(1), records.sizes)
    stacks.calls[stacks.starts] += np.uint64(1)
    return stacks


def _drop_shared(stacks: _Stacks) -> tuple[_Stacks, int]:
    """Remove the second frame if all but 1/32 of the samples share it, up to two times. Also
    returns the number of frames removed."""
    n_dropped, n_stacks = 0, len(stacks.sizes)
    for _ in range(_MAX_SHARED):
        has_second = np.flatnonzero(stacks.sizes > 1)
        places = stacks.starts[has_second] + 1
        _, numbers = number_addresses(stacks.calls[places])
        n_times = np.bincount(numbers, minlength=1)
        n = int(n_times.max())
        if not n or n < n_stacks - n_stacks // _SAMPLES_PER_EXCEPTION:
            break
        is_shared = numbers == n_times.argmax()
        stacks = stacks.leave_out(places[is_shared], has_second[is_shared])
        n_dropped += n
    return stacks, n_dropped


def _drop_second_leaves(stacks: _Stacks) -> _Stacks:
    """Return the stacks without repeated leaves: an unwinder may add one again as a return
    address."""
    has_second = np.flatnonzero(stacks.sizes > 1)
    leaves = stacks.starts[has_second]
    seconds = stacks.calls[leaves + 1]
    is_repeated = (stacks.calls[leaves] == seconds + np.uint64(1)) & (seconds != MAX_ADDRESS)
    return stacks.leave_out(leaves[is_repeated] + 1, has_second[is_repeated])


def _read_names(lines: Iterable[bytes]) -> AddressNames | None:
    """Return the names of addresses; None = the text has none."""
    names = AddressNames(takes_last=True)
    has_names = False
    for match in map(_SYMBOL.match, lines):
        if match is None:
            continue
        has_names = True
        name, file = (match[group].decode(errors="replace") for group in (2, 3))
        line = int(match[4]) if len(match[4]) <= _MOST_LINE_DIGITS else 0
        if (address := int(match[1], 16)) <= MAX_ADDRESS:
            names.add(address, (Symbol(name, file, line),))
    return names if has_names else None
