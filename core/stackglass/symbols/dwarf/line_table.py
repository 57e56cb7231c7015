"""Line table of a unit: which source line each instruction comes from."""

from __future__ import annotations

from array import array
from bisect import bisect_right

from stackglass.named_tuple import NamedTuple
from stackglass.symbols.dwarf.encoding import read_number, read_signed, read_unsigned
from stackglass.symbols.dwarf.errors import DwarfError
from stackglass.symbols.dwarf.line_header import LineHeader

_MAX_ROWS = 4_000_000
_MAX_LINE = (1 << 32) - 1
_ADDRESS_MASK = (1 << 64) - 1
# Standard opcodes
_COPY, _ADVANCE_PC, _ADVANCE_LINE, _SET_FILE, _SET_COLUMN, _NEGATE, _BLOCK = range(1, 8)
_CONST_ADD_PC, _FIXED_ADVANCE_PC = 8, 9
_END_SEQUENCE, _SET_ADDRESS = 1, 2  # extended


class _Sequence(NamedTuple):
    """Instructions without a gap."""

    start: int
    end: int
    addresses: array[int]
    files: array[int]
    lines: array[int]


class LineTable:
    """The line table of one unit. Immutable."""

    __slots__ = ("_names", "_sequences", "_starts")

    def __init__(self, program: bytes, header: LineHeader) -> None:
        """Raises DwarfError, IndexError, OverflowError."""
        self._names = header.files
        self._sequences = sorted(_run(program, header), key=lambda each: each[:2])
        self._starts = [each.start for each in self._sequences]

    def find(self, address: int) -> tuple[str, int]:
        """Return file and line of an address; ("", 0) = unknown."""
        last = bisect_right(self._starts, address) - 1
        if last < 0 or address >= self._sequences[last].end:
            return "", 0
        found = self._sequences[last]
        row = bisect_right(found.addresses, address) - 1
        return self.name_file(found.files[row]), found.lines[row]

    def name_file(self, number: int) -> str:
        """Return the path of a file; "" = unknown."""
        return self._names[number] if 0 <= number < len(self._names) else ""


def _run(program: bytes, header: LineHeader) -> list[_Sequence]:
    """Run a line program. Leaves out sequences at address 0, whose code the linker dropped."""
    sequences = []
    unit, base, span = header.instruction_bytes, header.line_base, header.line_range
    first_special, lengths = header.opcode_base, header.lengths
    constant = (255 - first_special) // span * unit
    at, end, left = 0, len(program), _MAX_ROWS
    address, file, line = 0, 1, 1
    addresses, files, lines = array("Q"), array("I"), array("I")
    while at < end:
        code = program[at]
        at += 1
        if code >= first_special:
            code -= first_special
            address += code // span * unit
            line += base + code % span
        elif code == _ADVANCE_LINE:
            change = program[at]
            if change < 0x80:  # most are one byte
                line += change - 0x80 if change & 0x40 else change
                at += 1
            else:
                change, at = read_signed(program, at)
                line += change
            continue
        elif code == _ADVANCE_PC:
            change, at = read_unsigned(program, at)
            address += change * unit
            continue
        elif code == _CONST_ADD_PC:
            address += constant
            continue
        elif code == _SET_FILE:
            file, at = read_unsigned(program, at)
            continue
        elif code == _FIXED_ADVANCE_PC:
            address += read_number(program, at, 2)
            at += 2
            continue
        elif code == 0:
            size, at = read_unsigned(program, at)
            kind = program[at]
            if kind == _SET_ADDRESS:
                address = read_number(program, at + 1, 8)
            at += size
            if kind != _END_SEQUENCE:
                continue
            if addresses and 0 < addresses[0] < address:
                sequences.append(_make(address, addresses, files, lines))
            address, file, line = 0, 1, 1
            addresses, files, lines = array("Q"), array("I"), array("I")
            continue
        elif code != _COPY:
            for _ in range(lengths[code]):
                while program[at] >= 0x80:
                    at += 1
                at += 1
            continue
        if addresses and addresses[-1] == address:  # of several rows the last one counts
            files[-1], lines[-1] = file & _MAX_LINE, line if 0 <= line <= _MAX_LINE else 0
            continue
        left -= 1
        if left < 0:
            raise DwarfError("it has too many lines")
        addresses.append(address & _ADDRESS_MASK)
        files.append(file & _MAX_LINE)
        lines.append(line if 0 <= line <= _MAX_LINE else 0)
    return sequences


def _make(end: int, addresses: array[int], files: array[int], lines: array[int]) -> _Sequence:
    """Return the sequence. Raises DwarfError if addresses decrease."""
    if any(map(int.__gt__, addresses, addresses[1:])):
        raise DwarfError("its lines are not in order")
    return _Sequence(addresses[0], end, addresses, files, lines)
