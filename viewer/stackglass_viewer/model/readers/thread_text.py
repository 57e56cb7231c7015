"""Reader of ``threadz``: the threads of a C++ server as text, each with its stack.

::

    --- threadz 1 ---
    --- Thread 7f794ab90940 (name: main/14748) stack: ---
      PC:  0x00bc8f1c: helper(arg *)
      0x0040be31: main
    --- Thread 7f7948978700 (name: worker/14759) stack: ---
      [same as previous thread]
    --- Memory map: ---

A loop in C reads threads in plain form; others are read here, one by one.

As in pprof, the names after addresses are ignored, and the addresses of a thread's creator become
the outermost frames of its stack.
"""

from __future__ import annotations

import re

import numpy as np

from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.address_profile import AddressSamples
from stackglass_viewer.model.readers.address_rows import (
    CountedStacks,
    RowReader,
    number_addresses,
)
from stackglass_viewer.model.readers.process_maps import read_mappings
from stackglass_viewer.model.readers.text_rows import (
    Progress,
    Row,
    drop_second_leaf,
    find_calls,
    find_map,
    ignore_progress,
    is_map_mark,
    parse_addresses,
    refuse,
)

_BEGINNING = re.compile(
    rb"(?:[ \t\r]*(?:#[^\n]*)?\n)*(--- threadz \d+ ---|--- Thread [0-9a-fA-F]+ \()"
)
_HEADER = re.compile(rb"--- threadz \d+ ---")
_THREAD = re.compile(rb"--- Thread [0-9a-fA-F]+ \(name: ")
_THREAD_END = re.compile(rb"/\d+\) stack: ---")
_SECTION = b"---"
_WITHOUT_STACKS = b"---- no stack trace for"
_SAME = b"same as previous thread"
_THREADS = SampleType("thread", "count")
_NO_STACKS = CountedStacks(
    np.empty(0, np.int64), number_addresses(np.empty(0, np.uint64)), np.empty(0, np.int64)
)


def is_thread_text(head: bytes) -> bool:
    """Whether a file begins like ``threadz`` text."""
    return _BEGINNING.match(head) is not None


def read_thread_text(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole text. Raises ContentError, with the line that cannot be read."""
    rows = RowReader(content, progress)
    row = rows.take()
    if row is not None and _HEADER.search(row.text):
        row = _skip_comments(rows)
    if row is not None:
        rows.go_back()
    samples = AddressSamples([_THREADS])
    last = _NO_STACKS
    while True:
        if len(stacks := rows.read_threads()):
            _add(samples, last)
            last = stacks
        row = rows.take()
        if row is None or is_map_mark(row.text) or row.text.startswith(_WITHOUT_STACKS):
            break
        begin = _THREAD.search(row.text)
        if begin is None or not _THREAD_END.search(row.text, begin.end()):
            raise refuse(row)
        if addresses := _read_stack(rows):
            _add(samples, last)
            last = _make_stack(addresses)
        elif len(last):
            last.counts[-1] += 1
    _add(samples, last)
    maps = read_mappings(find_map(row, rows) if row is not None else ())
    return samples.build(maps, None, _THREADS, 1)


def _add(samples: AddressSamples, stacks: CountedStacks) -> None:
    if len(stacks):
        samples.add_rows(stacks.counts.reshape(-1, 1), stacks.calls, stacks.ends)


def _make_stack(addresses: list[int]) -> CountedStacks:
    """Return the stack of one thread."""
    calls = drop_second_leaf([addresses[0], *find_calls(addresses[1:])])
    return CountedStacks(
        np.ones(1, dtype=np.int64),
        number_addresses(np.array(calls, dtype=np.uint64)),
        np.array([len(calls)], dtype=np.int64),
    )


def _skip_comments(rows: RowReader) -> Row | None:
    """Return the first row of a thread or a section."""
    return next((row for row in rows if row.text.startswith(b"-") or is_map_mark(row.text)), None)


def _read_stack(rows: RowReader) -> list[int]:
    """Read the rows of a stack, and return its addresses; [] = the stack of the thread before."""
    addresses: list[int] = []
    is_same = False
    for row in rows:
        if row.text.startswith(_SECTION):
            rows.go_back()
            break
        if _SAME in row.text:
            is_same = True
        else:
            addresses += parse_addresses(row.text)
    return [] if is_same else addresses
