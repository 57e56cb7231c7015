"""Reports of one file by ``stackglass`` and by ``go tool pprof``, compared as exact integers.

A `Difference` is a report that differs; `agreed_differences` knows the reasons in docs/limits.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

from harness.pprof_shell import print_reports
from harness.printed_samples import read_our_tags, read_our_traces, read_tags, read_traces
from harness.printed_tables import cut_raw, read_list
from harness.printed_trees import read_our_tree, read_tree
from harness.reports import run_command
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_profile

REPORTS = ("top", "tree", "peek", "tags", "traces", "list", "raw")
_UNITS = {"nanoseconds": "ns", "bytes": "B", "microseconds": "us"}  # others are whole anyway
_WORDS = {"peek": ["."], "list": ["."]}
_MODULES = {"top": "top_command", "list": "listing"}
_ALL_ROWS = ("nodecount=0", "nodefraction=0", "edgefraction=0")
_ROW = re.compile(r" *(-?\d+)\w*\s+\S+\s+\S+\s+(-?\d+)\w*\s+\S+%  (.*)")
_INLINE = re.compile(r" \((partial-)?inline\)$")
_TOTAL = re.compile(r"Showing nodes accounting for .* of (-?\d+)\w* total")


class Difference(NamedTuple):
    """A report that differs: ``found`` is Stackglass's, ``printed`` is pprof's."""

    paths: Sequence[Path]
    report: str
    options: Sequence[str]  # ``name=value``, the unit and the sample type first
    found: Any
    printed: Any

    @property
    def place(self) -> str:
        """The command line, for messages."""
        return " ".join([self.report, *self.options, *(path.name for path in self.paths)])


def find_differences(
    path: Path,
    table: Sequence[Sequence[str]],
    reports: Sequence[str] = REPORTS,
    others: Sequence[Path] = (),
) -> tuple[int, list[Difference]]:
    """Compare reports with every sample type and every set of ``name=value`` options. Returns the
    number of comparisons, and the differences. ``others``: files to add to the file."""
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    paths = [path, *others]
    n_compared, differing = 0, []
    for number, each in enumerate(profile.sample_types):
        unit = f"unit={_UNITS.get(each.unit, 'minimum')}"
        given = [[unit, f"sample_index={number}", *options] for options in table]
        for report in reports:
            reports_printed = read_printed(report, paths, given)
            for options, printed in zip(given, reports_printed, strict=True):
                found = read_found(report, paths, options)
                n_compared += 1
                if found != printed:
                    differing.append(Difference(paths, report, options, found, printed))
    return n_compared, differing


def read_printed(report: str, paths: Sequence[Path], given: Sequence[Sequence[str]]) -> list[Any]:
    """Return pprof's report for each set of options.

    Of `top`'s rows nodecount=-1 is all of them in pprof's command line, but ten in its shell.
    """
    if report == "top":
        given = [[each.replace("nodecount=-1", "nodecount=0") for each in row] for row in given]
    printed = print_reports(" ".join([report, *_WORDS.get(report, [])]), given, *paths)
    return [_read_printed(report, text) for text in printed]


def _read_printed(report: str, text: str) -> Any:
    if report == "top":
        return _read_top(text)
    if report in ("tree", "peek"):
        return read_tree(text)
    if report == "tags":
        return read_tags(text)
    if report == "traces":
        return read_traces(text)
    if report == "list":
        return {place: sums[:2] for place, sums in read_list(text).items()}
    return cut_raw(text)


def read_found(report: str, paths: Sequence[Path], options: Sequence[str]) -> Any:
    """Return Stackglass's report; options are spelled as in pprof."""
    words = [*_WORDS.get(report, []), *(f"-{each}" for each in (*_ALL_ROWS, *options))]
    printed = StringIO()
    with redirect_stdout(printed), redirect_stderr(StringIO()):
        if report == "raw":
            assert run_command("raw", *paths, *words) == 0
            return cut_raw(printed.getvalue())
        try:
            status = run_command(_MODULES.get(report, report), *paths, "--json", *words)
        except ContentError as error:
            if not error.message.startswith("no function"):  # pprof prints an empty report
                raise
            return [] if report == "peek" else {}
    assert status == 0
    document = json.loads(printed.getvalue())
    if report in ("tree", "peek"):
        return read_our_tree(document, is_mean="mean=true" in options)
    return _read_document(report, document)


def _read_document(report: str, document: Any) -> Any:
    if report == "top":
        rows = [(row["name"], row["flat"], row["cum"]) for row in document["rows"]]
        return rows, document["total"] if rows else 0
    if report == "tags":
        return read_our_tags(document)
    if report == "traces":
        return read_our_traces(document)
    return {
        (each["name"], each["file"]): (each["flat"], each["cum"])
        for each in document["functions"]
        if each["file"]
    }


def _read_top(text: str) -> tuple[list[tuple[str, int, int]], int]:
    rows = []
    for line in text.partition("cum%\n")[2].splitlines():
        found = _ROW.fullmatch(line)
        assert found, line
        rows.append((_INLINE.sub("", found[3]), int(found[1]), int(found[2])))
    total = _TOTAL.search(text)
    return rows, int(total[1]) if total and rows else 0
