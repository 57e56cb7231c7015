"""Names of lines of code, for the tables of captures and of files.

A line is a place in a function. In a capture, a line is a location. In a file, a location has
several lines if calls are inlined.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int32s, Int64s, freeze
from stackglass_viewer.model.live.native_lines import NativeLines, mark_inlined
from stackglass_viewer.model.live.tables import DefinitionColumns
from stackglass_viewer.model.profile.profile import Profile

UNKNOWN = "<unknown>"


class LineName(NamedTuple):
    """A line with its function and file as text."""

    function: str
    file: str  # "" = unknown
    number: int  # 0 = unknown


@dataclass(frozen=True, slots=True, eq=False)
class LineNames:
    """Lines and their functions. Columns refer to each other by position. Immutable."""

    line_function: Int32s  # (n_lines,) function; -1 = none
    line_number: Int64s  # (n_lines,) 0 = unknown
    function_name: Int32s  # (n_functions,) string
    function_file: Int32s  # (n_functions,) string
    strings: Sequence[str]

    def key_functions(self, lines: Int32s) -> Int64s:
        """Return the string of each line's function name: (n,); -1 = none, also for line -1.
        Functions with the same name have one key: they are one function, as in the flame graph."""
        function = np.where(lines >= 0, self.line_function[lines], -1)
        names = np.where(function >= 0, self.function_name[function], -1)
        return names.astype(np.int64)

    def name_line(self, line: int) -> LineName:
        """Return the name of a line; ``UNKNOWN`` for line -1."""
        function = int(self.line_function[line]) if line >= 0 else -1
        if function < 0:
            return LineName(UNKNOWN, "", 0)
        name = self.strings[int(self.function_name[function])]
        file = self.strings[int(self.function_file[function])]
        return LineName(name or UNKNOWN, file, int(self.line_number[line]))

    def name_functions(self, keys: Int64s) -> list[LineName]:
        """Return the names and files of functions by the keys of ``key_functions``: (n,). The file
        is taken from the first function with the name."""
        wanted = set(keys.tolist())
        file_of_name: dict[int, int] = {}
        pairs = zip(self.function_name.tolist(), self.function_file.tolist(), strict=True)
        for name, file in pairs:
            if name in wanted:
                file_of_name.setdefault(name, file)
        return [
            LineName(self.strings[key] or UNKNOWN, self.strings[file_of_name[key]], 0)
            if key >= 0
            else LineName(UNKNOWN, "", 0)
            for key in keys.tolist()
        ]


def names_of_capture(tables: DefinitionColumns) -> LineNames:
    """Return the names of a capture's lines, which are the engine's locations. A location with
    inlined calls is named after the innermost call."""
    names = LineNames(
        line_function=tables.location_function,
        line_number=tables.location_line,
        function_name=tables.function_name,
        function_file=tables.function_filename,
        strings=tables.strings,
    )
    return _add_lines(names, tables.native_lines) if tables.native_lines else names


def _add_lines(names: LineNames, lines: NativeLines) -> LineNames:
    """Add a function for each pair of name and file in the lines of machine code."""
    functions: dict[tuple[int, int], int] = {}
    numbers: dict[str, int] = {}
    strings = list(names.strings)
    line_function, line_number = names.line_function.copy(), names.line_number.copy()
    n_functions = len(names.function_name)

    def number(text: str) -> int:
        if text not in numbers:
            numbers[text] = len(strings)
            strings.append(text)
        return numbers[text]

    for location, found in lines.items():
        first = found[0]
        own_name = int(names.function_name[names.line_function[location]])
        name = number(mark_inlined(first)) if len(found) > 1 else own_name
        row = (name, number(first.file))
        line_function[location] = functions.setdefault(row, n_functions + len(functions))
        line_number[location] = first.line
    extra = np.array(list(functions), dtype=np.int32).reshape(-1, 2)
    function_name = np.concatenate((names.function_name, extra[:, 0]))
    function_file = np.concatenate((names.function_file, extra[:, 1]))
    freeze(line_function, line_number, function_name, function_file)
    return LineNames(line_function, line_number, function_name, function_file, strings)


def names_of_profile(profile: Profile) -> LineNames:
    """Return the names of the lines of a file's locations."""
    return LineNames(
        line_function=profile.locations.line_function,
        line_number=profile.locations.line_number,
        function_name=profile.functions.name,
        function_file=profile.functions.filename,
        strings=profile.strings,
    )
