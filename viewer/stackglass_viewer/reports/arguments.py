"""Options that choose the part of a profile to report and its form, with pprof's names."""

from __future__ import annotations

import argparse
import math
from dataclasses import fields

from stackglass_viewer.model.graph.granularity import FUNCTIONS, GRANULARITIES
from stackglass_viewer.model.profile.stack_filter import Filters

_PATTERNS = {
    "focus": "only samples with a matching frame: function, file or library",
    "ignore": "only samples without a matching frame",
    "hide": "leave out matching frames",
    "show": "only matching frames",
    "show_from": "what is called by the first matching frame, seen from the root",
    "prune_from": "leave out what matching functions call",
}
_TAGS = {
    "tagfocus": ("KEY=REGEX", "only samples with a matching label: wait=socket, bytes=1kb:64kb"),
    "tagignore": ("KEY=REGEX", "only samples without a matching label: wait=."),
    "tagshow": ("REGEX", "only labels with a matching key"),
    "taghide": ("REGEX", "leave out labels with a matching key"),
    "tagroot": ("KEY,KEY", "the values of these labels as the outermost calls"),
    "tagleaf": ("KEY,KEY", "the values of these labels as the innermost calls"),
}


def add_report_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options that every report has."""
    add_file_arguments(parser)
    add_filter_arguments(parser)
    add_value_arguments(parser)
    add_base_arguments(parser)


def add_source_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the files, and the option for the sample type."""
    parser.add_argument(
        "files",
        nargs="+",
        metavar="FILE|URL",
        help="a profile; - reads standard input; http://HOST/debug/pprof/heap fetches it from a "
        "server; several of one kind are added up",
    )
    add_type_arguments(parser)


def add_type_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the option for the sample type."""
    parser.add_argument(
        *_spell("sample_index"),
        "--profile",
        dest="sample_index",
        metavar="NAME|N",
        help="sample type to show, by name or number (default: the profile's own)",
    )


def add_file_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the files, the sample type, and the form of the report."""
    add_source_arguments(parser)
    parser.add_argument("--json", action="store_true", help="exact numbers, as JSON")
    parser.add_argument(
        *_spell("compact_labels"),
        dest="compact_labels",
        action="store_true",
        help="above the report, print only the sample type and the total",
    )


def add_filter_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the filters."""
    group = parser.add_argument_group("filters, as in pprof (patterns are RE2's)")
    options = {name: ("REGEX", text) for name, text in _PATTERNS.items()} | _TAGS
    for name, (metavar, text) in options.items():
        group.add_argument(*_spell(name), dest=name, default="", metavar=metavar, help=text)
    group.add_argument(
        "--noinlines",
        action="store_true",
        help="count inlined calls as the function that they were inlined into",
    )
    group.add_argument(
        *_spell("relative_percentages"),
        dest="relative_percentages",
        action="store_true",
        help="shares of what passes the filters, not of the whole",
    )


def add_row_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options for what a row stands for."""
    group = parser.add_argument_group("rows, as in pprof")
    group.add_argument(
        "--granularity",
        choices=GRANULARITIES,
        default=FUNCTIONS,
        help="what a row stands for (default: functions)",
    )
    group.add_argument(
        *("--showcolumns", "--show-columns"),
        dest="showcolumns",
        action="store_true",
        help="if rows are lines, a row for each column of a line",
    )
    group.add_argument(
        *_spell("trim_path"),
        dest="trim_path",
        default="",
        metavar="PATH:PATH",
        help="beginnings to leave out of the paths of source files",
    )
    group.add_argument(
        *_spell("source_path"),
        dest="source_path",
        default="",
        metavar="PATH:PATH",
        help="folders to search for source files (without --trim-path, a path begins "
        "after such a folder's name)",
    )


def add_value_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options for what a row stands for, and for how values are shown."""
    add_row_arguments(parser)
    group = parser.add_argument_group("values, as in pprof")
    group.add_argument(
        "--mean", action="store_true", help="values divided by those of the first sample type"
    )
    group.add_argument(
        *_spell("divide_by"),
        dest="divide_by",
        type=_parse_divisor,
        default=1.0,
        metavar="N",
        help="values divided by N",
    )
    group.add_argument(
        "--unit",
        default="",
        metavar="UNIT",
        help="values in this unit: ms, mb (default: what fits)",
    )


def add_trim_arguments(
    parser: argparse.ArgumentParser,
    max_rows: int = 0,
    node_fraction: float = 0.0,
    edge_fraction: float | None = None,
) -> None:
    """Declare the options that leave out rows, with their defaults. ``edge_fraction`` None:
    the report has no callers that could be left out."""
    group = parser.add_argument_group("which rows, as in pprof")
    group.add_argument(
        "--cum", action="store_true", help="sort by cumulative value: functions with their callees"
    )
    group.add_argument(
        "--sort",
        dest="cum",
        type=_parse_order,
        metavar="cum|flat",
        help="sort by cum or flat, as in pprof",
    )
    default = "%(default)s" if max_rows else "all"
    group.add_argument(
        "--nodecount",
        *(() if edge_fraction is None else ("-n", "--rows")),
        dest="nodecount",
        type=lambda text: _parse_count(text, max_rows),
        default=max_rows,
        metavar="N",
        help=f"only the N largest rows, chosen as pprof does; 0 = all (default: {default})",
    )
    group.add_argument(
        "--nodefraction",
        type=_parse_fraction,
        default=node_fraction,
        metavar="F",
        help="leave out rows with less than this share: 0.005 (default: %(default)s)",
    )
    if edge_fraction is not None:
        group.add_argument(
            "--edgefraction",
            type=_parse_fraction,
            default=edge_fraction,
            metavar="F",
            help="leave out callers and callees with less than this share (default: %(default)s)",
        )
    else:
        parser.set_defaults(edgefraction=0.0)
    group.add_argument(
        "--no-trim", "--trim=false", dest="trim", action="store_false", help="all rows"
    )
    group.add_argument(
        *_spell("drop_negative"),
        dest="drop_negative",
        action="store_true",
        help="leave out rows below zero",
    )


def add_base_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options for the base that is subtracted."""
    group = parser.add_argument_group("differences, as in pprof")
    one = group.add_mutually_exclusive_group()
    one.add_argument(
        "--base",
        action="append",
        default=[],
        metavar="FILE",
        help="subtract a profile; several are added up",
    )
    one.add_argument(
        *_spell("diff_base"),
        dest="diff_base",
        action="append",
        default=[],
        metavar="FILE",
        help="subtract a profile; shares are of it",
    )
    group.add_argument(
        "--normalize", action="store_true", help="scale to the sums of the base first"
    )


def _parse_divisor(text: str) -> float:
    divisor = _parse_number(text)
    if not divisor > 0:
        raise argparse.ArgumentTypeError("must be greater than 0")
    return divisor


def parse_percent(text: str) -> float:
    """Parse ``5%`` or ``5``. Raises ArgumentTypeError."""
    percent = _parse_number(text.removesuffix("%"))
    if not 0 <= percent < float("inf"):
        raise argparse.ArgumentTypeError("must be at least 0%")
    return percent


def _parse_count(text: str, default: int) -> int:
    """Parse a count. A negative one is the default, as in pprof."""
    try:
        count = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
    return count if count >= 0 else default


def _parse_number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number") from None


def _parse_fraction(text: str) -> float:
    fraction = _parse_number(text)
    if not math.isfinite(fraction):
        raise argparse.ArgumentTypeError(f"{text!r} is not a share such as 0.005")
    return fraction


def _parse_order(text: str) -> bool:
    """Parse pprof's ``sort=cum`` or ``sort=flat``; returns whether it is cum."""
    if text not in ("cum", "flat"):
        raise argparse.ArgumentTypeError(f"{text!r} is neither cum nor flat")
    return text == "cum"


def read_filters(arguments: argparse.Namespace) -> Filters:
    """Return the filters that the options choose."""
    return Filters(**{field.name: getattr(arguments, field.name) for field in fields(Filters)})


def _spell(name: str) -> list[str]:
    """Return the spellings of an option, with hyphens and as in pprof with underscores."""
    return list(dict.fromkeys([f"--{name.replace('_', '-')}", f"--{name}"]))
