"""``stackglass convert FILE -o OUT``: writes a profile, filtered if wanted, in another format."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import numpy as np

from stackglass.errors import UsageError
from stackglass.version import VERSION
from stackglass.wire.profile_file import STANDARD_OUTPUT, check_writable, write_file
from stackglass_viewer.commands.report import DONE, print_warnings
from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.graph.granularity import FUNCTIONS
from stackglass_viewer.model.memory_trace.lanes import list_slices, read_counter
from stackglass_viewer.model.memory_trace.opening import open_trace
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.profile.stack_filter import Filters
from stackglass_viewer.model.session.profile_file import write_profile_file
from stackglass_viewer.model.units import format_quantity, format_value
from stackglass_viewer.model.writers.callgrind import write_callgrind, write_table_callgrind
from stackglass_viewer.model.writers.chrome_trace import write_chrome_trace
from stackglass_viewer.model.writers.collapsed import write_collapsed
from stackglass_viewer.model.writers.csv_table import write_csv, write_table_csv
from stackglass_viewer.model.writers.firefox import write_firefox
from stackglass_viewer.model.writers.flame_page import write_flame_page
from stackglass_viewer.model.writers.flame_picture import (
    FlamePicture,
    PictureLook,
    make_pictures,
)
from stackglass_viewer.model.writers.flame_svg import write_flame_svg
from stackglass_viewer.model.writers.legacy_text import write_legacy_text
from stackglass_viewer.model.writers.pprof import write_pprof
from stackglass_viewer.model.writers.speedscope import write_speedscope
from stackglass_viewer.model.writers.timed_rows import THREAD_LABELS
from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.reports.arguments import (
    add_base_arguments,
    add_filter_arguments,
    add_row_arguments,
    add_source_arguments,
    read_filters,
)
from stackglass_viewer.reports.pprof_flags import parse as parse
from stackglass_viewer.reports.selection import Selection, name_rows, open_inputs, select
from stackglass_viewer.reports.trace_choice import (
    add_trace_arguments,
    check_traces,
    choose_profile,
    has_trace_choice,
)

_LOOK = PictureLook("#ffffff", "#1a1e26", "#14161a")  # light: a picture is printed or sent


class _Format(NamedTuple):
    endings: tuple[str, ...]  # of file names; they choose the format
    kept_labels: tuple[str, ...] | None  # keys of the labels that it can hold; None = all
    write: Callable[[Selection, list[TypeId], argparse.Namespace], bytes]
    needs_stack: bool = False  # it cannot hold samples without a stack


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


def _write_firefox(
    selection: Selection, _types: list[TypeId], arguments: argparse.Namespace
) -> bytes:
    shown = name_rows(selection.shown, arguments)
    return write_firefox(shown, selection.name, selection.sample_type, VERSION)


def _write_callgrind(
    selection: Selection, types: list[TypeId], arguments: argparse.Namespace
) -> bytes:
    return write_callgrind(name_rows(selection.shown, arguments), selection.name, types, VERSION)


def _write_text(
    selection: Selection, _types: list[TypeId], _arguments: argparse.Namespace
) -> bytes:
    return write_legacy_text(selection.shown, selection.sample_type)


def _write_svg(selection: Selection, types: list[TypeId], arguments: argparse.Namespace) -> bytes:
    pictures = _make_pictures(selection, types[:1], arguments)
    return write_flame_svg(pictures[0], selection.name, _describe(selection), _LOOK)


def _write_page(selection: Selection, types: list[TypeId], arguments: argparse.Namespace) -> bytes:
    pictures = _make_pictures(selection, types, arguments)
    return write_flame_page(pictures, selection.name, "", _LOOK)


def _make_pictures(
    selection: Selection, types: list[TypeId], arguments: argparse.Namespace
) -> list[FlamePicture]:
    palette = choose_palette("module", is_dark=False)
    return make_pictures(name_rows(selection.shown, arguments), types, palette)


def _describe(selection: Selection) -> str:
    """Return the line below a picture's title."""
    kind = selection.shown.sample_types[selection.sample_type]
    total = int(selection.shown.samples.values[selection.sample_type].sum())
    return f"{kind.name}, total {format_value(total, kind.unit)}"


def _write_session(
    selection: Selection, _types: list[TypeId], _arguments: argparse.Namespace
) -> bytes:
    return write_profile_file(selection.shown)


def _write_csv(selection: Selection, types: list[TypeId], arguments: argparse.Namespace) -> bytes:
    return write_csv(name_rows(selection.shown, arguments), types)


_SESSION = "session"
_FORMATS = {
    "pprof": _Format((".pb.gz", ".pprof"), None, _write_pprof),
    "collapsed": _Format((".collapsed", ".folded", ".txt"), (), _write_collapsed),
    "speedscope": _Format((".json",), THREAD_LABELS, _write_speedscope),
    "csv": _Format((".csv",), (), _write_csv),
    "firefox": _Format((".firefox.json",), THREAD_LABELS, _write_firefox, True),
    "callgrind": _Format((".callgrind",), (), _write_callgrind, True),
    "text": _Format((".pprof.txt",), None, _write_text),
    "svg": _Format((".svg",), (), _write_svg),
    "html": _Format((".html", ".htm"), (), _write_page),
    _SESSION: _Format((".sgm",), None, _write_session),
}
_TABLE_FORMATS: dict[str, Callable[[FunctionTable, str], bytes]] = {
    _SESSION: lambda table, _name: write_profile_file(table),
    "csv": lambda table, _name: write_table_csv(table),
    "callgrind": lambda table, name: write_table_callgrind(table, name, VERSION),
}
"""Formats for the tables of cProfile's and callgrind's files."""
_CHROME = "chrome"
_CHROME_ENDINGS = (".trace.json", ".perfetto.json")
"""Endings of lanes over time, which only a memory trace has."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.description = (
        "Write a profile, or the samples that pass the filters, in another format: pprof, with all "
        "that the profile holds; collapsed stacks or Firefox Profiler JSON, of one sample type; "
        "speedscope's JSON; callgrind's format; CSV, with flat and cum of each function; pprof's "
        "text from before protobuf, for heaps, contention and counts; a flame graph as SVG or as a "
        "web page; a session file, with all that pprof's has and the times of samples. The "
        "functions of cProfile's and callgrind's files can be written as CSV, in callgrind's "
        "format, or as a session file. A memory trace can also be written as Chrome's trace "
        "events, which Perfetto opens."
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
        choices=(*_FORMATS, _CHROME),
        help="the format (default: by the name of OUT: "
        + ", ".join(f"*{each.endings[0]}" for each in _FORMATS.values())
        + f", *{_CHROME_ENDINGS[0]})",
    )
    add_trace_arguments(parser)
    add_filter_arguments(parser)
    add_row_arguments(parser)
    add_base_arguments(parser)
    parser.set_defaults(unit="")


def run(arguments: argparse.Namespace) -> int:
    """Read, filter, write. Raises ContentError, RemoteError, SampleTypeError, PatternError,
    UsageError, OutputError."""
    to = arguments.to or _find_format(arguments.output)
    check_writable(arguments.output)
    if to == _CHROME:
        return _convert_lanes(arguments)
    form = _FORMATS[to]
    if has_trace_choice(arguments):
        check_traces(arguments.files)
    profile, name = open_inputs(arguments.files, choose_profile(arguments))
    if isinstance(profile, FunctionTable):
        return _convert_table(profile, name, to, arguments)
    try:
        selection = select(profile, name, arguments)
        shown = selection.shown
        print_warnings(shown.warnings)
        has_threads = to != "speedscope" or shown.times is not None
        _warn_of_labels(shown, form.kept_labels if has_threads else ())
        if form.needs_stack:
            _warn_of_stacks(shown)
        chosen = selection.sample_type
        types = [TypeId(each) for each in range(len(shown.sample_types)) if each != chosen]
        if arguments.sample_index is not None:
            types = []
        content = form.write(selection, [chosen, *types], arguments)
    except MemoryError:
        raise ContentError(f"there is not enough memory to convert {name}") from None
    write_file(arguments.output, content)
    if arguments.output != STANDARD_OUTPUT:
        print(f"{arguments.output}: {format_quantity(shown.n_samples, 'sample')}", file=sys.stderr)
    return DONE


def _warn_of_labels(shown: Profile, kept: tuple[str, ...] | None) -> None:
    keys = {shown.strings[key] for key in np.unique(shown.labels.key)}
    if kept is None or keys <= set(kept):
        return
    which = f"labels other than {', '.join(kept)}" if kept else "labels"
    print_warnings([f"{which} are left out; --tagroot KEY turns their values into calls"])


def _warn_of_stacks(shown: Profile) -> None:
    n = int(np.count_nonzero(np.diff(shown.samples.stack_start) == 0))
    if n:
        what = "1 sample without a stack is" if n == 1 else f"{n} samples without a stack are"
        print_warnings([f"{what} left out"])


def _convert_table(table: FunctionTable, name: str, to: str, arguments: argparse.Namespace) -> int:
    """Convert a table of functions without stacks, unfiltered."""
    if to not in _TABLE_FORMATS:
        raise ContentError(
            f"{name} is a {table.format_name} file, without the stacks that --to {to} writes",
            f"--to {_SESSION} and --to callgrind write what it has, --to csv its functions; "
            "stackglass top --callers prints both",
        )
    if _has_choice(arguments):
        raise ContentError(
            f"{name} is a {table.format_name} file, which is converted whole",
            "leave out filters, bases, --granularity and --sample-index",
        )
    print_warnings(table.warnings)
    write_file(arguments.output, _TABLE_FORMATS[to](table, name))
    if arguments.output != STANDARD_OUTPUT:
        print(f"{arguments.output}: {table.n_functions} functions", file=sys.stderr)
    return DONE


def _has_choice(arguments: argparse.Namespace) -> bool:
    """Whether an option chooses a part of a profile, or its rows."""
    has_base = arguments.base or arguments.diff_base or arguments.normalize
    has_rows = arguments.granularity != FUNCTIONS
    has_filter = arguments.sample_index is not None or read_filters(arguments) != Filters()
    return bool(has_base or has_rows or has_filter)


def _convert_lanes(arguments: argparse.Namespace) -> int:
    """Write the threads of a memory trace as lanes, with its memory over time, for Perfetto."""
    check_traces(arguments.files)
    if len(arguments.files) != 1:
        raise UsageError("lanes are of one memory trace", "name one file")
    if _has_choice(arguments) or has_trace_choice(arguments):
        raise UsageError(
            "lanes are of a whole memory trace",
            "leave out moments, spans, filters, bases, --granularity and --sample-index",
        )
    trace = open_trace(arguments.files[0])
    try:
        print_warnings(trace.warnings)
        slices, counter = list_slices(trace), read_counter(trace)
        values = zip(counter.time_ns, counter.live_bytes, counter.live_objects, strict=True)
        steps = ((at, {"live bytes": size, "live objects": n}) for at, size, n in values)
        name = trace.info.program or trace.name
        content = write_chrome_trace(name, slices, steps, trace.names.threads)
    except MemoryError:
        raise ContentError(f"there is not enough memory to convert {trace.name}") from None
    finally:
        trace.close()
    write_file(arguments.output, content)
    if arguments.output != STANDARD_OUTPUT:
        print(f"{arguments.output}: {len(slices)} slices", file=sys.stderr)
    return DONE


def _find_format(output: str) -> str:
    endings = {ending: name for name, form in _FORMATS.items() for ending in form.endings}
    endings |= dict.fromkeys(_CHROME_ENDINGS, _CHROME)
    for ending in sorted(endings, key=len, reverse=True):  # .firefox.json before .json
        if Path(output).name.lower().endswith(ending):
            return endings[ending]
    raise UsageError(
        f"the name {output} does not say which format",
        f"add --to {', '.join((*_FORMATS, _CHROME))}",
    )
