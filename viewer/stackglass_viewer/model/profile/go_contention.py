"""Kind of Go's contention profiles: ``block`` or ``mutex``, which have the same sample types.

``block`` has the stacks that waited, ``mutex`` the stacks that unlocked, so their sum would count
each wait twice. The files do not have the kind; the leaf functions show it. Stackglass's own files
differ by their period type.
"""

from __future__ import annotations

import numpy as np

from stackglass_viewer.model.errors import ContentError
from stackglass_viewer.model.profile.profile import Profile

_TYPES = ("contentions", "delay")
_UNLOCK = "nlock"  # sync.(*Mutex).Unlock, sync.(*RWMutex).RUnlock, runtime.unlock2
_LOST = "_LostContended"  # runtime._LostContendedRuntimeLock


def check_contention(one: Profile, other: Profile) -> None:
    """Raise ContentError if one profile is Go's ``block`` and the other its ``mutex``."""
    kinds = find_contention_kind(one), find_contention_kind(other)
    if set(kinds) == {"block", "mutex"}:
        raise ContentError(
            f"the profiles are {kinds[0]} and {kinds[1]} of Go: one has the stacks that waited for "
            "locks, the other those that unlocked them"
        )


def find_contention_kind(profile: Profile) -> str:
    """Return ``block`` or ``mutex``; "" = neither, or not known."""
    if tuple(each.name for each in profile.sample_types) != _TYPES:
        return ""
    samples, locations = profile.samples, profile.locations
    with_stack = np.flatnonzero(np.diff(samples.stack_start) > 0)
    leaves = np.unique(samples.stack[samples.stack_start[with_stack]])
    named = leaves[np.diff(locations.line_start)[leaves] > 0]
    functions = np.unique(locations.line_function[locations.line_start[named]])
    names = [profile.strings[profile.functions.name[each]] for each in functions[functions >= 0]]
    are_unlocks = {_UNLOCK in name or _LOST in name for name in names}
    if not names or len(are_unlocks) > 1:
        return ""
    return "mutex" if are_unlocks.pop() else "block"
