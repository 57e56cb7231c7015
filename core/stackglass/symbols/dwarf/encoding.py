"""Encoding of DWARF: numbers, and the forms that attributes have."""

from __future__ import annotations

from stackglass.named_tuple import NamedTuple
from stackglass.symbols.dwarf.errors import DwarfError

_MAX_ATTRIBUTES = 256
_MAX_ABBREVIATIONS = 1 << 16
_IMPLICIT_CONST, _INDIRECT = 0x21, 0x16
_MAX_INDIRECT = 4

# Kinds of values.
ADDRESS, ADDRESS_INDEX, NUMBER, OTHER = "address", "address index", "number", "other"
TEXT, TEXT_OFFSET, LINE_TEXT, TEXT_INDEX, ALT_TEXT = "text", "strp", "line_strp", "strx", "alt text"
UNIT_REFERENCE, REFERENCE, ALT_REFERENCE = "unit reference", "reference", "alt reference"
OFFSET, RANGES_INDEX = "offset", "ranges index"

# Sizes of forms without a fixed size.
_LEB, _STRING, _BLOCK_1, _BLOCK_2, _BLOCK_4, _BLOCK, _AT_RUN_TIME = range(-1, -8, -1)
_OFFSET_BYTES = 100  # 4 or 8, as the unit's header says

_FORMS: dict[int, tuple[str, int]] = {
    0x01: (ADDRESS, 8),
    0x03: (OTHER, _BLOCK_2),
    0x04: (OTHER, _BLOCK_4),
    0x05: (NUMBER, 2),
    0x06: (NUMBER, 4),
    0x07: (NUMBER, 8),
    0x08: (TEXT, _STRING),
    0x09: (OTHER, _BLOCK),
    0x0A: (OTHER, _BLOCK_1),
    0x0B: (NUMBER, 1),
    0x0C: (NUMBER, 1),
    0x0D: (OTHER, _LEB),  # signed; no attribute that is read has it
    0x0E: (TEXT_OFFSET, _OFFSET_BYTES),
    0x0F: (NUMBER, _LEB),
    0x10: (REFERENCE, _OFFSET_BYTES),
    0x11: (UNIT_REFERENCE, 1),
    0x12: (UNIT_REFERENCE, 2),
    0x13: (UNIT_REFERENCE, 4),
    0x14: (UNIT_REFERENCE, 8),
    0x15: (UNIT_REFERENCE, _LEB),
    _INDIRECT: (OTHER, _AT_RUN_TIME),
    0x17: (OFFSET, _OFFSET_BYTES),
    0x18: (OTHER, _BLOCK),
    0x19: (NUMBER, 0),
    0x1A: (TEXT_INDEX, _LEB),
    0x1B: (ADDRESS_INDEX, _LEB),
    0x1C: (ALT_REFERENCE, 4),
    0x1D: (ALT_TEXT, _OFFSET_BYTES),
    0x1E: (OTHER, 16),
    0x1F: (LINE_TEXT, _OFFSET_BYTES),
    0x20: (OTHER, 8),
    _IMPLICIT_CONST: (NUMBER, 0),
    0x22: (OTHER, _LEB),
    0x23: (RANGES_INDEX, _LEB),
    0x24: (ALT_REFERENCE, 8),
    0x25: (TEXT_INDEX, 1),
    0x26: (TEXT_INDEX, 2),
    0x27: (TEXT_INDEX, 3),
    0x28: (TEXT_INDEX, 4),
    0x29: (ADDRESS_INDEX, 1),
    0x2A: (ADDRESS_INDEX, 2),
    0x2B: (ADDRESS_INDEX, 3),
    0x2C: (ADDRESS_INDEX, 4),
    0x1F01: (ADDRESS_INDEX, _LEB),
    0x1F02: (TEXT_INDEX, _LEB),
    0x1F20: (ALT_REFERENCE, _OFFSET_BYTES),
    0x1F21: (ALT_TEXT, _OFFSET_BYTES),
}


class Value(NamedTuple):
    """The value of an attribute, as encoded."""

    kind: str
    number: int
    text: str


class Abbreviation(NamedTuple):
    """The layout of all entries with one code."""

    tag: int
    has_children: bool
    attributes: tuple[tuple[int, int, int], ...]  # attribute, form, constant
    sizes: tuple[int, ...]  # of the values in order; adjacent ones of fixed size are added up
    sibling: int  # index of DW_AT_sibling; -1 = none


Abbreviations = dict[int, Abbreviation]
_DW_AT_SIBLING = 0x01


def read_unsigned(data: bytes, at: int) -> tuple[int, int]:
    """Return an unsigned LEB128, and where it ends. Raises DwarfError, IndexError."""
    byte = data[at]
    at += 1
    if byte < 0x80:
        return byte, at
    value, shift = byte & 0x7F, 7
    while byte >= 0x80:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if shift > 77:
            raise DwarfError("a number is too long")
    return value, at


def read_signed(data: bytes, at: int) -> tuple[int, int]:
    """Return a signed LEB128, and where it ends. Raises DwarfError, IndexError."""
    start = at
    value, at = read_unsigned(data, at)
    bits = 7 * (at - start)
    return value - (1 << bits) if data[at - 1] & 0x40 else value, at


def read_number(data: bytes, at: int, size: int) -> int:
    """Return a number of ``size`` bytes. Raises DwarfError if it is cut off."""
    if at + size > len(data):
        raise DwarfError("it is truncated")
    return int.from_bytes(data[at : at + size], "little")


def read_abbreviations(data: bytes, offset_bytes: int) -> Abbreviations:
    """Return the table at the beginning of ``data``. Raises DwarfError, IndexError."""
    table: Abbreviations = {}
    code, at = read_unsigned(data, 0)
    while code:
        if len(table) > _MAX_ABBREVIATIONS:
            raise DwarfError("it has too many abbreviations")
        tag, at = read_unsigned(data, at)
        has_children = data[at] == 1
        at += 1
        attributes: list[tuple[int, int, int]] = []
        while True:
            attribute, at = read_unsigned(data, at)
            form, at = read_unsigned(data, at)
            constant = 0
            if form == _IMPLICIT_CONST:
                constant, at = read_signed(data, at)
            if not attribute and not form:
                break
            if form not in _FORMS or len(attributes) >= _MAX_ATTRIBUTES:
                raise DwarfError("it has attributes of a form that is not read")
            attributes.append((attribute, form, constant))
        sizes = tuple(_join_sizes([form for _, form, _ in attributes], offset_bytes))
        names = [each[0] for each in attributes]
        sibling = names.index(_DW_AT_SIBLING) if _DW_AT_SIBLING in names else -1
        table[code] = Abbreviation(tag, has_children, tuple(attributes), sizes, sibling)
        code, at = read_unsigned(data, at)
    return table


def skip_values(sizes: tuple[int, ...], data: bytes, at: int) -> int:
    """Return where the values end. Raises DwarfError, IndexError."""
    for size in sizes:
        at = at + size if size >= 0 else _skip_value(size, data, at)
    return at


def read_value(
    form: int, constant: int, data: bytes, at: int, offset_bytes: int
) -> tuple[Value, int]:
    """Return a value, and where it ends. Raises DwarfError, IndexError."""
    for _ in range(_MAX_INDIRECT):
        if form != _INDIRECT:
            break
        form, at = read_unsigned(data, at)
    if form not in _FORMS or form == _INDIRECT:
        raise DwarfError("it has attributes of a form that is not read")
    kind, size = _FORMS[form]
    if size == _OFFSET_BYTES:
        size = offset_bytes
    if size > 8 or kind == OTHER:
        return Value(kind, 0, ""), _skip_value(size, data, at) if size < 0 else at + size
    if size == _STRING:
        end = data.index(b"\0", at)
        return Value(kind, 0, data[at:end].decode("utf-8", "replace")), end + 1
    if size == _LEB:
        number, at = read_unsigned(data, at)
        return Value(kind, number, ""), at
    if form == _IMPLICIT_CONST or not size:
        return Value(kind, constant if form == _IMPLICIT_CONST else 1, ""), at
    return Value(kind, read_number(data, at, size), ""), at + size


def _join_sizes(forms: list[int], offset_bytes: int) -> list[int]:
    sizes: list[int] = []
    for form in forms:
        size = _FORMS[form][1]
        size = offset_bytes if size == _OFFSET_BYTES else size
        if size >= 0 and sizes and sizes[-1] >= 0:
            sizes[-1] += size
        else:
            sizes.append(size)
    return sizes


def _skip_value(size: int, data: bytes, at: int) -> int:
    if size == _LEB:
        while data[at] >= 0x80:
            at += 1
        return at + 1
    if size == _STRING:
        return data.index(b"\0", at) + 1
    if size == _BLOCK:
        length, at = read_unsigned(data, at)
        return at + length
    if size == _AT_RUN_TIME:
        form, at = read_unsigned(data, at)
        if form not in _FORMS or form == _INDIRECT or _FORMS[form][1] == _OFFSET_BYTES:
            raise DwarfError("it has attributes of a form that is not read")
        fixed = _FORMS[form][1]
        return at + fixed if fixed >= 0 else _skip_value(fixed, data, at)
    width = {_BLOCK_1: 1, _BLOCK_2: 2, _BLOCK_4: 4}[size]
    return at + width + read_number(data, at, width)
