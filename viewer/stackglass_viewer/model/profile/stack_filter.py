"""Stack filter: chooses samples and frames by name with pprof's options, in pprof's order.

::

    tagroot, tagleaf     add values of labels as frames at the root, at the leaf
    focus, ignore        keep samples with, without a matching frame
    hide, show           keep frames that do not match, that match
    show_from            keep the match nearest to the root, and all frames below it
    tagfocus, tagignore  keep samples with, without a matching label
    tagshow, taghide     keep labels with a key that matches, that does not match
    prune_from           keep the match nearest to the leaf, and its callers
    noinlines            merge inlined calls into the function that they were inlined into

Patterns match the names of functions, files and mapped files; those of prune_from match only
simplified names of functions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s
from stackglass_viewer.model.patterns import Test, compile_pattern
from stackglass_viewer.model.profile.label_choice import choose_labels
from stackglass_viewer.model.profile.label_frames import add_label_frames
from stackglass_viewer.model.profile.location_lines import (
    count_lines,
    find_line_owners,
    keep_lines,
    spread_flags,
)
from stackglass_viewer.model.profile.numeric_labels import find_units
from stackglass_viewer.model.profile.profile import Locations, Profile
from stackglass_viewer.model.profile.sample_choice import find_owners, keep_frames
from stackglass_viewer.model.profile.simple_names import simplify
from stackglass_viewer.model.profile.tag_filter import choose_tagged


@dataclass(frozen=True, slots=True)
class Filters:
    """The options above: patterns, and for tagroot and tagleaf keys. "" = not set."""

    focus: str = ""
    ignore: str = ""
    hide: str = ""
    show: str = ""
    show_from: str = ""
    tagfocus: str = ""
    tagignore: str = ""
    tagshow: str = ""
    taghide: str = ""
    tagroot: str = ""
    tagleaf: str = ""
    prune_from: str = ""
    noinlines: bool = False


def filter_profile(profile: Profile, filters: Filters, unit: str = "") -> Profile:
    """Apply all filters. A pattern that matches nothing adds a warning to the profile, except
    ``prune_from``.

    ``unit``: unit for numeric labels that become frames; "" = one that fits. Raises PatternError.
    """
    if filters.tagroot or filters.tagleaf:
        profile = add_label_frames(profile, filters.tagroot, filters.tagleaf, unit)
    units = find_units(profile) if filters.tagfocus or filters.tagignore else {}
    if filters.focus or filters.ignore or filters.hide or filters.show:
        profile = _filter_names(profile, filters)
    if filters.show_from:
        profile = _show_from(profile, filters.show_from)
    profile = choose_tagged(profile, filters.tagfocus, filters.tagignore, units)
    if filters.tagshow or filters.taghide:
        profile = choose_labels(profile, filters.tagshow, filters.taghide)
    if filters.prune_from:
        profile = _prune_from(profile, filters.prune_from)
    if filters.noinlines:
        profile = _drop_inlined(profile)
    return profile


class _Matcher:
    """The lines and mapped files that a pattern matches."""

    def __init__(self, profile: Profile, pattern: str) -> None:
        test = _remember(compile_pattern(pattern), profile)
        functions, locations = profile.functions, profile.locations
        found = np.fromiter(
            (
                test(name) or test(file)
                for name, file in zip(
                    functions.name.tolist(), functions.filename.tolist(), strict=True
                )
            ),
            dtype=np.bool_,
            count=len(functions.name),
        )
        files = np.fromiter(map(test, profile.mappings.filename.tolist()), dtype=np.bool_)
        self.is_line = _index(found, locations.line_function)  # (n_lines,)
        self.is_mapping = _index(files, locations.mapping)  # (n_locations,)

    def find_locations(self, locations: Locations) -> Bools:
        """Return whether each location's mapped file or one of its lines matches:
        (n_locations,)."""
        found: Bools = self.is_mapping | (count_lines(self.is_line, locations) > 0)
        return found


def _filter_names(profile: Profile, filters: Filters) -> Profile:
    """Apply ``focus``, ``ignore``, ``hide`` and ``show``."""
    locations = profile.locations
    n = len(locations.address)
    is_ignored: Bools = np.zeros(n, dtype=np.bool_)
    is_focused: Bools = np.ones(n, dtype=np.bool_)
    keeps_line: Bools = np.ones(len(locations.line_function), dtype=np.bool_)
    is_hidden: Bools = np.zeros(n, dtype=np.bool_)
    missing: list[str] = []

    def note(option: str, pattern: str, is_found: bool) -> None:
        if not is_found:
            missing.append(f"--{option} {pattern} matches no sample")

    if filters.ignore:
        is_ignored = _Matcher(profile, filters.ignore).find_locations(locations)
        note("ignore", filters.ignore, bool(is_ignored.any()))
    if filters.focus:
        is_focused = _Matcher(profile, filters.focus).find_locations(locations) & ~is_ignored
        note("focus", filters.focus, bool(is_focused.any()))
    if filters.hide:
        hide = _Matcher(profile, filters.hide)
        is_meant = hide.find_locations(locations)
        keeps_line &= ~hide.is_line & ~spread_flags(hide.is_mapping, locations)
        is_hidden |= is_meant & (count_lines(keeps_line, locations) == 0)
        note("hide", filters.hide, bool(is_meant.any()))
    if filters.show:
        show = _Matcher(profile, filters.show)
        has_function = locations.line_function >= 0
        keeps_line &= show.is_line | ~has_function | spread_flags(show.is_mapping, locations)
        is_empty = count_lines(keeps_line, locations) == 0
        is_hidden |= is_empty
        note("show", filters.show, not bool(is_empty.all()))
    stack, owner = profile.samples.stack, find_owners(profile.samples)
    is_kept = np.zeros(profile.n_samples, dtype=np.bool_)
    is_kept[owner[(is_focused & ~is_ignored)[stack]]] = True
    is_kept[owner[is_ignored[stack]]] = False
    stays = ~is_hidden[stack]
    if is_hidden.any():
        has_frame = np.zeros(profile.n_samples, dtype=np.bool_)
        has_frame[owner[stays]] = True
        is_kept &= has_frame
    kept = keep_frames(profile, stays, is_kept)
    return replace(
        kept,
        locations=keep_lines(locations, keeps_line),
        warnings=(*kept.warnings, *missing),
    )


def _show_from(profile: Profile, pattern: str) -> Profile:
    """Apply ``show_from``."""
    locations = profile.locations
    matcher = _Matcher(profile, pattern)
    is_found = matcher.find_locations(locations)
    # If a location's mapped file does not match, its lines outside the outermost match are dropped.
    last = np.full(len(locations.address), -1, dtype=np.int64)
    lines = np.flatnonzero(matcher.is_line)
    last[find_line_owners(locations)[lines]] = lines  # the last one written is outermost
    last[matcher.is_mapping] = len(matcher.is_line)
    last[last < 0] = len(matcher.is_line)
    keeps_line = np.arange(len(matcher.is_line)) <= last[find_line_owners(locations)]
    stack, owner = profile.samples.stack, find_owners(profile.samples)
    root = np.full(profile.n_samples, -1, dtype=np.int64)
    frames = np.flatnonzero(is_found[stack])
    root[owner[frames]] = frames  # the last one written is nearest to the root
    stays = np.arange(len(stack)) <= root[owner]
    kept = keep_frames(profile, stays, root >= 0)
    missing = () if is_found.any() else (f"--show-from {pattern} matches no sample",)
    return replace(
        kept,
        locations=keep_lines(locations, keeps_line),
        warnings=(*kept.warnings, *missing),
    )


def _prune_from(profile: Profile, pattern: str) -> Profile:
    """Apply ``prune_from``."""
    locations, strings = profile.locations, profile.strings
    test = compile_pattern(pattern)
    names = [strings[name] for name in profile.functions.name.tolist()]
    found = np.fromiter(
        (bool(name) and test(simplify(name)) for name in names), dtype=np.bool_, count=len(names)
    )
    lines = np.flatnonzero(_index(found, locations.line_function))[::-1]
    first = np.full(len(locations.address), -1, dtype=np.int64)
    owners = find_line_owners(locations)
    first[owners[lines]] = lines  # from the last to the first: the innermost is left
    keeps_line = np.arange(len(owners)) >= first[owners]
    stack, owner = profile.samples.stack, find_owners(profile.samples)
    begin = np.zeros(profile.n_samples, dtype=np.int64)
    frames = np.flatnonzero(first[stack] >= 0)[::-1]
    begin[owner[frames]] = frames
    stays = np.arange(len(stack)) >= begin[owner]
    kept = keep_frames(profile, stays, np.ones(profile.n_samples, dtype=np.bool_))
    return replace(kept, locations=keep_lines(locations, keeps_line))


def _drop_inlined(profile: Profile) -> Profile:
    """Apply ``noinlines``: keep the outermost line of each location."""
    locations = profile.locations
    keeps_line = np.zeros(len(locations.line_function), dtype=np.bool_)
    ends = locations.line_start[1:][np.diff(locations.line_start) > 0]
    keeps_line[ends - 1] = True
    return replace(profile, locations=keep_lines(locations, keeps_line))


def _remember(test: Test, profile: Profile) -> Callable[[int], bool]:
    """Return a test for strings by their number, which tests each string once."""
    known: dict[int, bool] = {}

    def is_found(number: int) -> bool:
        if number not in known:
            known[number] = test(profile.strings[number])
        return known[number]

    return is_found


def _index(flags: Bools, positions: Int32s) -> Bools:
    """Return the flag at each position; False for −1."""
    chosen: Bools = np.append(flags, False)[positions]
    return chosen
