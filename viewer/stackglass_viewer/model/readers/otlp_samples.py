"""Samples of OpenTelemetry's profiles, added up while they are read.

Samples with the same owner (their profile, scope and resource), stack, attributes and link become
one. Owner, attributes and link are the *context* of a sample, which has a number. So a sample is
one int64, the key, and its value another:

      59        38 37                7 6        0
     ┌────────────┬───────────────────┬──────────┐
     │  context   │       stack       │   type   │
     └────────────┴───────────────────┴──────────┘

New samples wait in an array. Once they are as many as the sums, and at least 65 536, they are
sorted and added to the sums. So memory grows with the number of distinct samples, not of all
samples.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, TypeId, freeze
from stackglass_viewer.model.profile.profile import Labels, Profile, Samples, SampleType
from stackglass_viewer.model.proto.otlp_pb2 import Profile as ProfileMessage
from stackglass_viewer.model.proto.otlp_pb2 import Sample
from stackglass_viewer.model.readers.json_pieces import JsonColumn
from stackglass_viewer.model.readers.otlp_dictionary import Dictionary, Row
from stackglass_viewer.model.readers.sample_columns import check_values, finish_texts

_MAX_VALUE = 2**63 - 1
_FREE = 4_000_000  # frames, labels and values that a file of any size may have
_MOST_ATTRIBUTES = 4096  # limit for the attributes of a sample
_PENDING = 1 << 16
_TYPE_BITS, _STACK_BITS, _CONTEXT_BITS = 7, 31, 22  # of a key

_Context = bytes
"""What samples have in common besides their stack, as int32: number of an owner, link, attributes.
Tuples would take twice the memory."""


class OtlpColumns(NamedTuple):
    """Columns of samples; each gives how many numbers a sample has."""

    stack: JsonColumn
    link: JsonColumn
    attributes: JsonColumn
    values: JsonColumn
    times: JsonColumn


class OtlpSamples:
    """Adds up the samples of all profiles of a file. Used by one thread."""

    def __init__(self, dictionary: Dictionary) -> None:
        self._dictionary = dictionary
        self._types: dict[SampleType, int] = {}
        self._period: tuple[SampleType, int] | None = None
        self._contexts: dict[_Context, int] = {}
        self._key, self._value = array("q"), array("q")  # (n,) samples not yet added to the sums
        self._keys: Int64s = np.zeros(0, dtype=np.int64)
        self._sums: Int64s = np.zeros(0, dtype=np.int64)  # (n_keys,) in the order of `_keys`
        self._total = 0
        self._n_stacks = 0
        self._start_ns, self._end_ns, self._longest_ns = 0, 0, 0
        self._type = 0  # sample type of the current profile
        # Owners: the labels of a profile, its scope and its resource.
        self._owners: dict[tuple[Row, ...], int] = {}
        self._owner = 0  # owner of the current profile

    def begin_profile(
        self, profile: ProfileMessage, sample_type: tuple[str, str], labels: list[Row]
    ) -> None:
        """Begin a profile, whose samples follow. ``labels``: those of its scope and resource."""
        self._n_stacks = self._dictionary.n_stacks
        self._type = self._types.setdefault(SampleType(*sample_type), len(self._types))
        if self._type >> _TYPE_BITS:
            raise ValueError(f"it has more than {1 << _TYPE_BITS} sample types")
        owner = (*self._list_rows(profile.attribute_indices), *labels)
        self._owner = self._owners.setdefault(owner, len(self._owners))
        start_ns, duration_ns = profile.time_unix_nano, profile.duration_nano
        self._longest_ns = max(self._longest_ns, duration_ns)
        if start_ns:
            self._start_ns = min(self._start_ns or start_ns, start_ns)
            self._end_ns = max(self._end_ns, start_ns + duration_ns)

    def note_period(self, period_type: tuple[str, str], period: int) -> None:
        """Use the period of the first profile that has one for the whole file."""
        if self._period is None and any(period_type):
            self._period = SampleType(*period_type), period

    def add(self, sample: Sample) -> None:
        """Add a sample. Raises IndexError for an index out of range, ValueError for too many items,
        ContentError."""
        stack, link, values = sample.stack_index, sample.link_index, sample.values
        if not 0 <= stack < self._n_stacks:
            raise IndexError(f"there is no stack {stack}")
        value = sum(values) if values else len(sample.timestamps_unix_nano)
        self._total += abs(value)
        if self._total > _MAX_VALUE:
            check_values((self._total,))
        _check_attributes(len(sample.attribute_indices))
        attributes = sorted(sample.attribute_indices)
        context = array("i", (self._owner, link, *attributes)).tobytes()
        number = self._contexts.get(context)
        if number is None:
            number = self._add_context(context)
        self._key.append((number << _STACK_BITS | stack) << _TYPE_BITS | self._type)
        self._value.append(value)
        if len(self._key) >= max(_PENDING, len(self._keys)):
            self._add_up()

    def add_many(self, rows: OtlpColumns) -> None:
        """Add many samples. Raises as `add` does."""
        stack, link = (_fill(each) for each in (rows.stack, rows.link))
        is_there = (stack >= 0) & (stack < self._n_stacks)
        if not is_there.all():
            raise IndexError(f"there is no stack {stack[~is_there][0]}")
        value = np.where(rows.values.sizes, _add_rows(rows.values), rows.times.sizes)
        self._total += sum(map(abs, value.tolist()))
        check_values((self._total,))
        context = self._number_contexts(link, rows.attributes)
        key = (context << _STACK_BITS | stack) << _TYPE_BITS | self._type
        self._key.frombytes(key.tobytes())
        self._value.frombytes(value.astype(np.int64).tobytes())
        if len(self._key) >= max(_PENDING, len(self._keys)):
            self._add_up()

    def _number_contexts(self, link: Int64s, attributes: JsonColumn) -> Int64s:
        """Return (n,) the context of each sample. Samples are grouped by their number of attributes
        to find equal contexts."""
        _check_attributes(int(attributes.sizes.max(initial=0)))
        links, numbers = _narrow(link), _narrow(attributes.numbers)
        number = np.zeros(len(link), dtype=np.int64)
        found: list[tuple[int, Int64s, _Context]] = []  # first sample, all samples
        for n in np.unique(attributes.sizes).tolist():
            samples = np.flatnonzero(attributes.sizes == n)
            sets = np.empty((len(samples), 2 + n), dtype=np.int32)
            sets[:, 0], sets[:, 1] = self._owner, links[samples]
            is_chosen = np.repeat(attributes.sizes == n, attributes.sizes)
            sets[:, 2:] = numbers[is_chosen].reshape(len(samples), n)
            sets[:, 2:].sort(axis=1)
            packed = sets.view(np.dtype((np.void, sets.itemsize * (2 + n)))).ravel()
            distinct, at, which = np.unique(packed, return_index=True, return_inverse=True)
            order = np.argsort(which, kind="stable")
            parts = np.split(samples[order], np.cumsum(np.bincount(which))[:-1])
            found += zip(samples[at].tolist(), parts, map(bytes, distinct), strict=True)
        for _, samples, context in sorted(found, key=itemgetter(0)):
            known = self._contexts.get(context)
            number[samples] = self._add_context(context) if known is None else known
        return number

    def _add_context(self, context: _Context) -> int:
        _, link, *attributes = array("i", context)
        if not 0 <= link < self._dictionary.n_links:
            raise IndexError(f"there is no link {link}")
        self._list_rows(attributes)
        number = self._contexts[context] = len(self._contexts)
        if number >> _CONTEXT_BITS:
            raise ValueError("its sets of labels are too many")
        return number

    def _add_up(self) -> None:
        """Add the waiting samples to the sums."""
        keys = np.concatenate((self._keys, np.frombuffer(self._key, dtype=np.int64)))
        values = np.concatenate((self._sums, np.frombuffer(self._value, dtype=np.int64)))
        self._key, self._value = array("q"), array("q")
        self._keys, row_of = np.unique(keys, return_inverse=True)
        self._sums = np.zeros(len(self._keys), dtype=np.int64)
        np.add.at(self._sums, row_of, values)

    def build(self, n_bytes: int) -> Profile:
        """Build the profile of a file of ``n_bytes``. Raises ValueError if it is too large for such
        a file."""
        self._add_up()
        most = _FREE + n_bytes
        rows, row_of = np.unique(self._keys >> _TYPE_BITS, return_inverse=True)
        if len(self._types) * len(rows) > most:
            raise ValueError("its sample types are too many for its samples")
        values = np.zeros((len(self._types), len(rows)), dtype=np.int64)
        values[self._keys & ((1 << _TYPE_BITS) - 1), row_of] = self._sums
        samples = self._build_samples(rows & ((1 << _STACK_BITS) - 1), values, most)
        labels = self._build_labels(rows >> _STACK_BITS, most)
        tables = (
            self._dictionary.build_functions(),
            self._dictionary.build_locations(),
            self._dictionary.build_mappings(),
            samples,
            labels,
        )
        for table in tables:
            freeze(*(getattr(table, name) for name in table.__slots__))
        period_type, period = self._period or (None, 0)
        duration_ns = max(self._end_ns - self._start_ns, self._longest_ns)
        return Profile(
            finish_texts(self._dictionary.strings),
            *tables,
            sample_types=tuple(self._types),
            default_type=TypeId(0),  # the specification asks viewers to show the first profile
            time_unix_ns=min(self._start_ns, _MAX_VALUE),
            duration_ns=min(duration_ns, _MAX_VALUE),
            period_type=period_type,
            period=period,
        )

    def _build_samples(self, stacks: Int64s, values: Int64s, most: int) -> Samples:
        starts = np.frombuffer(self._dictionary.stack_start, dtype=np.int64)
        if len(starts) == 1:  # without a table, stack 0, the empty one, exists
            starts = np.zeros(2, dtype=np.int64)
        sizes = starts[stacks + 1] - starts[stacks]
        if int(sizes.sum()) > most:
            raise ValueError("its stacks are too many and too deep")
        frames = np.frombuffer(self._dictionary.stack, dtype=np.int32)
        return Samples(
            stack_start=np.concatenate((starts[:1], np.cumsum(sizes, dtype=np.int64))),
            stack=frames[_spread(starts[stacks], sizes)],
            values=values,
        )

    def _build_labels(self, contexts: Int64s, most: int) -> Labels:
        flat = array("q")
        sizes = np.zeros(len(self._contexts), dtype=np.int64)
        owners = [*self._owners]
        for number, context in enumerate(self._contexts):
            owner, link, *attributes = array("i", context)
            rows = list(self._list_labels(owners[owner], attributes, link))
            sizes[number] = len(rows)
            for row in rows:
                flat.extend(row)
            if len(flat) > most:
                raise ValueError("its labels are too many")
        taken = sizes[contexts]
        if int(taken.sum()) > most:
            raise ValueError("its labels are too many")
        places = _spread((np.cumsum(sizes) - sizes)[contexts], taken)
        columns = np.frombuffer(flat, dtype=np.int64).reshape(-1, 4)
        return Labels(
            sample=np.repeat(np.arange(len(contexts), dtype=np.int32), taken),
            key=columns[places, 0].astype(np.int32),
            text=columns[places, 1].astype(np.int32),
            number=columns[places, 2],
            unit=columns[places, 3].astype(np.int32),
        )

    def _list_labels(
        self, owner: tuple[Row, ...], attributes: list[int], link: int
    ) -> Iterator[Row]:
        """Yield the labels of a sample, its link and its owner; if keys are equal, the first."""
        rows = self._list_rows(attributes) + self._dictionary.find_link(link)
        seen: set[int] = set()
        for row in (*rows, *owner):
            if row[0] not in seen:
                seen.add(row[0])
                yield row

    def _list_rows(self, indices: Iterable[int]) -> list[Row]:
        rows = map(self._dictionary.find_attribute, indices)
        return [row for row in rows if row is not None]


def _check_attributes(n: int) -> None:
    if n > _MOST_ATTRIBUTES:
        raise ValueError(f"a sample of more than {_MOST_ATTRIBUTES} attributes")


def _narrow(numbers: Int64s) -> Int32s:
    """Return row numbers as int32. Raises IndexError."""
    limits = np.iinfo(np.int32)
    for worst in (int(numbers.min(initial=0)), int(numbers.max(initial=0))):
        if not limits.min <= worst <= limits.max:
            raise IndexError(f"there is no row {worst}")
    return numbers.astype(np.int32)


def _fill(column: JsonColumn) -> Int64s:
    """Return (n,) the number of each row, 0 for a row without one."""
    filled = np.zeros(len(column.sizes), dtype=np.int64)
    filled[column.sizes > 0] = column.numbers
    return filled


def _add_rows(column: JsonColumn) -> Int64s:
    """Return (n,) the sum of the numbers of each row. Raises ContentError."""
    ends = np.cumsum(column.sizes)
    largest = max(abs(int(column.numbers.min(initial=0))), int(column.numbers.max(initial=0)))
    if largest * len(column.numbers) > _MAX_VALUE:
        rows = pairwise((0, *ends.tolist()))
        exact = [sum(column.numbers[begin:end].tolist()) for begin, end in rows]
        check_values(exact)
        return np.array(exact, dtype=np.int64)
    added = np.zeros(len(ends), dtype=np.int64)
    has_any = column.sizes > 0
    if has_any.any():
        added[has_any] = np.add.reduceat(column.numbers, (ends - column.sizes)[has_any])
    return added


def _spread(begins: Int64s, sizes: Int64s) -> Int64s:
    """Return the concatenation of the ranges ``begin … begin + size - 1``."""
    shift = np.repeat(begins - (np.cumsum(sizes) - sizes), sizes)
    places: Int64s = np.arange(len(shift), dtype=np.int64) + shift
    return places
