"""Pruning of the frames that a profile asks to drop: allocators, runtimes and their callees.

pprof does the same when it reads a file::

    root ── main ── work ── malloc ── sbrk          drop_frames = malloc
    root ── main ── work                            what is left

A function whose whole name matches ``drop_frames`` but not ``keep_frames`` is dropped, together
with its callees. The frames from the root up to the first that does not match always stay: without
this rule, a profile of an allocator would be empty.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from stackglass_viewer.model.columns.index import Bools, Int32s, Int64s, freeze
from stackglass_viewer.model.errors import PatternError
from stackglass_viewer.model.patterns import compile_whole
from stackglass_viewer.model.profile.location_lines import find_line_owners, keep_lines
from stackglass_viewer.model.profile.profile import Locations, Profile, Samples
from stackglass_viewer.model.profile.simple_names import simplify


def prune(profile: Profile) -> Profile:
    """Return the profile with shorter stacks if it asks to drop frames; else the profile itself.

    If a pattern cannot be used, all frames stay, and the profile gets a warning.
    """
    if not profile.drop_frames:
        return profile
    try:
        is_dropped = _match_functions(profile)
    except PatternError as error:
        reason = f"{error.message} ({error.remedy})" if error.remedy else error.message
        text = f"frames that the file wants dropped are shown: {reason}"
        return replace(profile, warnings=(*profile.warnings, text))
    if not is_dropped.any():
        return profile
    # A location that matches keeps its lines from ``cut`` on, the callers of the match. It is
    # dropped as a whole if its outermost line matches.
    cut = _find_cuts(profile.locations, is_dropped)
    has_match = cut >= 0
    goes_whole = cut == np.diff(profile.locations.line_start)
    samples = _cut_stacks(profile.samples, has_match, goes_whole)
    locations = _cut_locations(profile.locations, np.where(goes_whole, 0, np.maximum(cut, 0)))
    return replace(profile, samples=samples, locations=locations)


def _match_functions(profile: Profile) -> Bools:
    """Return (n_functions,) whether a function is to be dropped."""
    drops = compile_whole(profile.drop_frames)
    keeps = compile_whole(profile.keep_frames) if profile.keep_frames else None
    answers: dict[int, bool] = {0: False}  # by string; functions without a name stay
    for name in profile.functions.name.tolist():
        if name not in answers:
            text = simplify(profile.strings[name])
            answers[name] = drops(text) and not (keeps is not None and keeps(text))
    names = profile.functions.name.tolist()
    return np.fromiter((answers[name] for name in names), dtype=np.bool_, count=len(names))


def _find_cuts(locations: Locations, is_dropped: Bools) -> Int32s:
    """Return (n_locations,) how many inner lines to cut off: those up to the outermost match,
    which is included; -1 = no line matches."""
    has_function = locations.line_function >= 0
    matches = np.zeros(len(locations.line_function), dtype=np.bool_)
    matches[has_function] = is_dropped[locations.line_function[has_function]]
    cut = np.full(len(locations.address), -1, dtype=np.int32)
    lines = np.flatnonzero(matches)
    owners = np.searchsorted(locations.line_start, lines, side="right") - 1
    cut[owners] = lines - locations.line_start[owners] + 1  # the last one written is outermost
    return cut


def _cut_stacks(samples: Samples, has_match: Bools, goes_whole: Bools) -> Samples:
    """Cut each stack at the match that is nearest to the root, after the first frame that stays."""
    starts = samples.stack_start
    n_samples = len(starts) - 1
    if n_samples == 0 or len(samples.stack) == 0:
        return samples
    matches = has_match[samples.stack]
    owner = np.repeat(np.arange(n_samples), np.diff(starts))
    # The root-most position that stays, by sample: the last one in the order of the columns.
    user = np.full(n_samples, -1, dtype=np.int64)
    staying = np.flatnonzero(~matches)
    user[owner[staying]] = staying
    # The root-most match on the leaf's side of that position.
    at = np.full(n_samples, -1, dtype=np.int64)
    matching = np.flatnonzero(matches)
    matching = matching[matching < user[owner[matching]]]
    at[owner[matching]] = matching
    begin = starts[:-1].copy()
    is_cut = at >= 0
    begin[is_cut] = at[is_cut] + goes_whole[samples.stack[at[is_cut]]]
    return _keep(samples, begin, owner)


def _keep(samples: Samples, begin: Int64s, owner: Int64s) -> Samples:
    """Return the samples with each stack from its ``begin`` on."""
    is_kept = np.arange(len(samples.stack)) >= begin[owner]
    stack = samples.stack[is_kept]
    stack_start = np.zeros(len(begin) + 1, dtype=np.int64)
    np.cumsum(samples.stack_start[1:] - begin, out=stack_start[1:])
    freeze(stack, stack_start)
    return Samples(stack_start, stack, samples.values)


def _cut_locations(locations: Locations, cut: Int32s) -> Locations:
    """Return the locations, each without its first ``cut`` lines."""
    owner = find_line_owners(locations)
    position = np.arange(len(owner)) - locations.line_start[owner]
    return keep_lines(locations, position >= cut[owner])
