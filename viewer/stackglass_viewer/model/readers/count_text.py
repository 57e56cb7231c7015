"""Reader of Go's count profiles as text: goroutine, threadcreate, and custom profiles of a program.

::

    goroutine profile: total 8
    3 @ 0x48c9ea 0x75ecb9
    # labels: {"role":"parked"}
    #	0x75ecb8	main.worker+0x18	/src/main.go:230
"""

from __future__ import annotations

import re

from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.address_profile import AddressSamples
from stackglass_viewer.model.readers.address_rows import AddressRows, RowForm, RowReader
from stackglass_viewer.model.readers.process_maps import read_mappings
from stackglass_viewer.model.readers.row_names import RowNames
from stackglass_viewer.model.readers.text_rows import (
    Progress,
    find_map,
    ignore_progress,
    parse_addresses,
    parse_number,
    refuse,
    warn_of_cut,
)

_HEADER = re.compile(
    rb"(?:[ \t\r]*(?:#[^\n]*)?\n)*(\S[^\n]*?) profile: total \d+\s*?$", re.MULTILINE
)
_SAMPLE = re.compile(rb"(\d+) @((?: 0x[0-9a-f]+)*)")
_SECTION = b"---"


def is_count_text(head: bytes) -> bool:
    """Whether a file begins like a count profile as text."""
    return _HEADER.match(head) is not None


def read_count_text(content: bytes | bytearray, progress: Progress = ignore_progress) -> Profile:
    """Read a whole text. Raises ContentError, with the line that cannot be read."""
    rows = RowReader(content, progress)
    first = rows.take()
    text = first.text if first else b""
    counted = SampleType(text.rpartition(b" profile: ")[0].decode(errors="replace"), "count")
    samples = AddressSamples([counted])
    names = RowNames()
    maps = read_mappings(())
    while True:
        _add_rows(rows.read(RowForm.COUNT), samples, names)
        row = rows.take()
        if row is None:
            break
        if row.text.startswith(_SECTION):
            maps = read_mappings(find_map(row, rows))
            break
        found = _SAMPLE.fullmatch(row.text)
        if found is None:
            raise refuse(row)
        samples.add(
            [parse_number(found[1])],
            names.locate(parse_addresses(found[2]), row.comments),
            names.read_labels(row.comments),
        )
    warnings = (*warn_of_cut(content), *names.warnings)
    return samples.build(maps, names.take(), counted, 1, warnings=warnings)


def _add_rows(rows: AddressRows, samples: AddressSamples, names: RowNames) -> None:
    if len(rows):
        calls, ends = names.locate_rows(rows)
        samples.add_rows(rows.values, calls, ends, names.read_row_labels(rows))
