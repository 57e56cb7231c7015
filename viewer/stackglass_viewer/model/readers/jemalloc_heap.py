"""Reader of jemalloc's heap profiles, from version 4 on.

::

    heap_v2/524288
      t*: 28106: 56637512 [0: 0]
      t0: 28106: 56637512 [0: 0]
    @ 0x5f86da8 0x5f5a1dc
      t*: 13: 6688 [0: 0]
      t0: 13: 6688 [0: 0]

Below a stack come the objects and bytes of each thread; ``t*`` is the sum of all threads. The first
numbers are in use, those in brackets allocated, which jemalloc counts only with ``prof_accum``. The
header has the average bytes between two samples. Before version 4, jemalloc wrote gperftools'
format (``heap_text``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.address_profile import AddressSamples
from stackglass_viewer.model.readers.address_rows import AddressRows, RowForm, RowReader
from stackglass_viewer.model.readers.heap_text import (
    ALL_TYPES,
    IN_USE_TYPES,
    unsample,
    unsample_rows,
)
from stackglass_viewer.model.readers.process_maps import read_mappings
from stackglass_viewer.model.readers.text_rows import (
    Progress,
    Row,
    find_calls,
    find_map,
    ignore_progress,
    is_map_mark,
    parse_addresses,
    parse_number,
    refuse,
)

_HEADER = re.compile(rb"\s*heap_v2/(\d+)\s*$", re.MULTILINE)
_SUM = re.compile(rb"t\*: *(\d+): *(\d+) *\[ *(\d+): *(\d+) *\]$")
_THREAD = re.compile(rb"t\d+:")


def is_jemalloc_heap(head: bytes) -> bool:
    """Whether a file begins like a heap profile of jemalloc."""
    return _HEADER.match(head) is not None


def read_jemalloc_heap(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole text. Raises ContentError, with the line that cannot be read."""
    rows = RowReader(content, progress)
    first = rows.take()
    rate = parse_number(first.text.rpartition(b"/")[2]) if first else 0
    total = rows.take()
    found = _SUM.match(total.text) if total is not None else None
    if total is None or found is None:
        raise ContentError("the sum of all threads is missing below its first line")
    has_allocated = any(parse_number(each) for each in found.groups()[2:])
    samples = AddressSamples(ALL_TYPES if has_allocated else IN_USE_TYPES)
    stack: list[int] = []
    maps: Iterator[bytes] = iter(())
    while True:
        stack = _add_rows(rows.read(RowForm.JEMALLOC), rate, samples) or stack
        row = rows.take()
        if row is None:
            break
        if is_map_mark(row.text):
            maps = find_map(row, rows)
            break
        if row.text.startswith(b"@"):
            stack = find_calls(parse_addresses(row.text))
        elif found := _SUM.match(row.text):
            pairs = _list_pairs(row, [parse_number(each) for each in found.groups()])
            shown = pairs if has_allocated else pairs[1:]
            samples.add([each for pair in shown for each in unsample(*pair, rate)], stack)
        elif not _THREAD.match(row.text):
            raise refuse(row)
    return samples.build(read_mappings(maps), None, SampleType("space", "bytes"), rate)


def _add_rows(rows: AddressRows, rate: int, samples: AddressSamples) -> list[int]:
    """Add the rows to ``samples`` and return the stack of the last row; [] = no rows."""
    if not len(rows):
        return []
    in_use, allocated = rows.values[:, :2], rows.values[:, 2:]
    has_allocated = len(samples.sample_types) > len(IN_USE_TYPES)
    values = unsample_rows(np.hstack([allocated, in_use]) if has_allocated else in_use, rate)
    calls = rows.addresses.calls
    samples.add_rows(values, calls, rows.ends)
    of_last = calls.numbers[rows.ends[-2] if len(rows) > 1 else 0 :]
    last: list[int] = calls.different[of_last].tolist()
    return last


def _list_pairs(row: Row, numbers: list[int]) -> list[tuple[int, int]]:
    """Return the allocated objects and bytes, and those in use. Raises ContentError."""
    in_use, in_use_bytes, allocated, allocated_bytes = numbers
    if (not in_use and in_use_bytes) or (not allocated and allocated_bytes):
        raise refuse(row)
    return [(allocated, allocated_bytes), (in_use, in_use_bytes)]
