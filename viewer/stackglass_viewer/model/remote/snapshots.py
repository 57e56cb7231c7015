"""Snapshots of one profile of a server over time, and the part of them that is shown.

===========  ==========================================  ====================================
kind         each snapshot has                           shown
===========  ==========================================  ====================================
recorded     the samples of some seconds (``profile``)   the newest one, or the sum of all
cumulative   all values since the program's start        the newest one, or minus an earlier
momentary    the present state (``goroutine``)           the newest one
===========  ==========================================  ====================================
"""

from __future__ import annotations

import threading
from enum import Enum

import numpy as np

from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.profile.profile_sum import add_profiles, subtract_profiles
from stackglass_viewer.model.remote.index_page import RECORDED

INTERVALS_S = (1, 2, 5, 10, 30, 60)
"""Times between two snapshots that the user can choose from."""

_CUMULATIVE = ("allocs", "block", "gil", "heap", "mutex")
_GROWING_TYPES = ("alloc_objects", "alloc_space", "contentions", "delay")


class SnapshotKind(Enum):
    """How the snapshots of a profile relate to each other."""

    RECORDED = "recorded"
    CUMULATIVE = "cumulative"
    MOMENTARY = "momentary"


class SnapshotPart(Enum):
    """The part of the snapshots that is shown."""

    NOW = "now"  # the newest snapshot as it is
    ALL = "all"  # all since the tab was opened, or since the last clear
    LAST = "last"  # the newest interval between two snapshots


PARTS = {
    SnapshotKind.RECORDED: (SnapshotPart.ALL, SnapshotPart.LAST),
    SnapshotKind.CUMULATIVE: (SnapshotPart.NOW, SnapshotPart.ALL, SnapshotPart.LAST),
    SnapshotKind.MOMENTARY: (SnapshotPart.NOW,),
}
"""The parts that can be shown of each kind; the first is the default."""


def find_kind(profile: str) -> SnapshotKind:
    """Return the kind of a profile by its name on the server."""
    if profile in RECORDED:
        return SnapshotKind.RECORDED
    return SnapshotKind.CUMULATIVE if profile in _CUMULATIVE else SnapshotKind.MOMENTARY


class Snapshots:
    """Keeps the first snapshot, the two newest and, for the kind RECORDED, the sum. Any thread."""

    def __init__(self, kind: SnapshotKind, first: Profile) -> None:
        self.kind = kind
        self._lock = threading.Lock()
        self._first = self._previous = self._latest = self._sum = first

    @property
    def latest(self) -> Profile:
        return self._latest

    def add(self, profile: Profile) -> bool:
        """Add a newer snapshot. Returns whether the program was restarted: it has counted from 0
        then, so only the new snapshot is kept. Raises ContentError if the sample types changed."""
        is_new = self.kind is SnapshotKind.CUMULATIVE and _has_restarted(self._latest, profile)
        if is_new or profile.sample_types != self._latest.sample_types:
            subtract_profiles(profile, self._latest)  # raises where the types differ
            self._begin(profile)
            return True
        is_recorded = self.kind is SnapshotKind.RECORDED
        total = add_profiles(self._sum, profile) if is_recorded else profile
        with self._lock:
            self._previous, self._latest, self._sum = self._latest, profile, total
        return False

    def clear(self) -> None:
        """Begin again with the newest snapshot as the first."""
        self._begin(self._latest)

    def _begin(self, first: Profile) -> None:
        with self._lock:
            self._first = self._previous = self._latest = self._sum = first

    def choose(self, part: SnapshotPart) -> Profile:
        """Return the profile to show for a part."""
        with self._lock:
            first, previous, latest, total = self._first, self._previous, self._latest, self._sum
        if self.kind is SnapshotKind.RECORDED:
            return total if part is SnapshotPart.ALL else latest
        if part is SnapshotPart.NOW or self.kind is SnapshotKind.MOMENTARY:
            return latest
        return subtract_profiles(latest, first if part is SnapshotPart.ALL else previous)


def _has_restarted(earlier: Profile, later: Profile) -> bool:
    """Whether a sum that can only grow has decreased."""
    if earlier.sample_types != later.sample_types:
        return False
    grows = [each.name in _GROWING_TYPES for each in later.sample_types]
    before, after = (np.sum(each.samples.values[grows], axis=1) for each in (earlier, later))
    return bool((after < before).any())
