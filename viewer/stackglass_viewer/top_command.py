"""``stackglass top FILE``: a profile's functions as a table, in text or in JSON.

Needs the extra ``files`` and no Qt.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import replace

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.graph.granularity import FUNCTIONS
from stackglass_viewer.model.graph.top import measure_counts
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.profile.stack_filter import Filters, filter_profile
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.reports.arguments import (
    add_base_arguments,
    add_file_arguments,
    add_filter_arguments,
    add_trim_arguments,
    add_value_arguments,
    read_filters,
)
from stackglass_viewer.reports.header import write_header, write_other_types
from stackglass_viewer.reports.node_choice import choose_nodes, read_trim
from stackglass_viewer.reports.pprof_flags import add_unused_arguments
from stackglass_viewer.reports.pprof_flags import parse as parse
from stackglass_viewer.reports.selection import choose_type, open_inputs, subtract
from stackglass_viewer.reports.top_json import describe_top
from stackglass_viewer.reports.top_rows import order_rows
from stackglass_viewer.reports.top_table import tabulate
from stackglass_viewer.reports.top_text import write_top
from stackglass_viewer.reports.top_values import (
    divide_by_counts,
    format_in_unit,
    multiply,
)

DONE = 0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Print a profile's functions, the most expensive first."
    add_file_arguments(parser)
    parser.add_argument(
        "--callers",
        action="store_true",
        help="of files of cProfile or callgrind: below each function its callers",
    )
    parser.add_argument(
        "-n", "--rows", type=int, default=0, metavar="N", help="only the first N rows"
    )
    add_trim_arguments(parser)
    add_unused_arguments(parser, "edgefraction")
    add_filter_arguments(parser)
    add_value_arguments(parser)
    add_base_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read the files, add them up, print the table. Returns the exit code.

    Raises ContentError, RemoteError, SampleTypeError, PatternError.
    """
    profile, name = open_inputs(arguments.files)
    try:
        chosen = choose_type(profile, arguments.sample_index)
        return _print(_subtract(profile, arguments), name, chosen, arguments)
    except MemoryError:
        raise ContentError(f"there is not enough memory to add up {name}") from None


def _print(
    profile: Profile | FunctionTable, name: str, chosen: TypeId, arguments: argparse.Namespace
) -> int:
    shown = _filter(profile, read_filters(arguments), arguments.unit)
    if isinstance(profile, FunctionTable) and (
        arguments.mean or arguments.granularity != FUNCTIONS
    ):
        raise ContentError(
            f"a {profile.format_name} file has only the sums of functions",
            "leave out --mean and --granularity",
        )
    if arguments.callers and isinstance(shown, Profile):
        raise ContentError("--callers is for files of functions, and this profile has stacks")
    for warning in shown.warnings:
        print(f"stackglass: warning: {make_printable(warning)}", file=sys.stderr)
    whole = shown if arguments.relative_percentages else profile
    table = tabulate(whole, shown, chosen, arguments)
    rows = choose_nodes(table, read_trim(arguments)).nodes
    if arguments.mean:
        counts = tabulate(whole, shown, TypeId(0), arguments)
        if isinstance(whole, Profile):
            counts = replace(counts, total=measure_counts(whole, chosen))
        table = divide_by_counts(table, counts)
    rows = order_rows(table, rows, is_by_cum=arguments.cum)
    if arguments.rows > 0:
        rows = rows[: arguments.rows]

    def scale(value: int) -> int:
        return multiply(value, 1 / arguments.divide_by)

    if arguments.json:
        json.dump(describe_top(shown, name, chosen, table, rows, scale), sys.stdout)
        print()
    else:
        counted = shown if isinstance(shown, FunctionTable) else None

        def show(value: int, unit: str) -> str:
            return make_printable(format_in_unit(scale(value), unit, arguments.unit))

        total = show(table.total, table.unit)
        print(*write_header(shown, name, chosen, total, arguments.compact_labels), sep="\n")
        if isinstance(profile, Profile) and arguments.sample_index is None:
            for line in write_other_types(profile, chosen):
                print(line)
        callers_of = chosen if arguments.callers else None
        print(*write_top(table, rows, show, counted, callers_of), sep="\n")
    return DONE


def _subtract(
    profile: Profile | FunctionTable, arguments: argparse.Namespace
) -> Profile | FunctionTable:
    """Return the profile minus the base that the command line names, if any."""
    if isinstance(profile, Profile):
        return subtract(profile, arguments)
    if arguments.base or arguments.diff_base or arguments.normalize:
        raise ContentError("files of functions without stacks cannot be subtracted")
    return profile


def _filter(
    profile: Profile | FunctionTable, filters: Filters, unit: str
) -> Profile | FunctionTable:
    if isinstance(profile, Profile):
        return filter_profile(profile, filters, unit)
    if filters != Filters():
        raise ContentError(
            f"a {profile.format_name} file has no stacks and no labels", "leave out the filters"
        )
    return profile
