"""The common part of commands that report on a file with stacks: read, filter, print."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable
from itertools import chain, islice
from typing import Any

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.reports.amounts import Amounts, measure
from stackglass_viewer.reports.header import describe_header, write_header
from stackglass_viewer.reports.selection import Selection, open_stacks, select

DONE = 0
_LINES_AT_A_TIME = 4096

Describe = Callable[[Selection, Amounts, argparse.Namespace], dict[str, Any]]
"""A report for JSON, without its header."""

Write = Callable[[Selection, Amounts, argparse.Namespace], Iterable[str]]
"""A report as lines, without its header."""


def print_report(
    arguments: argparse.Namespace, command: str, describe: Describe, write: Write
) -> int:
    """Read the files, filter, print the report as text or JSON. Returns the exit status.

    Raises ContentError, RemoteError, SampleTypeError, PatternError.
    """
    profile, name = open_stacks(arguments.files, command)
    try:
        selection = select(profile, name, arguments)
        del profile  # free it: the filtered profile may be much smaller
        print_warnings(selection.shown.warnings)
        amounts = measure(selection, arguments)
        if arguments.json:
            document = describe(selection, amounts, arguments)
            print(json.dumps(_describe_header(selection, amounts) | document))
        else:
            body = iter(write(selection, amounts, arguments))
            begin = list(islice(body, 1))  # an error here comes before the header is printed
            header = _write_header(selection, amounts, arguments.compact_labels)
            _print_lines(chain(header, begin, body))
    except MemoryError:
        raise ContentError(f"there is not enough memory to add up {name}") from None
    return DONE


def print_warnings(warnings: Iterable[str]) -> None:
    """Print warnings on standard error."""
    for warning in warnings:
        print(f"stackglass: warning: {make_printable(warning)}", file=sys.stderr)


def _describe_header(selection: Selection, amounts: Amounts) -> dict[str, Any]:
    return describe_header(
        selection.shown,
        selection.name,
        selection.sample_type,
        amounts.unit,
        amounts.scale(amounts.total),
    )


def _write_header(selection: Selection, amounts: Amounts, is_compact: bool) -> Iterable[str]:
    total = amounts.show(amounts.total)
    return write_header(selection.shown, selection.name, selection.sample_type, total, is_compact)


def _print_lines(lines: Iterable[str]) -> None:
    iterator = iter(lines)
    while piece := list(islice(iterator, _LINES_AT_A_TIME)):
        print(*piece, sep="\n")
