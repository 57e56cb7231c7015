"""Listing of functions: the source and cost of each line, as pprof's ``-list``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Int64s
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_values
from stackglass_viewer.model.graph.granularity import name_by_granularity
from stackglass_viewer.model.graph.path_trim import PathTrim
from stackglass_viewer.model.graph.source_files import SourceFiles
from stackglass_viewer.model.graph.top import TopTable, build_top
from stackglass_viewer.model.patterns import compile_pattern
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.reports.amounts import Amounts
from stackglass_viewer.reports.selection import Selection

_MARGIN_LINES = 5  # shown before and after the lines with a value

_Place = tuple[str, str]
"""A function's name, and its file; "" = unknown."""


class Line(NamedTuple):
    """A line of a function."""

    number: int  # 0 = unknown
    flat: int  # a mean with --mean; not yet divided, see Amounts
    cum: int
    source: str | None  # None = the file is not on this machine


class ListedFunction(NamedTuple):
    """A function in a file. Its cum is the sum over its lines, as in pprof."""

    name: str
    file: str  # "" = unknown
    flat: int
    cum: int
    has_source: bool
    lines: list[Line]


def list_functions(
    selection: Selection, amounts: Amounts, arguments: argparse.Namespace
) -> list[ListedFunction]:
    """Return the matching functions by name, then by file. Raises ContentError if none matches."""
    matches = compile_pattern(arguments.regex)
    named = name_by_granularity(
        selection.shown,
        "lines",
        arguments.trim_path,
        arguments.source_path,
        has_columns=arguments.showcolumns,
    )
    tree = build_call_tree(named)
    table = build_top(tree, sum_values(tree, amounts.weights, amounts.unit))
    counts = None
    if amounts.counts is not None:
        counts = build_top(tree, sum_values(tree, amounts.counts, ""))
    has_value = (table.flat != 0) | (table.cum != 0)
    # The mean of a function is over all its samples, also those at lines without a value.
    is_counted = has_value if counts is None else has_value | (counts.flat != 0) | (counts.cum != 0)
    rows_of: dict[_Place, list[int]] = {}
    for row in np.flatnonzero(is_counted).tolist():
        name = _find_name(table, row)
        if name and matches(name):
            rows_of.setdefault((name, table.file[row]), []).append(row)
    rows_of = {place: rows for place, rows in rows_of.items() if has_value[rows].any()}
    if not rows_of:
        raise ContentError(
            f"no function of {selection.name} matches {arguments.regex!r}",
            "stackglass top lists the names",
        )
    trim = PathTrim(arguments.trim_path, arguments.source_path)
    first_line = _find_first_lines(selection.shown, trim)
    sources = SourceFiles(arguments.source_path)
    return [
        _list_function(place, table, counts, rows, amounts, first_line, sources)
        for place, rows in sorted(rows_of.items())
    ]


def _find_name(table: TopTable, row: int) -> str:
    """Return the function of a row. The row's name is ``function file:line``, perhaps with a
    column after it."""
    file, line = table.file[row], _find_line(table, row)
    place = f"{file}:{line}" if line else file
    if not place:
        return table.name[row]
    name = table.name[row]
    if line and not name.endswith(place):
        name = name.rpartition(":")[0]
    return name.removesuffix(place).rstrip(" ")


def _find_line(table: TopTable, row: int) -> int:
    return 0 if table.line is None else int(table.line[row])


def _find_first_lines(profile: Profile, trim: PathTrim) -> dict[_Place, int]:
    """Return the first line of each function, where it is known."""
    functions, strings = profile.functions, profile.strings
    first: dict[_Place, int] = {}
    columns = (functions.name.tolist(), functions.filename.tolist(), functions.start_line.tolist())
    for name, file, line in zip(*columns, strict=True):
        if line > 0:
            place = strings[name], trim.shorten(strings[file])
            first[place] = min(line, first.get(place, line))
    return first


def _list_function(
    place: _Place,
    table: TopTable,
    counts: TopTable | None,
    rows: list[int],
    amounts: Amounts,
    first_line: Mapping[_Place, int],
    sources: SourceFiles,
) -> ListedFunction:
    numbers, of_row = np.unique([_find_line(table, row) for row in rows], return_inverse=True)

    def sum_lines(values: Int64s) -> Int64s:
        """Return sums for each line; the columns of a line are rows of their own."""
        sums = np.zeros(len(numbers), np.int64)
        np.add.at(sums, of_row, values[rows])
        return sums

    flat, cum = sum_lines(table.flat), sum_lines(table.cum)
    flat_counts = None if counts is None else sum_lines(counts.flat)
    cum_counts = None if counts is None else sum_lines(counts.cum)
    has_value = ((flat != 0) | (cum != 0)).tolist()
    pairs = zip(
        amounts.average(flat, flat_counts).tolist(),
        amounts.average(cum, cum_counts).tolist(),
        strict=True,
    )
    of_lines = zip(numbers.tolist(), has_value, pairs, strict=True)
    values = {number: pair for number, is_shown, pair in of_lines if is_shown}
    flat_sum, cum_sum = (
        amounts.average(each[None].sum(axis=1), None if n is None else n[None].sum(axis=1))
        for each, n in ((flat, flat_counts), (cum, cum_counts))
    )
    name, file = place
    text = sources.read(file) if file else None
    lines = _list_lines(values, first_line.get(place, 0), text)
    return ListedFunction(name, file, int(flat_sum[0]), int(cum_sum[0]), text is not None, lines)


def _list_lines(values: Mapping[int, tuple[int, int]], first_line: int, text: Any) -> list[Line]:
    """Return all lines from the function's first one on; without source, those with a value."""
    if text is None:
        return [Line(number, *values[number], None) for number in sorted(values)]
    numbers = [number for number in values if number] or [first_line or 1]
    begin = min(first_line or min(numbers) - _MARGIN_LINES, min(numbers))
    end = min(max(numbers) + _MARGIN_LINES, len(text))
    shown = set(range(max(begin, 1), end + 1)) | values.keys()
    return [
        Line(
            number,
            *values.get(number, (0, 0)),
            text[number - 1].rstrip("\r") if 1 <= number <= len(text) else "",
        )
        for number in sorted(shown)
    ]


def describe_listing(
    selection: Selection, amounts: Amounts, arguments: argparse.Namespace
) -> dict[str, Any]:
    """Return the report for JSON."""
    return {
        "functions": [
            {
                "name": each.name,
                "file": each.file,
                "flat": amounts.scale(each.flat),
                "cum": amounts.scale(each.cum),
                "has_source": each.has_source,
                "lines": [_describe_line(line, amounts) for line in each.lines],
            }
            for each in list_functions(selection, amounts, arguments)
        ]
    }


def _describe_line(line: Line, amounts: Amounts) -> dict[str, Any]:
    flat, cum = amounts.scale(line.flat), amounts.scale(line.cum)
    return line._replace(flat=flat, cum=cum)._asdict()


def write_listing(
    selection: Selection, amounts: Amounts, arguments: argparse.Namespace
) -> Iterator[str]:
    """Return the lines of the report."""

    def show(value: int) -> str:
        return f"{amounts.show(value) if value else '.':>10}"

    for each in list_functions(selection, amounts, arguments):
        yield ""
        yield make_printable(f"{each.name} in {each.file or 'an unknown file'}")
        share = amounts.share(each.cum)
        yield f"{show(each.flat)} {show(each.cum)}  flat, cum: {share} of the total"
        if each.file and not each.has_source:
            yield make_printable(
                f"  there is no {each.file} here; --source-path names the folders to look in"
            )
        for line in each.lines:
            number = line.number or "?"
            source = make_printable((line.source or "").expandtabs(4))
            yield f"{show(line.flat)} {show(line.cum)} {number:>6}  {source}".rstrip()
