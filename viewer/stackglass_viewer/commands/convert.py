"""``stackglass convert FILE -o OUT``: what of a profile passes filters, in another format."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from stackglass.errors import UsageError
from stackglass.version import VERSION
from stackglass.wire.profile_file import STANDARD_OUTPUT, check_writable, write_file
from stackglass_viewer.commands.report import DONE, print_warnings
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.errors import ProfileError
from stackglass_viewer.model.writers.collapsed import write_collapsed
from stackglass_viewer.model.writers.csv_table import write_csv
from stackglass_viewer.model.writers.pprof import write_pprof
from stackglass_viewer.model.writers.speedscope import write_speedscope
from stackglass_viewer.reports.arguments import (
    add_base_arguments,
    add_filter_arguments,
    add_row_arguments,
    add_source_arguments,
)
from stackglass_viewer.reports.selection import Selection, name_rows, open_stacks, select


class _Format(NamedTuple):
    endings: tuple[str, ...]  # of a file's name
    has_labels: bool
    write: Callable[[Selection, list[TypeId], argparse.Namespace], bytes]


def _write_pprof(
    selection: Selection, _types: list[TypeId], _arguments: argparse.Namespace
) -> bytes:
    return write_pprof(selection.shown)


def _write_collapsed(
    selection: Selection, _types: list[TypeId], arguments: argparse.Namespace
) -> bytes:
    return write_collapsed(name_rows(selection.shown, arguments), selection.sample_type)


def _write_speedscope(
    selection: Selection, types: list[TypeId], arguments: argparse.Namespace
) -> bytes:
    return write_speedscope(name_rows(selection.shown, arguments), selection.name, types, VERSION)


def _write_csv(selection: Selection, types: list[TypeId], arguments: argparse.Namespace) -> bytes:
    return write_csv(name_rows(selection.shown, arguments), types)


_FORMATS = {
    "pprof": _Format((".pb.gz", ".pprof"), True, _write_pprof),
    "collapsed": _Format((".collapsed", ".folded", ".txt"), False, _write_collapsed),
    "speedscope": _Format((".json",), False, _write_speedscope),
    "csv": _Format((".csv",), False, _write_csv),
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Write a profile, or what of it passes the filters, in another format: pprof with all that "
        "it holds; collapsed stacks, of one sample type; speedscope's JSON; CSV, with flat and cum "
        "of each function."
    )
    add_source_arguments(parser)
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        metavar="OUT",
        help="the file to write; - is standard output",
    )
    parser.add_argument(
        "--to",
        choices=_FORMATS,
        help="the format (default: by the name of OUT: "
        + ", ".join(f"*{each.endings[0]}" for each in _FORMATS.values())
        + ")",
    )
    add_filter_arguments(parser)
    add_row_arguments(parser)
    add_base_arguments(parser)
    parser.set_defaults(unit="")


def run(arguments: argparse.Namespace) -> int:
    """Read, filter, write. Raises ProfileError, SampleTypeError, PatternError, UsageError,
    OutputError."""
    form = _FORMATS[arguments.to or _find_format(arguments.output)]
    check_writable(arguments.output)
    profile, name = open_stacks(arguments.file, "convert")
    try:
        selection = select(profile, name, arguments)
        shown = selection.shown
        print_warnings(shown.warnings)
        if len(shown.labels.sample) and not form.has_labels:
            print_warnings(["labels are left out; --tagroot KEY makes their values calls"])
        chosen = selection.sample_type
        types = [TypeId(each) for each in range(len(shown.sample_types)) if each != chosen]
        if arguments.sample_index is not None:
            types = []
        content = form.write(selection, [chosen, *types], arguments)
    except MemoryError:
        raise ProfileError(f"there is not enough memory to convert {name}") from None
    write_file(arguments.output, content)
    if arguments.output != STANDARD_OUTPUT:
        print(f"{arguments.output}: {shown.n_samples} samples", file=sys.stderr)
    return DONE


def _find_format(output: str) -> str:
    for name, form in _FORMATS.items():
        if Path(output).name.endswith(form.endings):
            return name
    raise UsageError(
        f"the name {output} does not say which format", f"add --to {', '.join(_FORMATS)}"
    )
