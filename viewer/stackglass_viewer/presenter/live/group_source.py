"""Source of a group's tab: the captures of several processes as one profile.

::

    members ──read, with the process as a label──┐
       │ a process has ended: read once more     ├─▶ joined ─▶ views
       └──▶ past ────────────────────────────────┘

While the tab is paused, ``joined`` stays as it is; processes that end go to ``past`` all the same.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.kept_order import KeptOrder
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.profile.profile_sum import join_profiles
from stackglass_viewer.model.units import format_quantity
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.sources import Built, ProfileSource
from stackglass_viewer.presenter.live.member_profile import MEMBER_TYPES, make_empty, read_member

OTHERS = "other processes that have ended"
_MOST_NAMED = 100  # ended processes that keep their name: workers may come and go for days
_NOTHING = (
    "No samples yet",
    "Samples of all processes are added up here as they come. Their own tabs show their status.",
)
_CPU = TypeId(1)  # position of "cpu" in MEMBER_TYPES


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """A process of the group, and its capture."""

    live: LiveProfile
    name: str  # "server.py 4711"
    is_again: bool = False  # whether an earlier member is the same process
    leave: Callable[[], object] = lambda: None  # called when ``live`` is no longer read


@dataclass(frozen=True, slots=True)
class _Joined:
    """The profile of all members at one time."""

    profile: Profile
    source: ProfileSource  # of this profile; used by the worker's thread
    n_processes: int


class GroupSource:
    """Joins the profiles of all members. Any thread adds and ends members; the worker builds."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._lock = threading.Lock()
        self._members: tuple[Member, ...] = ()  # guarded by _lock
        self._over: frozenset[Member] = frozenset()  # guarded by _lock: ended, not yet in _past
        self._past: tuple[Profile, ...] = ()  # guarded by _lock: one profile, or none yet
        self._n_past = 0  # guarded by _lock: number of members in _past
        self._n_processes = 0  # guarded by _lock
        self._is_stale = True  # guarded by _lock: whether _joined misses data
        self._is_held = False  # guarded by _lock: whether _joined stays although it misses data
        self._joined: _Joined | None = None  # guarded by _lock; set by the worker's thread
        self._kept = KeptOrder()  # used by the worker's thread: places of boxes between two joins

    def add(self, member: Member) -> None:
        """Add a process."""
        with self._lock:
            self._members = (*self._members, member)
            self._n_processes += not member.is_again
            self._is_stale = True

    def rename(self, member: Member, name: str) -> Member:
        """Give a process another name, also for its data so far. Returns the renamed member."""
        renamed = replace(member, name=name)
        with self._lock:
            self._members = tuple(renamed if one is member else one for one in self._members)
            self._is_stale = True
        return renamed

    def end(self, member: Member) -> None:
        """Note that a process has ended: its data are kept, and its capture is released."""
        with self._lock:
            self._over = self._over | {member}
            self._is_stale = True

    def expire(self) -> None:
        """Note that members have new data: the next build joins them again."""
        with self._lock:
            self._is_stale = True

    def hold(self, is_held: bool) -> None:
        """Keep what was joined last, whatever comes, or join again."""
        with self._lock:
            self._is_held = is_held

    def close(self) -> None:
        """Release the captures of all members: nothing is built any more."""
        with self._lock:
            members, self._members = self._members, ()
        for member in members:
            member.leave()

    @property
    def first_type(self) -> int:
        return _CPU

    @property
    def sample_types(self) -> Sequence[SampleType]:
        return MEMBER_TYPES

    def build(self, request: BuildRequest) -> Built:
        """Build the views of all members. Raises StackglassError."""
        joined = self._find_joined()
        built = joined.source.build(request)
        n = format_quantity(joined.n_processes, "process", "processes")
        text = f"{n}  ·  {built.info.description}"
        return replace(built, info=replace(built.info, description=text, emptiness=_NOTHING))

    def _find_joined(self) -> _Joined:
        """Return the profile of all members, joined again if it misses data and is not held."""
        with self._lock:
            joined = self._joined
            if joined is not None and (self._is_held or not self._is_stale):
                return joined
            self._is_stale = False
            n_processes = self._n_processes
        try:
            self.settle()
            profile = self._join()
        except Exception:
            self.expire()  # the next build tries again, even if no more data come
            raise
        joined = _Joined(profile, ProfileSource(profile, self._title, kept=self._kept), n_processes)
        with self._lock:
            self._joined = joined
        return joined

    def read_shown(self, request: BuildRequest) -> Profile:
        """Return the profile that passes the filters: the newest, or the one that is held. Any
        thread. Raises StackglassError."""
        with self._lock:
            held = self._joined if self._is_held else None
        profile = self._join() if held is None else held.profile
        return ProfileSource(profile, self._title).read_shown(request)

    def settle(self) -> None:
        """Move the data of ended members to ``_past``. The worker calls this. Raises
        StackglassError."""
        with self._lock:
            over = [member for member in self._members if member in self._over]
            past, n_past = self._past, self._n_past
        if not over:
            return
        names = [
            member.name if n_past + at < _MOST_NAMED else OTHERS for at, member in enumerate(over)
        ]
        last = [read_member(member.live, name) for member, name in zip(over, names, strict=True)]
        joined = join_profiles([*past, *last])
        with self._lock:
            self._past, self._n_past = (joined,), n_past + len(over)
            self._members = tuple(one for one in self._members if one not in over)
            self._over -= frozenset(over)
        for member in over:
            member.leave()

    def _join(self) -> Profile:
        with self._lock:
            members, past = self._members, self._past
        parts = [*past, *(read_member(each.live, each.name) for each in members)]
        joined = join_profiles(parts) if parts else make_empty()
        # The time of the first profile does not hold for the others.
        return replace(joined, default_type=_CPU, time_unix_ns=0, duration_ns=0)
