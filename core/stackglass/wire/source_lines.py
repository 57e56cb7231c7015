"""Source lines and inlined calls of machine code, added to the tables of a profile."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence

from stackglass.symbols.native_code import NativeLine
from stackglass.wire.pprof import ProfileTables


def add_lines(tables: ProfileTables, lines: Mapping[int, Sequence[NativeLine]]) -> ProfileTables:
    """Return the tables with ``lines``, by location: the innermost inlined call first, the
    location's own function last. A function of machine code gets the file of its source."""
    if not lines:
        return tables
    strings = list(tables.strings)
    numbers: dict[str, int] = {}
    functions: dict[tuple[int, int, int, int], int] = {}
    names, system_names, files, starts = (
        array("Q", column)
        for column in (
            tables.function_name,
            tables.function_system_name,
            tables.function_filename,
            tables.function_start_line,
        )
    )
    location_function = list(tables.location_function)
    location_line = array("Q", tables.location_line)
    inlined: dict[int, tuple[tuple[int, int], ...]] = {}

    def number(text: str) -> int:
        if text not in numbers:
            numbers[text] = len(strings)
            strings.append(text)
        return numbers[text]

    def add_function(line: NativeLine) -> int:
        row = (number(line.text), number(line.symbol), number(line.file), line.start_line)
        if row not in functions:
            functions[row] = len(names)
            for column, value in zip((names, system_names, files, starts), row):
                column.append(value)
        return functions[row]

    for location, found in lines.items():
        *inner, own = found
        function = location_function[location]
        location_line[location] = own.line
        if own.file and not starts[function]:
            files[function], starts[function] = number(own.file), own.start_line
        if inner:
            inlined[location] = tuple((add_function(line), line.line) for line in inner)
    return tables._replace(
        strings=tuple(strings),
        function_name=names,
        function_system_name=system_names,
        function_filename=files,
        function_start_line=starts,
        location_function=location_function,
        location_line=location_line,
        location_inlined=inlined,
    )
