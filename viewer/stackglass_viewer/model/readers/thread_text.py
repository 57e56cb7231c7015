"""Reader of ``threadz``: the threads of a C++ server as text, each with its stack.

::

    --- threadz 1 ---
    --- Thread 7f794ab90940 (name: main/14748) stack: ---
      PC:  0x00bc8f1c: helper(arg *)
      0x0040be31: main
    --- Thread 7f7948978700 (name: worker/14759) stack: ---
      [same as previous thread]
    --- Memory map: ---

As in pprof, the names after addresses are ignored, and the addresses of a thread's creator become
the outermost frames of its stack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.address_profile import AddressSamples
from stackglass_viewer.model.readers.process_maps import read_mappings
from stackglass_viewer.model.readers.text_rows import (
    Progress,
    Row,
    drop_second_leaf,
    find_calls,
    find_map,
    ignore_progress,
    is_map_mark,
    list_lines,
    parse_addresses,
    refuse,
    split_rows,
)

_BEGINNING = re.compile(
    rb"(?:[ \t\r]*(?:#[^\n]*)?\n)*(--- threadz \d+ ---|--- Thread [0-9a-fA-F]+ \()"
)
_HEADER = re.compile(rb"--- threadz \d+ ---")
_THREAD = re.compile(rb"--- Thread [0-9a-fA-F]+ \(name: .*/\d+\) stack: ---")
_SECTION = b"---"
_WITHOUT_STACKS = b"---- no stack trace for"
_SAME = b"same as previous thread"
_THREADS = SampleType("thread", "count")


def is_thread_text(head: bytes) -> bool:
    """Whether a file begins like ``threadz`` text."""
    return _BEGINNING.match(head) is not None


def read_thread_text(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole text. Raises ProfileError, with the line that cannot be read."""
    rows = split_rows(list_lines(content, progress))
    row = next(rows, None)
    if row is not None and _HEADER.search(row.text):
        row = _skip_comments(rows)
    stacks: list[list[int]] = []
    counts: list[int] = []
    while row is not None and not is_map_mark(row.text):
        if row.text.startswith(_WITHOUT_STACKS):
            break
        if not _THREAD.search(row.text):
            raise refuse(row)
        row, addresses = _read_stack(rows)
        if addresses:
            stacks.append(drop_second_leaf([addresses[0], *find_calls(addresses[1:])]))
            counts.append(1)
        elif counts:
            counts[-1] += 1
    samples = AddressSamples([_THREADS])
    for count, stack in zip(counts, stacks, strict=True):
        samples.add([count], stack)
    maps = read_mappings(find_map(row, rows) if row is not None else ())
    return samples.build(maps, {}, _THREADS, 1)


def _skip_comments(rows: Iterator[Row]) -> Row | None:
    """Return the first row of a thread or a section."""
    return next((row for row in rows if row.text.startswith(b"-") or is_map_mark(row.text)), None)


def _read_stack(rows: Iterator[Row]) -> tuple[Row | None, list[int]]:
    """Return the row after a stack, and its addresses; [] = the stack of the thread before."""
    addresses: list[int] = []
    is_same = False
    for row in rows:
        if row.text.startswith(_SECTION):
            return row, [] if is_same else addresses
        if _SAME in row.text:
            is_same = True
        else:
            addresses += parse_addresses(row.text)
    return None, [] if is_same else addresses
