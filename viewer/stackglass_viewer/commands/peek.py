"""``stackglass peek FILE REGEX``: callers and callees of the functions that match."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from stackglass_viewer.commands.report import print_report
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.patterns import compile_pattern
from stackglass_viewer.reports.amounts import Amounts
from stackglass_viewer.reports.arguments import add_report_arguments
from stackglass_viewer.reports.call_nodes import Node, sum_nodes
from stackglass_viewer.reports.call_text import describe_nodes, write_nodes
from stackglass_viewer.reports.node_choice import Trim
from stackglass_viewer.reports.pprof_flags import add_unused_arguments
from stackglass_viewer.reports.pprof_flags import parse as parse
from stackglass_viewer.reports.selection import Selection


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Print the callers and callees of the functions that match."
    add_report_arguments(parser)
    add_unused_arguments(parser, "nodecount", "nodefraction", "edgefraction", "no_trim")
    parser.add_argument("regex", metavar="REGEX", help="which functions; RE2, as in filters")
    parser.add_argument("--cum", action="store_true", help="sort by cumulative value")
    parser.add_argument(
        "--drop-negative",
        "--drop_negative",
        dest="drop_negative",
        action="store_true",
        help="leave out functions below zero",
    )


def run(arguments: argparse.Namespace) -> int:
    """Read the files, add them up, print the report. Returns the exit code.

    Raises ContentError, RemoteError, SampleTypeError, PatternError.
    """
    return print_report(arguments, "peek", _describe, _write)


def _describe(
    selection: Selection, amounts: Amounts, arguments: argparse.Namespace
) -> dict[str, Any]:
    return {"rows": describe_nodes(_find(selection, amounts, arguments), amounts)}


def _write(selection: Selection, amounts: Amounts, arguments: argparse.Namespace) -> Iterator[str]:
    return write_nodes(_find(selection, amounts, arguments), amounts)


def _find(selection: Selection, amounts: Amounts, arguments: argparse.Namespace) -> list[Node]:
    matches = compile_pattern(arguments.regex)
    trim = Trim(drop_negative=arguments.drop_negative, is_by_cum=arguments.cum)
    nodes = sum_nodes(selection, amounts, arguments, trim, matches).nodes
    if not nodes:
        raise ContentError(
            f"no function of {selection.name} matches {arguments.regex!r}",
            "stackglass top lists the names",
        )
    return nodes
