"""Reader of jemalloc's heap profiles, from version 4 on.

::

    heap_v2/524288
      t*: 28106: 56637512 [0: 0]
      t0: 28106: 56637512 [0: 0]
    @ 0x5f86da8 0x5f5a1dc
      t*: 13: 6688 [0: 0]
      t0: 13: 6688 [0: 0]

A stack, and below it what each thread has of it; ``t*`` is the sum. In use, and in brackets
allocated, which jemalloc counts only with ``prof_accum``. One sample in so many bytes as the header
says. (Before version 4 the files are gperftools', see ``heap_text``.)
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.address_profile import AddressSamples
from stackglass_viewer.model.readers.heap_text import ALL_TYPES, IN_USE_TYPES, unsample
from stackglass_viewer.model.readers.process_maps import read_mappings
from stackglass_viewer.model.readers.text_rows import (
    Progress,
    Row,
    find_calls,
    find_map,
    ignore_progress,
    is_map_mark,
    list_lines,
    parse_addresses,
    refuse,
    split_rows,
)

_HEADER = re.compile(rb"\s*heap_v2/(\d+)\s*$", re.MULTILINE)
_SUM = re.compile(rb"t\*: *(\d+): *(\d+) *\[ *(\d+): *(\d+) *\]$")
_THREAD = re.compile(rb"t\d+:")


def is_jemalloc_heap(head: bytes) -> bool:
    """Whether a file begins like one."""
    return _HEADER.match(head) is not None


def read_jemalloc_heap(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Raises ProfileError, with the line that cannot be read."""
    rows = split_rows(list_lines(content, progress))
    rate = int(next(rows).text.rpartition(b"/")[2])
    total = next(rows, None)
    found = _SUM.match(total.text) if total is not None else None
    if total is None or found is None:
        raise ProfileError("the sum of all threads is missing below its first line")
    has_allocated = any(int(each) for each in found.groups()[2:])
    samples = AddressSamples(ALL_TYPES if has_allocated else IN_USE_TYPES)
    stack: list[int] = []
    maps: Iterator[bytes] = iter(())
    for row in rows:
        if is_map_mark(row.text):
            maps = find_map(row, rows)
            break
        if row.text.startswith(b"@"):
            stack = find_calls(parse_addresses(row.text))
        elif found := _SUM.match(row.text):
            values = _scale(row, [int(each) for each in found.groups()], rate)
            samples.add(values if has_allocated else values[2:], stack)
        elif not _THREAD.match(row.text):
            raise refuse(row)
    return samples.build(read_mappings(maps), {}, SampleType("space", "bytes"), rate)


def _scale(row: Row, numbers: list[int], rate: int) -> list[int]:
    """Allocated objects and bytes, then those in use."""
    in_use, in_use_bytes, allocated, allocated_bytes = numbers
    if (not in_use and in_use_bytes) or (not allocated and allocated_bytes):
        raise refuse(row)
    return [*unsample(allocated, allocated_bytes, rate), *unsample(in_use, in_use_bytes, rate)]
