"""Transforms: steps that leave out or merge parts of a profile's stacks, one after another.

::

    focus      keep samples with the function
    drop       keep samples without the function
    subtree    let stacks begin with the call of the function nearest to the root
    call_path  keep samples that begin with a path of functions, without the callers of the last
    merge      merge the function into its callers
    merge_file merge the functions of a file into their callers
    own_code   merge functions of the standard library and of installed packages into their callers
    package    merge functions of a package or library into those of it that call them
    recursion  merge direct calls of a function by itself
    python     merge C code into the Python code that called it
    libraries  merge functions of a C library that call each other into one frame for the library

    focus_match, drop_match, subtree_match, merge_match, show_match
               the same for all functions whose name or file matches a regular expression; the last
               merges all other functions into their callers

In pprof, ``focus``, ``drop`` and ``subtree`` are focus, ignore and show_from; ``merge``,
``merge_file``, ``own_code`` and ``python`` are hide. The steps with patterns are focus, ignore,
show_from, hide and show.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from typing import NamedTuple

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int64s
from stackglass_viewer.model.profile.call_paths import keep_path
from stackglass_viewer.model.profile.native_frames import NATIVE_PATTERN
from stackglass_viewer.model.profile.native_libraries import merge_libraries
from stackglass_viewer.model.profile.packages import package_or_library
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.sample_choice import find_owners, keep_frames
from stackglass_viewer.model.profile.stack_filter import Filters, filter_profile

NOT_OWN = (
    r"[/\\](site|dist)-packages[/\\]|[/\\]lib[/\\]python[0-9.]+t?[/\\]"
    r"|[/\\]Python[0-9.]+[/\\][Ll]ib[/\\]|^<frozen |^<native>$|^JIT: "
    r"|\.so(\.[0-9]+)*$"
)
"""Pattern for the files of the standard library and of installed packages, and for the names and
files of C code."""


class TransformKind(Enum):
    """The kind of a step; see above."""

    FOCUS = "focus"
    DROP = "drop"
    SUBTREE = "subtree"
    CALL_PATH = "call_path"
    MERGE = "merge"
    MERGE_FILE = "merge_file"
    OWN_CODE = "own_code"
    PACKAGE = "package"
    RECURSION = "recursion"
    PYTHON = "python"
    LIBRARIES = "libraries"
    FOCUS_MATCH = "focus_match"
    DROP_MATCH = "drop_match"
    SUBTREE_MATCH = "subtree_match"
    MERGE_MATCH = "merge_match"
    SHOW_MATCH = "show_match"


PATTERN_KINDS = (
    TransformKind.FOCUS_MATCH,
    TransformKind.DROP_MATCH,
    TransformKind.SUBTREE_MATCH,
    TransformKind.MERGE_MATCH,
    TransformKind.SHOW_MATCH,
)
"""Kinds of steps with a regular expression as ``Transform.name``."""


class Transform(NamedTuple):
    """One step. ``name``: the function, file, package, path (``call_paths``) or pattern; "" if the
    kind needs none."""

    kind: TransformKind
    name: str = ""


def transform_profile(profile: Profile, transforms: Sequence[Transform]) -> Profile:
    """Apply all steps. Functions keep their numbers. May run in any thread. Raises PatternError."""
    changed = profile
    for kind, name in transforms:
        if kind is TransformKind.RECURSION:
            changed = _collapse_recursion(changed)
        elif kind is TransformKind.PACKAGE:
            changed = _collapse_package(changed, name)
        elif kind is TransformKind.CALL_PATH:
            changed = keep_path(changed, name)
        elif kind is TransformKind.LIBRARIES:
            changed = merge_libraries(changed)
        else:
            changed = filter_profile(changed, _make_filters(kind, name))
    # A step may match nothing after another step, so its warnings are dropped.
    return changed if changed is profile else replace(changed, warnings=profile.warnings)


def _find_functions(profile: Profile) -> Int64s:
    """Return the function of each location; −1 = it has no line, or several: (n_locations,)."""
    locations = profile.locations
    begins = np.minimum(locations.line_start[:-1], max(len(locations.line_function) - 1, 0))
    function = np.full(len(locations.address), -1, np.int64)
    is_plain = np.diff(locations.line_start) == 1
    function[is_plain] = locations.line_function[begins[is_plain]]
    return function


def _collapse_package(profile: Profile, package: str) -> Profile:
    """Keep only the outermost of functions of a package that call each other. Inlined calls
    stay."""
    strings, functions, samples = profile.strings, profile.functions, profile.samples
    pairs = zip(functions.name.tolist(), functions.filename.tolist(), strict=True)
    inside = [package_or_library(strings[name], strings[file]) == package for name, file in pairs]
    is_inside = np.array([*inside, False], dtype=np.bool_)[_find_functions(profile)][samples.stack]
    owner = find_owners(samples)
    stays: Bools = np.ones(len(samples.stack), dtype=np.bool_)
    stays[:-1] = ~(is_inside[:-1] & is_inside[1:] & (owner[:-1] == owner[1:]))
    return keep_frames(profile, stays, np.ones(profile.n_samples, dtype=np.bool_))


def _make_filters(kind: TransformKind, name: str) -> Filters:
    pattern = name if kind in PATTERN_KINDS else f"^{re.escape(name)}$"
    match kind:
        case TransformKind.FOCUS | TransformKind.FOCUS_MATCH:
            return Filters(focus=pattern)
        case TransformKind.DROP | TransformKind.DROP_MATCH:
            return Filters(ignore=pattern)
        case TransformKind.SUBTREE | TransformKind.SUBTREE_MATCH:
            return Filters(show_from=pattern)
        case TransformKind.SHOW_MATCH:
            return Filters(show=pattern)
        case TransformKind.OWN_CODE:
            return Filters(hide=NOT_OWN)
        case TransformKind.PYTHON:
            return Filters(hide=NATIVE_PATTERN)
        case _:
            return Filters(hide=pattern)


def _collapse_recursion(profile: Profile) -> Profile:
    """Keep only the innermost of direct calls of a function by itself. Inlined calls stay."""
    samples = profile.samples
    function = _find_functions(profile)
    names = np.append(profile.functions.name, -1)  # recursion is of a name, whatever the file
    name = np.where(function >= 0, names[function], -1)[samples.stack]
    owner = find_owners(samples)
    stays: Bools = np.ones(len(samples.stack), dtype=np.bool_)
    if len(stays) > 1:
        stays[1:] = (name[1:] != name[:-1]) | (name[1:] < 0) | (owner[1:] != owner[:-1])
    return keep_frames(profile, stays, np.ones(profile.n_samples, dtype=np.bool_))
