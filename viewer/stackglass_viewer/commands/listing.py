"""``stackglass list FILE REGEX``: functions line by line, with what each line costs."""

from __future__ import annotations

import argparse

from stackglass_viewer.commands.report import print_report
from stackglass_viewer.reports.arguments import add_report_arguments
from stackglass_viewer.reports.listing import describe_listing, write_listing
from stackglass_viewer.reports.pprof_flags import add_unused_arguments
from stackglass_viewer.reports.pprof_flags import parse as parse


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Print the functions that match line by line, with what each line costs, and its source if "
        "the file is here."
    )
    add_report_arguments(parser)
    add_unused_arguments(
        parser, "nodecount", "nodefraction", "edgefraction", "no_trim", "cum", "drop_negative"
    )
    parser.add_argument("regex", metavar="REGEX", help="which functions; RE2, as in filters")


def run(arguments: argparse.Namespace) -> int:
    """Read the files, add them up, print the report. Returns the exit code.

    Raises ContentError, RemoteError, SampleTypeError, PatternError.
    """
    return print_report(arguments, "list", describe_listing, write_listing)
