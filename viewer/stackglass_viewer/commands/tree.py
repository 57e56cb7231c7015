"""``stackglass tree FILE``: the call graph of a profile, each function with callers and callees."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from stackglass_viewer.commands.report import print_report
from stackglass_viewer.reports.amounts import Amounts
from stackglass_viewer.reports.arguments import add_report_arguments, add_trim_arguments
from stackglass_viewer.reports.call_nodes import sum_nodes
from stackglass_viewer.reports.call_text import describe_nodes, write_nodes
from stackglass_viewer.reports.node_choice import read_trim
from stackglass_viewer.reports.pprof_flags import parse as parse
from stackglass_viewer.reports.selection import Selection

_MAX_NODES, _NODE_FRACTION, _EDGE_FRACTION = 80, 0.005, 0.001  # pprof's defaults


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = "Print a profile's functions, each with its callers and callees."
    add_report_arguments(parser)
    add_trim_arguments(parser, _MAX_NODES, _NODE_FRACTION, _EDGE_FRACTION)


def run(arguments: argparse.Namespace) -> int:
    """Read the files, add them up, print the report. Returns the exit code.

    Raises ContentError, RemoteError, SampleTypeError, PatternError.
    """
    return print_report(arguments, "tree", _describe, _write)


def _describe(
    selection: Selection, amounts: Amounts, arguments: argparse.Namespace
) -> dict[str, Any]:
    found = sum_nodes(selection, amounts, arguments, read_trim(arguments))
    return {"n_found": found.n_found, "rows": describe_nodes(found.nodes, amounts)}


def _write(selection: Selection, amounts: Amounts, arguments: argparse.Namespace) -> Iterator[str]:
    found = sum_nodes(selection, amounts, arguments, read_trim(arguments))
    if len(found.nodes) < found.n_found:
        yield f"Shown: {len(found.nodes)} of {found.n_found} rows; --no-trim shows all"
    yield from write_nodes(found.nodes, amounts)
