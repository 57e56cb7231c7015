"""Reader of contention profiles as text: Go's block and mutex profiles, C++'s ``contentionz``.

::

    --- mutex:
    cycles/second=1000000000
    sampling period=1
    5000123456 1 @ 0x100010 0x100020

A row has the cycles waited and the number of waits. Both are multiplied by the sampling period;
without ``cycles/second``, the first number is in nanoseconds and is not multiplied.
"""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.readers.address_profile import AddressSamples
from stackglass_viewer.model.readers.address_rows import AddressRows, RowForm, RowReader
from stackglass_viewer.model.readers.process_maps import read_mappings
from stackglass_viewer.model.readers.row_names import RowNames
from stackglass_viewer.model.readers.sample_columns import check_values
from stackglass_viewer.model.readers.text_rows import (
    Progress,
    find_map,
    ignore_progress,
    parse_addresses,
    parse_number,
    refuse,
    warn_of_cut,
)

_BEGINNINGS = (b"--- contentionz ", b"--- mutex:", b"--- contention:")
_SECTION = b"---"
# A search begins only at the first digit of a number: one at each digit would take quadratic time.
# If no space separates the two numbers, the second is the last digit.
_SAMPLE = re.compile(rb"(?<!\d)(?:(\d++) ++(\d++)|(\d+)(\d)) @([ x0-9a-f]*)")
_CONTENTIONS = SampleType("contentions", "count")
_TYPES = (_CONTENTIONS, SampleType("delay", "nanoseconds"))
_NS_PER_MS = 1_000_000
_MOST = 10**100  # of a number in the header; a double holds it
_SURELY_HELD = 2**62  # fits in 63 bits, even after the rounding of a double


class _Header(NamedTuple):
    period: int = 1  # waits per sample
    cycles_hz: int = 0  # 0 = delays are nanoseconds
    duration_ns: int = 0


def is_contention_text(head: bytes) -> bool:
    """Whether a file begins like a contention profile as text."""
    return head.lstrip().startswith(_BEGINNINGS)


def read_contention_text(
    content: bytes | bytearray, progress: Progress = ignore_progress
) -> Profile:
    """Read a whole text. Raises ContentError, with the line that cannot be read."""
    rows = RowReader(content, progress)
    rows.take()  # the line that names the kind of profile
    header = _read_header(rows)
    samples = AddressSamples(_TYPES)
    names = RowNames()
    maps = read_mappings(())
    while True:
        _add_rows(rows.read(RowForm.CONTENTION), header, samples, names)
        row = rows.take()
        if row is None:
            break
        if row.text.startswith(_SECTION):
            maps = read_mappings(find_map(row, rows))
            break
        found = _SAMPLE.search(row.text)
        if found is None:
            raise refuse(row)
        delay, contentions = (parse_number(each) for each in found.groups()[:-1] if each)
        samples.add(
            _scale(delay, contentions, header),
            names.locate(parse_addresses(found[5]), row.comments),
            names.read_labels(row.comments),
        )
    warnings = (*warn_of_cut(content), *names.warnings)
    return samples.build(
        maps, names.take(), _CONTENTIONS, header.period, header.duration_ns, warnings
    )


def _add_rows(rows: AddressRows, header: _Header, samples: AddressSamples, names: RowNames) -> None:
    if len(rows):
        values = _scale_rows(rows.values, header)
        calls, ends = names.locate_rows(rows)
        samples.add_rows(values, calls, ends, names.read_row_labels(rows))


def _read_header(rows: RowReader) -> _Header:
    """Read the lines ``name = value``, up to the first other line."""
    header = _Header()
    for row in rows:
        name, is_value, text = row.text.partition(b"=")
        if row.text.startswith(_SECTION) or not is_value:
            rows.go_back()
            return header
        try:
            value = int(text.strip(), 0)
        except ValueError:
            value = None
        name = name.strip()
        if name == b"discarded samples":
            continue
        if value is None or abs(value) > _MOST:
            raise ContentError(
                f"line {row.number} gives no number: {row.text[:60].decode(errors='replace')!r}"
            )
        if name == b"cycles/second":
            header = header._replace(cycles_hz=value)
        elif name == b"sampling period":
            header = header._replace(period=value)
        elif name == b"ms since reset":
            header = header._replace(duration_ns=max(value, 0) * _NS_PER_MS)
        else:
            raise refuse(row)
    return header


def _scale(delay: int, contentions: int, header: _Header) -> list[int]:
    """Return contentions and delay, scaled in floating point as pprof does it."""
    if header.period > 0:
        if header.cycles_hz > 0:
            delay = int(float(delay) * float(header.period) / (header.cycles_hz / 1e9))
        contentions *= header.period
    return [contentions, delay]


def _scale_rows(values: Int64s, header: _Header) -> Int64s:
    """Scale many rows of delay and contentions, with the same result as `_scale`."""
    delay, contentions = values.T
    if 0 < header.period < _SURELY_HELD:
        factor = 1.0
        if header.cycles_hz > 0:
            factor = float(header.period) / (header.cycles_hz / 1e9)
        is_large = contentions.max(initial=0) * float(header.period) > _SURELY_HELD
        if not is_large and delay.max(initial=0) * factor < _SURELY_HELD:
            if header.cycles_hz > 0:
                scaled = delay.astype(np.float64) * float(header.period)
                delay = (scaled / (header.cycles_hz / 1e9)).astype(np.int64)
            return np.column_stack([contentions * header.period, delay])
    elif header.period <= 0:
        return np.column_stack([contentions, delay])
    rows = [_scale(each[0], each[1], header) for each in values.tolist()]
    for row in rows:
        check_values(row)
    return np.array(rows, dtype=np.int64)
