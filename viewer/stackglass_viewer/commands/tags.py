"""``stackglass tags FILE``: the labels of a profile's samples, and what each value costs."""

from __future__ import annotations

import argparse

from stackglass_viewer.commands.report import print_report
from stackglass_viewer.reports.arguments import add_report_arguments
from stackglass_viewer.reports.pprof_flags import add_unused_arguments
from stackglass_viewer.reports.pprof_flags import parse as parse
from stackglass_viewer.reports.tags import describe_tags, write_tags


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Print the labels of a profile's samples: each key, and its values."
    add_report_arguments(parser)
    add_unused_arguments(
        parser, "nodecount", "nodefraction", "edgefraction", "no_trim", "cum", "drop_negative"
    )


def run(arguments: argparse.Namespace) -> int:
    """Read the files, add them up, print the report. Returns the exit code.

    Raises ContentError, RemoteError, SampleTypeError, PatternError.
    """
    return print_report(arguments, "tags", describe_tags, write_tags)
