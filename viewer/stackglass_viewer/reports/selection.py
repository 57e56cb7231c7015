"""Selection of a command: a file or a server's profile, less its base, after its filters."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.errors import ContentError, RemoteError
from stackglass_viewer.model.graph.granularity import name_by_granularity
from stackglass_viewer.model.memory_trace import any_file
from stackglass_viewer.model.memory_trace.trace_profiles import profile_peak
from stackglass_viewer.model.profile.file_sum import sum_files
from stackglass_viewer.model.profile.numeric_labels import find_units
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.profile_sum import subtract_base
from stackglass_viewer.model.profile.pstats_table import FunctionTable
from stackglass_viewer.model.profile.sample_types import choose_first, find_type
from stackglass_viewer.model.profile.stack_filter import filter_profile
from stackglass_viewer.model.readers.opener import open_stream
from stackglass_viewer.model.remote.address import parse_address
from stackglass_viewer.model.remote.reading import fetch_profile
from stackglass_viewer.reports.arguments import read_filters

_STDIN = "standard input"


@dataclass(frozen=True, slots=True, eq=False)
class Selection:
    """The profile of a report. Rows are of ``shown``, and shares are of ``whole``."""

    name: str  # the file's name
    whole: Profile
    shown: Profile
    sample_type: TypeId
    units: Mapping[str, str]  # of numeric labels, by key; from the profile before its filters


def open_input(
    file: str, take: any_file.TakeProfile = profile_peak
) -> tuple[Profile | FunctionTable, str]:
    """Return a profile, and the name of its file. ``-`` is standard input, and a URL a server's
    profile. ``take`` chooses the profile of a memory trace. Raises ContentError, RemoteError."""
    if "://" in file and not os.path.exists(file):
        return _fetch(file)
    if file != "-":
        return any_file.open_file(file, take=take), Path(file).name
    if sys.stdin is None:  # its descriptor was closed from the start
        raise ContentError("standard input is closed", "put a file's name in place of -")
    if sys.stdin.isatty():
        raise ContentError("standard input is a terminal", "put a file's name in place of -")
    return open_stream(sys.stdin.buffer, _STDIN), _STDIN


def _fetch(url: str) -> tuple[Profile | FunctionTable, str]:
    """Fetch a profile; blocks as long as the server records. Raises ContentError, RemoteError."""
    address = parse_address(url)
    if not address.profile:
        raise RemoteError(
            f"{address.url} is the list of a server's profiles",
            f"name one: {address.url}heap, or {address.url}profile?seconds=5",
        )
    if address.recorded_s and sys.stderr.isatty():
        sys.stderr.write(f"stackglass: {address.host_text} records {address.recorded_s} s\n")
    fetched = fetch_profile(address, lambda: False, lambda _share: None)
    return fetched.content, f"{address.profile} of {address.host_text}"


def open_inputs(
    files: Sequence[str], take: any_file.TakeProfile = profile_peak
) -> tuple[Profile | FunctionTable, str]:
    """Return a profile, or the sum of several, and its name. Raises ContentError, RemoteError."""
    if len(files) == 1:
        return open_input(files[0], take)
    if files.count("-") > 1:
        raise ContentError("only one profile can be standard input", "name files for the others")
    summed = sum_files([open_input(file, take) for file in files])
    return summed.profile, summed.name


def open_stacks(files: Sequence[str], command: str) -> tuple[Profile, str]:
    """Open files that must have stacks. Raises ContentError, RemoteError."""
    profile, name = open_inputs(files)
    if isinstance(profile, FunctionTable):
        raise ContentError(
            f"{name} is a {profile.format_name} file, without the stacks that {command} needs",
            "stackglass top --callers prints what it has",
        )
    return profile, name


def subtract(profile: Profile, arguments: argparse.Namespace) -> Profile:
    """Return the profile less the base of the options. Raises ContentError, RemoteError."""
    files = arguments.diff_base or arguments.base
    if not files:
        if arguments.normalize:
            raise ContentError("--normalize needs a base", "add --base FILE or --diff-base FILE")
        return profile
    if "-" in files and "-" in arguments.files:
        raise ContentError("only one profile can be standard input", "name a file for the other")
    base, _ = open_inputs(files)
    if isinstance(base, FunctionTable):
        raise ContentError("files of functions without stacks cannot be subtracted")
    return subtract_base(
        profile, base, is_marked=bool(arguments.diff_base), is_normalized=arguments.normalize
    )


def select(profile: Profile, name: str, arguments: argparse.Namespace) -> Selection:
    """Return the selection of the options. Raises ContentError, RemoteError, SampleTypeError,
    PatternError."""
    chosen = choose_type(profile, arguments.sample_index)
    profile = subtract(profile, arguments)
    shown = filter_profile(profile, read_filters(arguments), arguments.unit)
    whole = shown if arguments.relative_percentages else profile
    return Selection(name, whole, shown, chosen, find_units(profile))


def name_rows(profile: Profile, arguments: argparse.Namespace) -> Profile:
    """Return the profile with one function for each row of the report."""
    is_address = arguments.granularity == "addresses"  # pprof shows columns for these, too
    return name_by_granularity(
        profile,
        arguments.granularity,
        arguments.trim_path,
        arguments.source_path,
        has_columns=arguments.showcolumns or (is_address and not arguments.noinlines),
    )


def choose_type(profile: Profile | FunctionTable, wanted: str | None) -> TypeId:
    """Return the sample type of the options, or the one that the window shows first. Raises
    SampleTypeError."""
    if wanted is not None:
        return find_type(profile.sample_types, wanted)
    return choose_first(profile) if isinstance(profile, Profile) else profile.default_type
