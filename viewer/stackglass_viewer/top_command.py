"""``stackglass top FILE``: a profile's functions as a table, in text or in JSON.

Needs the extra ``files`` and no Qt.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace
from typing import Any

import numpy as np

from stackglass_viewer.model.columns.index import Int64s, TypeId
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.graph.call_tree import build_call_tree, sum_type
from stackglass_viewer.model.graph.top import TopTable, build_function_top, build_top, measure_whole
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.profile.sample_types import find_type
from stackglass_viewer.model.profile.tag_filter import choose_tagged
from stackglass_viewer.model.readers.opener import open_profile
from stackglass_viewer.model.units import format_value, make_printable

DONE = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Print a profile's functions, the most expensive first."
    parser.add_argument("file", metavar="FILE", help="a profile: pprof or cProfile")
    parser.add_argument(
        "--sample-index",
        "--profile",
        metavar="NAME|N",
        help="sample type to show, by name or number (default: the profile's own)",
    )
    parser.add_argument(
        "--cum", action="store_true", help="sort by cumulative value: functions with their callees"
    )
    parser.add_argument(
        "--tagfocus",
        default="",
        metavar="KEY=REGEX",
        help="only samples with a matching label, as in pprof: wait=socket, bytes=1kb:64kb",
    )
    parser.add_argument(
        "--tagignore",
        default="",
        metavar="KEY=REGEX",
        help="only samples without a matching label: wait=.",
    )
    parser.add_argument("--json", action="store_true", help="exact numbers, all rows, as JSON")
    parser.add_argument(
        "-n", "--rows", type=int, default=0, metavar="N", help="only the first N rows"
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, sum, print. Raises ProfileError, SampleTypeError, PatternError."""
    profile = open_profile(arguments.file)
    chosen = _choose(profile, arguments.sample_index)
    shown = _filter(profile, arguments.tagfocus, arguments.tagignore)
    for warning in shown.warnings:
        print(f"stackglass: warning: {make_printable(warning)}", file=sys.stderr)
    table = _tabulate(profile, shown, chosen)
    rows = order_rows(table, is_by_cum=arguments.cum)
    if arguments.rows > 0:
        rows = rows[: arguments.rows]
    if arguments.json:
        json.dump(describe(profile, chosen, table, rows), sys.stdout)
        print()
    else:
        print("\n".join(write_lines(profile.sample_types[chosen], table, rows)))
    return DONE


def _choose(profile: Profile | FunctionTable, wanted: str | None) -> TypeId:
    return profile.default_type if wanted is None else find_type(profile.sample_types, wanted)


def _filter(profile: Profile | FunctionTable, focus: str, ignore: str) -> Profile | FunctionTable:
    if isinstance(profile, Profile):
        return choose_tagged(profile, focus, ignore)
    if focus or ignore:
        raise ProfileError("a cProfile file has no labels", "leave out --tagfocus")
    return profile


def _tabulate(
    whole: Profile | FunctionTable, shown: Profile | FunctionTable, sample_type: TypeId
) -> TopTable:
    """The table of what is shown, with shares of the whole."""
    if isinstance(whole, FunctionTable):
        return build_function_top(whole, sample_type)
    if isinstance(shown, FunctionTable):
        return build_function_top(shown, sample_type)
    tree = build_call_tree(shown)
    table = build_top(tree, sum_type(tree, shown, sample_type))
    return replace(table, total=measure_whole(whole, sample_type))


def order_rows(table: TopTable, *, is_by_cum: bool) -> Int64s:
    """The functions that have a value, largest first; then by the other column, then by name."""
    rows = np.flatnonzero((table.flat != 0) | (table.cum != 0))
    first, second = (table.cum, table.flat) if is_by_cum else (table.flat, table.cum)
    by_name = sorted(rows.tolist(), key=lambda row: table.name[row])
    named = np.array(by_name, dtype=np.int64)
    return named[np.lexsort((-np.abs(second[named]), -np.abs(first[named])))]


def describe(
    profile: Profile | FunctionTable, chosen: TypeId, table: TopTable, rows: Int64s
) -> dict[str, Any]:
    """The JSON document: exact integers in the profile's own unit."""
    return {
        "sample_types": [{"name": each.name, "unit": each.unit} for each in profile.sample_types],
        "sample_index": profile.sample_types[chosen].name if profile.sample_types else "",
        "unit": table.unit,
        "total": table.total,
        "rows": [
            {
                "name": table.name[row],
                "file": table.file[row],
                "flat": int(table.flat[row]),
                "cum": int(table.cum[row]),
            }
            for row in rows.tolist()
        ],
    }


def write_lines(sample_type: SampleType, table: TopTable, rows: Int64s) -> list[str]:
    """The table as text."""
    total = table.total
    lines = [
        f"Type: {sample_type.name}   Total: {format_value(total, table.unit)}",
        f"{'flat':>10} {'flat%':>7} {'cum':>10} {'cum%':>7}  name",
    ]
    if not len(rows):
        lines.append("no samples of this type")
    for row in rows.tolist():
        flat, cum = int(table.flat[row]), int(table.cum[row])
        lines.append(
            f"{format_value(flat, table.unit):>10} {_percent(flat, total):>7} "
            f"{format_value(cum, table.unit):>10} {_percent(cum, total):>7}  "
            f"{_place(table, row)}"
        )
    return lines


def _percent(value: int, total: int) -> str:
    """Without a sign, as pprof has it: the value beside it has one."""
    return f"{100 * abs(value) / total:.2f}%" if total else "-"


def _place(table: TopTable, row: int) -> str:
    """The name; with its file where several functions may be called that.

    Names come out of files: what would move the cursor or change colours is replaced.
    """
    text = table.name[row]
    if table.calls is not None and table.file[row]:
        text += f"  {table.file[row]}"
    return make_printable(text)
