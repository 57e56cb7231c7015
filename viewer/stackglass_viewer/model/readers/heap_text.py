"""Reader of heap profiles as text, as Go, gperftools and tcmalloc write them.

::

    heap profile: 3: 4096 [12: 16384] @ heap/1048576
    2: 4096 [3: 6144] @ 0x100010 0x100020

A row has objects and bytes in use, and in brackets those allocated. The text after the ``@`` of the
header gives the sampling: ``heap_v2/R`` one sample in R bytes, ``heap/R`` one in R / 2 bytes.
Profiles of other kinds that are read, such as ``heapprofile`` and growth, are not sampled.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.address_profile import AddressSamples
from stackglass_viewer.model.readers.address_rows import AddressRows, RowForm, RowReader
from stackglass_viewer.model.readers.process_maps import read_mappings
from stackglass_viewer.model.readers.row_names import RowNames
from stackglass_viewer.model.readers.sample_columns import Label, check_values
from stackglass_viewer.model.readers.text_rows import (
    Progress,
    Row,
    find_map,
    ignore_progress,
    is_map_mark,
    parse_addresses,
    parse_number,
    refuse,
    warn_of_cut,
)
from stackglass_viewer.native import _loops

_SPACE = SampleType("space", "bytes")
IN_USE_TYPES = (SampleType("objects", "count"), _SPACE)
ALL_TYPES = tuple(
    SampleType(f"{prefix}_{each.name}", each.unit)
    for prefix in ("alloc", "inuse")
    for each in IN_USE_TYPES
)
_SUMS = rb"heap profile: *(\d+): *(\d+) *\[ *(\d+): *(\d+) *\] *@ *"
_HEADER = re.compile(_SUMS + rb"(heap[_a-z0-9]*)/?(\d*)")
_OTHER_HEADER = re.compile(_SUMS + rb"(growthz?|fragmentationz?)")
_EXACT = 2**53  # a double holds integers up to this
_MOST = 2**63 - 1
_MOST_SHOWN = 40  # letters of an unknown kind, or digits
_MAX_EXPONENT = 700.0  # for negative sizes: e**700 still fits a double
# A search begins only at the first digit of a number: one at each digit would take quadratic time.
_SAMPLE = re.compile(rb"((?:-|(?<!\d))\d++): *+(-?\d++) *+\[ *+(\d++): *+(\d++) *+] @([ x0-9a-f]*)")


class _Header(NamedTuple):
    period: int  # bytes
    is_sampled: bool
    has_allocated: bool


def is_heap_text(head: bytes) -> bool:
    """Whether a file begins like a heap profile as text."""
    first, _, _ = head.lstrip().partition(b"\n")
    return bool(_HEADER.match(first) or _OTHER_HEADER.match(first))


def read_heap_text(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole text. Raises ContentError, with the line that cannot be read."""
    rows = RowReader(content, progress)
    first = rows.take()
    header = _parse_header(first.text if first else b"")
    samples = AddressSamples(ALL_TYPES if header.has_allocated else IN_USE_TYPES)
    names = RowNames()
    maps: Iterator[bytes] = iter(())
    while True:
        _add_rows(rows.read(RowForm.HEAP), header, samples, names)
        row = rows.take()
        if row is None:
            break
        if is_map_mark(row.text):
            maps = find_map(row, rows)
            break
        _add_row(row, header, samples, names)
    mappings = read_mappings(maps)
    warnings = (*warn_of_cut(content), *names.warnings)
    return samples.build(mappings, names.take(), _SPACE, header.period, warnings=warnings)


def _add_rows(rows: AddressRows, header: _Header, samples: AddressSamples, names: RowNames) -> None:
    if not len(rows):
        return
    in_use, allocated = rows.values[:, :2], rows.values[:, 2:]
    block_bytes = np.zeros(len(rows), dtype=np.int64)
    for count, size in [*([allocated.T] if header.has_allocated else []), in_use.T]:
        np.floor_divide(size, count, out=block_bytes, where=count != 0)
    values = np.hstack([allocated, in_use]) if header.has_allocated else in_use
    calls, ends = names.locate_rows(rows)
    if header.is_sampled:
        values = unsample_rows(values, header.period)
    samples.add_rows(values, calls, ends, names.read_row_labels(rows), ("bytes", block_bytes))


def _add_row(row: Row, header: _Header, samples: AddressSamples, names: RowNames) -> None:
    found = _SAMPLE.search(row.text)
    if found is None:
        raise refuse(row)
    in_use = (parse_number(found[1]), parse_number(found[2]))
    allocated = (parse_number(found[3]), parse_number(found[4]))
    pairs = [allocated, in_use] if header.has_allocated else [in_use]
    if any(count == 0 and size != 0 for count, size in pairs):
        raise refuse(row)
    block_bytes = [_divide(size, count) for count, size in pairs if count]
    check_values(block_bytes)
    if header.is_sampled:
        pairs = [unsample(*pair, header.period) for pair in pairs]
    samples.add(
        [number for pair in pairs for number in pair],
        names.locate(parse_addresses(found[5]), row.comments),
        [*names.read_labels(row.comments), Label("bytes", None, *block_bytes[-1:])],
    )


def unsample(count: int, size_bytes: int, rate_bytes: int) -> tuple[int, int]:
    """Scale samples, taken on average once in ``rate_bytes``, to objects and bytes of all blocks.

    A rate of at most 1 means that all blocks were recorded.

    The floating point operations are Go's, so that the integers are the same. Raises ContentError.
    """
    if count == 0 or size_bytes == 0:
        return 0, 0
    if rate_bytes <= 1:
        return count, size_bytes
    exponent = -(size_bytes / count) / rate_bytes
    missed = math.exp(min(exponent, _MAX_EXPONENT))  # the share of such blocks without a sample
    if missed == 1:
        rate, n, size = (str(each)[:_MOST_SHOWN] for each in (rate_bytes, count, size_bytes))
        raise ContentError(
            f"{n} objects of {size} bytes in all cannot be scaled from one sample in {rate} bytes"
        )
    scale = 1 / (1 - missed)
    return int(count * scale), int(size_bytes * scale)


def unsample_rows(values: Int64s, rate_bytes: int) -> Int64s:
    """Scale rows of pairs, (n, 2 × n_pairs), as `unsample` does. No value is negative."""
    counts, sizes = (np.ascontiguousarray(values[:, first::2]).reshape(-1) for first in (0, 1))
    if 0 <= rate_bytes < _MOST and values.max(initial=0) <= _EXACT:
        scaled = np.empty((2, len(counts)), dtype=np.int64)
        rates = np.full(len(counts), rate_bytes, dtype=np.uint64)
        _loops.unsample(counts, sizes, rates, scaled[0], scaled[1])
        if scaled.max(initial=0) < _MOST:
            return np.ascontiguousarray(scaled.T).reshape(values.shape)
    rows: list[list[int]] = []
    for row in values.tolist():  # in Python's integers; a row that is too large raises ContentError
        pairs = [unsample(*pair, rate_bytes) for pair in zip(row[::2], row[1::2], strict=True)]
        rows.append([number for pair in pairs for number in pair])
        check_values(rows[-1])
    return np.array(rows, dtype=np.int64)


def _divide(size: int, count: int) -> int:
    """Divide and round toward zero, as Go does."""
    whole = abs(size) // abs(count)
    return whole if (size < 0) == (count < 0) else -whole


def _parse_header(line: bytes) -> _Header:
    found = _HEADER.match(line)
    if found is None:
        return _Header(1, False, False)
    numbers = [parse_number(each) for each in found.groups()[:4]]
    has_allocated = any(
        allocated not in (in_use, 0)
        for in_use, allocated in zip(numbers[:2], numbers[2:], strict=True)
    )
    kind, period = found[5], parse_number(found[6] or b"0")
    if kind in (b"heap_v2", b"heapz_v2"):
        return _Header(period, True, has_allocated)
    if kind == b"heap":
        return _Header(period // 2, True, has_allocated)
    if kind == b"heapprofile":
        return _Header(1, False, has_allocated)
    raise ContentError(f"it is a heap profile of an unknown kind: {kind[:_MOST_SHOWN].decode()}")
