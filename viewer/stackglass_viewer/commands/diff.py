"""``stackglass diff BEFORE AFTER``: prints changes, and in CI fails if a value grew too much."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence

from stackglass.errors import UsageError
from stackglass_viewer.commands.report import DONE, print_warnings
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.graph.granularity import FUNCTIONS
from stackglass_viewer.model.graph.top import TopTable, build_function_top
from stackglass_viewer.model.profile.comparison import cover_other_times, say_period
from stackglass_viewer.model.profile.go_contention import check_contention
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.profile.profile_sum import normalize
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.profile.sample_types import choose_first
from stackglass_viewer.model.profile.stack_filter import Filters, filter_profile
from stackglass_viewer.model.units import format_value, make_printable
from stackglass_viewer.reports.arguments import (
    add_filter_arguments,
    add_row_arguments,
    add_type_arguments,
    parse_percent,
    read_filters,
)
from stackglass_viewer.reports.change_table import (
    Change,
    ChangeTable,
    compare,
    find_growth,
    has_total_grown,
)
from stackglass_viewer.reports.change_text import describe_changes, format_growth, write_changes
from stackglass_viewer.reports.pprof_flags import parse as parse
from stackglass_viewer.reports.selection import choose_type, open_input
from stackglass_viewer.reports.top_table import tabulate
from stackglass_viewer.reports.top_values import format_in_unit

GREW = 5
"""Exit status: something grew by more than --fail-above allows."""

_MAX_NAMED = 10  # functions that grew, on standard error


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Print what changed from one profile to another, the largest change first. Shares are of "
        "the total before."
    )
    parser.add_argument("before", metavar="BEFORE", help="a profile; - reads standard input")
    parser.add_argument("after", metavar="AFTER", help="a later profile of the same kind; or -")
    add_type_arguments(parser)
    parser.add_argument("--json", action="store_true", help="exact numbers, as JSON")
    parser.add_argument("--cum", action="store_true", help="sort by the change of cum")
    parser.add_argument(
        "-n", "--rows", type=int, default=0, metavar="N", help="only the first N rows"
    )
    parser.add_argument(
        "--fail-above",
        type=parse_percent,
        metavar="PERCENT",
        help="exit with status 5 if the total, or a function with its callees, grew by more than "
        "this share of the total before: 5%%",
    )
    parser.add_argument(
        "--normalize",
        action="store_true",
        help="scale AFTER to the total of BEFORE first: shares are compared, not amounts",
    )
    parser.add_argument("--unit", default="", metavar="UNIT", help="values in this unit: ms, mb")
    add_filter_arguments(parser)
    add_row_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read both files, compare them, print. Returns the exit status: ``DONE`` or ``GREW``.

    Raises ContentError, RemoteError, SampleTypeError, PatternError, UsageError.
    """
    if arguments.before == "-" == arguments.after:
        raise UsageError("only one of two profiles can be standard input", "name a file for one")
    (before, before_name), (after, after_name) = map(
        open_input, (arguments.before, arguments.after)
    )
    try:
        chosen = _check_kinds(before, after, arguments)
        if arguments.normalize:
            after = _normalize(before, after)
        tables = [_tabulate(each, chosen, arguments) for each in (before, after)]
        has_places = isinstance(after, FunctionTable)
        table = compare(*tables, has_places=has_places, is_by_cum=arguments.cum)
    except MemoryError:
        raise ContentError(
            f"there is not enough memory to compare {before_name} and {after_name}"
        ) from None
    kind = before.sample_types[chosen].name
    if arguments.json:
        _print_json(table, (before_name, after_name), kind, arguments)
    else:
        _print_text(table, (before_name, after_name), kind, arguments)
    return _choose_status(table, arguments.fail_above)


def _print_json(
    table: ChangeTable, names: tuple[str, str], kind: str, arguments: argparse.Namespace
) -> None:
    limit = arguments.fail_above
    grown = [] if limit is None else find_growth(table, limit)
    document = {
        "before": {"file": names[0], "total": table.total_before},
        "after": {"file": names[1], "total": table.total_after},
        "sample_index": kind,
        "unit": table.unit,
        "fail_above_percent": limit,
        "has_grown": bool(grown) or (limit is not None and has_total_grown(table, limit)),
        "grown": [each.name for each in grown],
        "rows": describe_changes(_cut(table, arguments)),
    }
    print(json.dumps(document))


def _print_text(
    table: ChangeTable, names: tuple[str, str], kind: str, arguments: argparse.Namespace
) -> None:
    def show(value: int) -> str:
        return make_printable(format_in_unit(value, table.unit, arguments.unit))

    print(make_printable(f"Before: {names[0]}   Total: {show(table.total_before)}"))
    print(make_printable(f"After: {names[1]}   Total: {show(table.total_after)}"))
    change = table.total_after - table.total_before
    share = format_growth(change, table.total_before)
    print(make_printable(f"Type: {kind}   Change: {show(change)} ({share})"))
    print(*write_changes(table, _cut(table, arguments), show), sep="\n")


def _cut(table: ChangeTable, arguments: argparse.Namespace) -> Sequence[Change]:
    return table.rows[: arguments.rows] if arguments.rows > 0 else table.rows


def _choose_status(table: ChangeTable, limit_percent: float | None) -> int:
    """Return the exit status, and name on standard error what grew by more than the limit."""
    if limit_percent is None:
        return DONE
    whole, grown = table.total_before, find_growth(table, limit_percent)
    lines = []
    if has_total_grown(table, limit_percent):
        lines.append(f"the total grew {_describe_growth(table.total_after - whole, whole)}")
    grown.sort(key=lambda each: -each.cum)
    lines += [
        f"{each.name} grew {_describe_growth(each.cum, whole)}" for each in grown[:_MAX_NAMED]
    ]
    if len(grown) > _MAX_NAMED:
        lines.append(f"and {len(grown) - _MAX_NAMED} more functions")
    for line in lines:
        print(make_printable(f"stackglass: {line}"), file=sys.stderr)
    if not lines:
        return DONE
    print(
        f"stackglass: --fail-above allows {limit_percent:g}% of the total before", file=sys.stderr
    )
    return GREW


def _check_kinds(
    before: Profile | FunctionTable,
    after: Profile | FunctionTable,
    arguments: argparse.Namespace,
) -> TypeId:
    """Return the sample type to compare. Raises ContentError if the profiles cannot be compared."""
    if isinstance(before, Profile) != isinstance(after, Profile):
        raise ContentError(
            "one profile has stacks, and the other only functions", "compare profiles of one kind"
        )
    if before.sample_types != after.sample_types:
        first, second = (
            ", ".join(f"{kind.name} ({kind.unit})" for kind in each.sample_types)
            for each in (before, after)
        )
        raise ContentError(f"the profiles have different sample types: {first}; {second}")
    chosen = choose_type(before, arguments.sample_index)
    if isinstance(before, Profile) and isinstance(after, Profile):
        if arguments.sample_index is None:
            chosen = choose_first(before, after)
        check_contention(before, after)
        _check_periods(before, after, chosen, is_scaled=arguments.normalize)
        if not arguments.normalize:
            print_warnings(_compare_durations(before, after, before.sample_types[chosen]))
    return chosen


def _compare_durations(before: Profile, after: Profile, kind: SampleType) -> Iterator[str]:
    """Yield a warning if one profile covers more time, and the type adds up over time."""
    if cover_other_times(before, after, (kind,)):
        durations = [format_value(each.duration_ns, "nanoseconds") for each in (before, after)]
        yield f"the profiles cover {durations[0]} and {durations[1]}; --normalize compares shares"


def _check_periods(before: Profile, after: Profile, chosen: TypeId, *, is_scaled: bool) -> None:
    """Raise ContentError if numbers of samples are compared that were taken at different rates, or
    if the events sampled differ. Times and bytes do not depend on the rate."""
    kind, types = before.sample_types[chosen], (before.period_type, after.period_type)
    is_number_of_samples = kind.unit == "count" and kind.name == "samples"
    if types[0] != types[1]:
        raise ContentError("the profiles were sampled by different events")
    if is_number_of_samples and before.period != after.period and not is_scaled:
        raise ContentError(
            f"{kind.name} were taken every {say_period(before)} and every {say_period(after)}",
            "choose another --sample-index, or --normalize",
        )


def _normalize(
    before: Profile | FunctionTable, after: Profile | FunctionTable
) -> Profile | FunctionTable:
    if isinstance(before, FunctionTable) or isinstance(after, FunctionTable):
        raise ContentError("files of functions without stacks cannot be scaled")
    return normalize(after, before)


def _tabulate(
    profile: Profile | FunctionTable, chosen: TypeId, arguments: argparse.Namespace
) -> TopTable:
    filters = read_filters(arguments)
    if isinstance(profile, FunctionTable):
        if filters != Filters() or arguments.granularity != FUNCTIONS:
            raise ContentError(
                f"a {profile.format_name} file has no stacks and no labels",
                "leave out the filters and --granularity",
            )
        print_warnings(profile.warnings)
        return build_function_top(profile, chosen)
    shown = filter_profile(profile, filters, arguments.unit)
    print_warnings(shown.warnings)
    whole = shown if arguments.relative_percentages else profile
    return tabulate(whole, shown, chosen, arguments)


def _describe_growth(change: int, whole: int) -> str:
    return f"by {format_growth(change, whole)}" if whole else "from nothing"
