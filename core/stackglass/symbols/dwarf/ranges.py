"""Ranges of addresses that an entry of DWARF covers."""

from __future__ import annotations

from stackglass.symbols.dwarf import unit as units
from stackglass.symbols.dwarf.encoding import (
    ADDRESS,
    ADDRESS_INDEX,
    Value,
    read_number,
    read_unsigned,
)
from stackglass.symbols.dwarf.errors import DwarfError
from stackglass.symbols.dwarf.unit import Unit

Ranges = list[tuple[int, int]]
"""Pairs of start and end."""

_MAX_RANGES = 100_000
_CHUNK_BYTES = 4096
_MAX_LIST_BYTES = 1 << 22
_MAX_ADDRESS = (1 << 64) - 1
_END, _BASE_INDEX, _INDICES, _INDEX_SIZE, _PAIR, _BASE, _START_END, _START_SIZE = range(8)


def read_ranges(unit: Unit, attributes: dict[int, Value]) -> Ranges:
    """Return the ranges that an entry covers; [] = it has no code, or the linker dropped it. Raises
    DwarfError, IndexError."""
    given = attributes.get(units.RANGES)
    if given is not None:
        base = unit.root.get(units.LOW_PC)
        start = unit.read_address(base) if base is not None else 0
        offset = unit.find_range_list(given)
        read = _read_new if unit.head.version == 5 else _read_old
        return [each for each in read(unit, offset, start) if 0 < each[0] < each[1]]
    low, high = attributes.get(units.LOW_PC), attributes.get(units.HIGH_PC)
    if low is None or high is None:
        return []
    start = unit.read_address(low)
    is_end = high.kind in (ADDRESS, ADDRESS_INDEX)
    end = unit.read_address(high) if is_end else start + high.number
    return [(start, end)] if 0 < start < end else []


def _read_old(unit: Unit, offset: int, base: int) -> Ranges:
    ranges: Ranges = []
    while len(ranges) < _MAX_RANGES:
        data = unit.sections.read(".debug_ranges", offset, _CHUNK_BYTES)
        for at in range(0, len(data) - 15, 16):
            low, high = read_number(data, at, 8), read_number(data, at + 8, 8)
            if not low and not high:
                return ranges
            if low == _MAX_ADDRESS:
                base = high
            elif low < high:
                ranges.append((base + low, base + high))
        if len(data) < _CHUNK_BYTES:
            break
        offset += _CHUNK_BYTES
    raise DwarfError("a list of ranges does not end")


def _read_new(unit: Unit, offset: int, base: int) -> Ranges:
    size = _CHUNK_BYTES
    while True:
        data = unit.sections.read(".debug_rnglists", offset, size)
        try:
            return _decode(unit, data, base)
        except (IndexError, DwarfError):
            if len(data) < size or size >= _MAX_LIST_BYTES:
                raise
            size *= 8  # it was cut off


def _decode(unit: Unit, data: bytes, base: int) -> Ranges:
    ranges: Ranges = []
    at = 0
    while data[at] != _END:
        kind = data[at]
        at += 1
        if kind == _PAIR:
            low, at = read_unsigned(data, at)
            high, at = read_unsigned(data, at)
            ranges.append((base + low, base + high))
        elif kind == _BASE:
            base, at = read_number(data, at, 8), at + 8
        elif kind == _START_SIZE:
            low = read_number(data, at, 8)
            length, at = read_unsigned(data, at + 8)
            ranges.append((low, low + length))
        elif kind == _START_END:
            ranges.append((read_number(data, at, 8), read_number(data, at + 8, 8)))
            at += 16
        elif kind in (_BASE_INDEX, _INDICES, _INDEX_SIZE):
            index, at = read_unsigned(data, at)
            low = unit.read_address_index(index)
            if kind == _BASE_INDEX:
                base = low
                continue
            second, at = read_unsigned(data, at)
            high = unit.read_address_index(second) if kind == _INDICES else low + second
            ranges.append((low, high))
        else:
            raise DwarfError("a list of ranges is damaged")
        if len(ranges) > _MAX_RANGES:
            raise DwarfError("a list of ranges does not end")
    return ranges
