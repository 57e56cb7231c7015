"""``stackglass raw FILE``: prints all rows of a profile: samples, locations, mapped files."""

from __future__ import annotations

import argparse

from stackglass_viewer.commands.report import print_report
from stackglass_viewer.reports.arguments import add_report_arguments
from stackglass_viewer.reports.pprof_flags import add_unused_arguments
from stackglass_viewer.reports.pprof_flags import parse as parse
from stackglass_viewer.reports.raw import describe_raw, write_raw


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Print all that a profile holds: samples, locations, mapped files."
    add_report_arguments(parser)
    add_unused_arguments(
        parser, "nodecount", "nodefraction", "edgefraction", "no_trim", "cum", "drop_negative"
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, print. Raises ContentError, RemoteError, SampleTypeError, PatternError."""
    return print_report(arguments, "raw", describe_raw, write_raw)
