"""Reports of one file by ``stackglass`` and by ``go tool pprof``, compared as exact integers.

What differs on purpose (docs/limits.md) is left out of the comparison here, and nothing else: rows
of ``top`` with the same value have another order, a mapped file that pprof makes up is not in
``raw``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from harness.pprof_shell import print_reports
from harness.printed_samples import read_our_tags, read_our_traces, read_tags, read_traces
from harness.printed_tables import cut_raw, read_list
from harness.printed_trees import read_our_tree, read_tree
from harness.reports import run_command
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_profile

REPORTS = ("top", "tree", "peek", "tags", "traces", "list", "raw")
_UNITS = {"nanoseconds": "ns", "bytes": "B", "microseconds": "us"}  # in others numbers are whole
_WORDS = {"peek": ["."], "list": ["."]}
_MODULES = {"top": "top_command", "list": "listing"}
_ALL_ROWS = ("nodecount=0", "nodefraction=0", "edgefraction=0")
_ROW = re.compile(r" *(-?\d+)\w*\s+\S+\s+\S+\s+(-?\d+)\w*\s+\S+%  (.*)")
_INLINE = re.compile(r" \((partial-)?inline\)$")
_TOTAL = re.compile(r"Showing nodes accounting for .* of (-?\d+)\w* total")
_MADE_UP = re.compile(r"(\d+): 0x0/(?:0x0|0xf{16})/0x0")


def find_differences(
    capsys: pytest.CaptureFixture[str],
    path: Path,
    table: Sequence[Sequence[str]],
    reports: Sequence[str] = REPORTS,
    others: Sequence[Path] = (),
) -> tuple[int, list[tuple[str, list[str], Any, Any]]]:
    """How many reports were compared, and those that differ: with every sample type and every set
    of ``name=value`` options; ``others`` are added to the file."""
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    n_compared, differing = 0, []
    for number, each in enumerate(profile.sample_types):
        unit = f"unit={_UNITS.get(each.unit, 'minimum')}"
        given = [[unit, f"sample_index={number}", *options] for options in table]
        for report in reports:
            words = _WORDS.get(report, [])
            printed = print_reports(" ".join([report, *words]), given, path, *others)
            for options, text in zip(given, printed, strict=True):
                theirs = _read_theirs(report, text)
                found = _read_found(capsys, report, [path, *others], options)
                n_compared += 1
                if found != theirs:
                    differing.append((report, options, found, theirs))
    return n_compared, differing


def _read_theirs(report: str, text: str) -> Any:
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
    return _leave_out_made_up(cut_raw(text))


def _read_found(
    capsys: pytest.CaptureFixture[str], report: str, paths: Sequence[Path], options: Sequence[str]
) -> Any:
    """Options are spelled as pprof's users do."""
    words = [*_WORDS.get(report, []), *(f"-{each}" for each in (*_ALL_ROWS, *options))]
    if report == "raw":
        assert run_command("raw", *paths, *words) == 0
        return _leave_out_made_up(cut_raw(capsys.readouterr().out))
    try:
        status = run_command(_MODULES.get(report, report), *paths, "--json", *words)
    except ProfileError as error:
        if not error.message.startswith("no function"):  # pprof prints an empty report
            raise
        return [] if report == "peek" else {}
    assert status == 0
    document = json.loads(capsys.readouterr().out)
    if report == "top":
        rows = sorted((row["name"], row["flat"], row["cum"]) for row in document["rows"])
        return rows, document["total"] if rows else 0
    if report in ("tree", "peek"):
        return read_our_tree(document)
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
    return sorted(rows), int(total[1]) if total and rows else 0


def _leave_out_made_up(lines: list[str]) -> list[str]:
    """Without the mapped file for addresses that lie in none."""
    at = lines.index("Mappings")
    made_up = [found[1] for line in lines[at:] if (found := _MADE_UP.fullmatch(line))]
    kept = lines[:at] + [line for line in lines[at:] if not _MADE_UP.fullmatch(line)]
    for number in made_up:
        kept = [re.sub(rf"(^ *\d+: 0x\w+) M={number}(?= |$)", r"\1", line) for line in kept]
    return kept
