"""Granularity: what one row of a table stands for, with pprof's names.

====================  =====================================
functions             a function's name, whatever its file
filefunctions         a function of a file
files                 a source file
lines                 a line of a function
addresses             an instruction, with all that is known of it
====================  =====================================

At the granularity "files", pprof has one row for each function of a file, all with the same name;
here a file is one row.
"""

from __future__ import annotations

import posixpath
from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import freeze
from stackglass_viewer.model.graph.path_trim import PathTrim
from stackglass_viewer.model.profile.frames import UNKNOWN
from stackglass_viewer.model.profile.profile import Functions, Locations, Profile

FUNCTIONS = "functions"
GRANULARITIES = (FUNCTIONS, "filefunctions", "files", "lines", "addresses")
_WITH_FILE = ("filefunctions", "files", "lines", "addresses")
_WITH_LINE = ("lines", "addresses")


def name_by_granularity(
    profile: Profile,
    granularity: str,
    trim_path: str = "",
    source_path: str = "",
    has_columns: bool = False,
) -> Profile:
    """Return the profile with one function for each row at a granularity, named as pprof prints it.

    ``trim_path`` and ``source_path`` choose the beginnings of paths that are left out (see
    ``path_trim``). ``has_columns``: calls in different columns of a line are different rows.
    """
    if granularity == FUNCTIONS:
        return profile
    names = _Names(profile, granularity, PathTrim(trim_path, source_path), has_columns)
    locations = profile.locations
    starts = locations.line_start.tolist()
    line_function: list[int] = []
    line_start = [0]
    for location in range(len(locations.address)):
        rows = range(starts[location], starts[location + 1])
        line_function += [names.number(location, row) for row in rows] or [
            names.number(location, -1)
        ]
        line_start.append(len(line_function))
    return replace(
        profile,
        strings=names.strings,
        functions=names.build_functions(),
        locations=_build_locations(locations, line_start, line_function),
    )


class _Names:
    """The functions of the new profile, by their printed names."""

    def __init__(
        self, profile: Profile, granularity: str, trim: PathTrim, has_columns: bool
    ) -> None:
        self._profile = profile
        self._granularity = granularity
        self._trim = trim
        self._has_columns = has_columns
        self._numbers: dict[str, int] = {}
        self._string_of = dict(
            zip(reversed(profile.strings), range(len(profile.strings))[::-1], strict=True)
        )
        self._added: list[str] = []
        self._rows: list[tuple[int, int, int]] = []  # name, file, line

    @property
    def strings(self) -> tuple[str, ...]:
        return (*self._profile.strings, *self._added)

    def number(self, location: int, row: int) -> int:
        """Return the number of the function for a line. ``row``: −1 for a location without
        lines."""
        profile = self._profile
        function = profile.locations.line_function[row] if row >= 0 else -1
        name = file = ""
        line = column = 0
        if function >= 0:
            name = profile.strings[profile.functions.name[function]]
            file = self._trim.shorten(profile.strings[profile.functions.filename[function]])
            line = int(profile.locations.line_number[row])
            column = int(profile.locations.line_column[row])
        text = self._describe(location, name, file, line, column)
        number = self._numbers.setdefault(text, len(self._rows))
        if number == len(self._rows):
            shown_line = line if self._granularity in _WITH_LINE else 0
            self._rows.append((self._add(text), self._add(file), shown_line))
        return number

    def _describe(self, location: int, name: str, file: str, line: int, column: int) -> str:
        words = []
        address = int(self._profile.locations.address[location])
        if self._granularity == "addresses" and address:
            words.append(f"{address:016x}")
        if name and self._granularity != "files":
            words.append(name)
        if line and self._granularity in _WITH_LINE:
            place = f"{file}:{line}"
            words.append(f"{place}:{column}" if column and self._has_columns else place)
        elif file and self._granularity in _WITH_FILE:
            words.append(file)
        elif not name or self._granularity == "files":
            words.append(self._name_mapping(location))
        return " ".join(words)

    def _name_mapping(self, location: int) -> str:
        mapping = self._profile.locations.mapping[location]
        path = (
            "" if mapping < 0 else self._profile.strings[self._profile.mappings.filename[mapping]]
        )
        return f"[{posixpath.basename(path.rstrip('/')) or '/'}]" if path else UNKNOWN

    def _add(self, text: str) -> int:
        number = self._string_of.setdefault(text, len(self._profile.strings) + len(self._added))
        if number == len(self._profile.strings) + len(self._added):
            self._added.append(text)
        return number

    def build_functions(self) -> Functions:
        columns = np.array(self._rows, dtype=np.int64).reshape(-1, 3).T
        names, files = (np.ascontiguousarray(columns[i], dtype=np.int32) for i in (0, 1))
        functions = Functions(names, names, files, np.ascontiguousarray(columns[2]))
        freeze(names, files, functions.start_line)
        return functions


def _build_locations(
    locations: Locations, line_start: list[int], line_function: list[int]
) -> Locations:
    n_lines = len(line_function)
    built = replace(
        locations,
        line_start=np.array(line_start, dtype=np.int32),
        line_function=np.array(line_function, dtype=np.int32),
        line_number=np.zeros(n_lines, dtype=np.int64),
        line_column=np.zeros(n_lines, dtype=np.int64),
    )
    freeze(built.line_start, built.line_function, built.line_number, built.line_column)
    return built
