"""``-list`` and ``-raw`` of ``go tool pprof``, parsed."""

from __future__ import annotations

import re

_HEAD = re.compile(r"ROUTINE =+ (.*) in (.*)")
_SUMS = re.compile(r" *(-?\d+|\.)\w* +(-?\d+|\.)\w* \(flat, cum\)")
_LINE = re.compile(r" *(-?\d+|\.)\w* +(-?\d+|\.)\w* +(\d+):(.*)")
Lines = dict[int, tuple[int, int, str]]
Listing = dict[tuple[str, str], tuple[int, int, Lines]]


def read_list(text: str) -> Listing:
    """Read a listing, without lines that have no value."""
    listed: Listing = {}
    place, sums, lines = ("", ""), (0, 0), Lines()
    for row in text.splitlines()[1:]:
        head, of_all, line = _HEAD.fullmatch(row), _SUMS.match(row), _LINE.fullmatch(row)
        if head:
            place, lines = (head[1], head[2]), {}
        elif of_all:
            sums = read_number(of_all[1]), read_number(of_all[2])
            listed[place] = (*sums, lines)
        elif line:
            flat, cum = read_number(line[1]), read_number(line[2])
            if flat or cum:
                lines[int(line[3])] = (flat, cum, line[4])
        else:
            assert row.startswith((" Error: ", "No source information for ")), row
    return listed


def read_number(text: str) -> int:
    return 0 if text == "." else int(text)


def cut_raw(text: str) -> list[str]:
    """Return the lines of ``-raw`` from the period on, without differences in form: pprof writes a
    space after some numbers without a unit, prints a period's type without a name, and marks the
    default type only if the file names it."""
    lines = text.replace(" ]", "]").replace("[dflt]", "").splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("Period"))
    left = [line.rstrip() for line in lines[first:]]
    return [
        line
        for line in left
        if not line.startswith(("Time:", "Duration:")) and line != "PeriodType:"
    ]
