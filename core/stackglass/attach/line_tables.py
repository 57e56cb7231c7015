"""Line tables: from the position of an instruction to its line, as code objects keep them."""

from __future__ import annotations

_FIRST_WITH_RANGES, _FIRST_WITH_LOCATIONS = 10, 11
_NO_LINE = -128  # of a range, in 3.10
_FIRST_ONE_LINE, _NO_COLUMNS, _LONG, _NO_LOCATION = 10, 13, 14, 15  # forms of locations


def find_line(table: bytes, first_line: int, lasti: int, minor: int) -> int:
    """The line of the instruction at byte offset ``lasti``; ``first_line`` if the code has not
    begun (negative), 0 if it has no line. ``table``: ``co_lnotab`` in 3.9, else ``co_linetable``.
    """
    if lasti < 0:
        return first_line
    if minor < _FIRST_WITH_RANGES:
        return _find_in_steps(table, first_line, lasti)
    if minor < _FIRST_WITH_LOCATIONS:
        return _find_in_ranges(table, first_line, lasti)
    return _find_in_locations(table, first_line, lasti)


def _find_in_steps(table: bytes, line: int, lasti: int) -> int:
    """3.9: pairs of a step of the address and one of the line, which begins at that address."""
    address = 0
    for at in range(0, len(table) - 1, 2):
        address += table[at]
        if address > lasti:
            break
        line += _to_signed(table[at + 1])
    return line


def _find_in_ranges(table: bytes, line: int, lasti: int) -> int:
    """3.10: pairs of a range's length and a step of the line."""
    end = 0
    for at in range(0, len(table) - 1, 2):
        end += table[at]
        step = _to_signed(table[at + 1])
        if step != _NO_LINE:
            line += step
        if lasti < end:
            return 0 if step == _NO_LINE else line
    return 0


def _find_in_locations(table: bytes, line: int, lasti: int) -> int:
    """From 3.11 on: entries of a first byte 1cccclll (cccc = form, lll = number of units of two
    bytes, less 1) and the bytes of that form, of which only the step of the line is used."""
    at = address = 0
    while at < len(table):
        form = table[at] >> 3 & 15
        address += ((table[at] & 7) + 1) * 2
        at += 1
        if form in (_NO_COLUMNS, _LONG):
            line += _read_signed_varint(table, at)
        elif _FIRST_ONE_LINE <= form < _NO_COLUMNS:
            line += form - _FIRST_ONE_LINE
        if lasti < address:
            return 0 if form == _NO_LOCATION else line
        while at < len(table) and not table[at] & 0x80:
            at += 1
    return 0


def _read_signed_varint(table: bytes, at: int) -> int:
    value = shift = 0
    for byte in table[at:]:
        value |= (byte & 63) << shift
        shift += 6
        if not byte & 64:
            break
    return -(value >> 1) if value & 1 else value >> 1


def _to_signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte
