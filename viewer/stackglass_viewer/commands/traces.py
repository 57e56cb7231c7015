"""``stackglass traces FILE``: every sample of a profile, with its labels, value and stack."""

from __future__ import annotations

import argparse

from stackglass_viewer.commands.report import print_report
from stackglass_viewer.reports.arguments import add_report_arguments
from stackglass_viewer.reports.pprof_flags import add_unused_arguments
from stackglass_viewer.reports.pprof_flags import parse as parse
from stackglass_viewer.reports.traces import describe_traces, write_traces


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Print each sample of a profile: its labels, its value, its stack."
    add_report_arguments(parser)
    add_unused_arguments(
        parser, "nodecount", "nodefraction", "edgefraction", "no_trim", "cum", "drop_negative"
    )


def run(arguments: argparse.Namespace) -> int:
    """Read, print. Raises ContentError, RemoteError, SampleTypeError, PatternError."""
    return print_report(arguments, "traces", describe_traces, write_traces)
