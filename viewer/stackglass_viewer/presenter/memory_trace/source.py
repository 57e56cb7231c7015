"""Source of a memory trace's tab: the profile of the moment or span that is shown."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.memory_trace.profiles import INUSE_SPACE, SAMPLE_TYPES
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.sources import Built, ProfileSource
from stackglass_viewer.presenter.memory_trace.subject import (
    SubjectKind,
    Wish,
    describe_emptiness,
    describe_subject,
    make_subject,
    read_subject,
)
from stackglass_viewer.presenter.memory_trace.turns import Turns

_MOST_KEPT = 4
"""Subjects that are kept, so that going back to one costs nothing."""

PEAK = Wish(SubjectKind.PEAK)

Progress = Callable[[Wish, float], bool]
"""Receives a wish and the share done; returns whether to go on."""


@dataclass(frozen=True, slots=True)
class TraceRequest(BuildRequest):
    """A request with the moment or span to show."""

    wish: Wish = PEAK


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """The profile of a moment or span, as it was read."""

    text: str  # a sentence about the subject
    profile: Profile
    source: ProfileSource


class TraceSource:
    """Reads the profile of a wish, and keeps the last ones.

    ``build`` runs on the worker's thread; any thread may call ``read_shown`` and ``describe``.
    """

    def __init__(self, trace: MemoryTrace, title: str, turns: Turns) -> None:
        self.trace = trace
        self.progress: Progress = lambda _wish, _share: True
        self._title = title
        self._turns = turns
        self._lock = threading.Lock()  # guards _kept
        self._kept: OrderedDict[Wish, Shown] = OrderedDict()

    @property
    def first_type(self) -> TypeId:
        return INUSE_SPACE

    @property
    def sample_types(self) -> Sequence[SampleType]:
        return SAMPLE_TYPES

    def build(self, request: BuildRequest) -> Built:
        """Build the views of a request. Raises ContentError, CancelledError."""
        wish = _wish_of(request)
        built = self._find(wish).source.build(request)
        return replace(built, info=replace(built.info, emptiness=describe_emptiness(wish)))

    def read_shown(self, request: BuildRequest) -> Profile:
        """Return the profile that passes the filters. Raises ContentError, CancelledError."""
        wish = _wish_of(request)
        return ProfileSource(self._find(wish).profile, self._title).read_shown(request)

    def describe(self, wish: Wish) -> str:
        """Return the sentence about the subject of a wish; "" = it is no longer kept."""
        with self._lock:
            shown = self._kept.get(wish)
        return shown.text if shown is not None else ""

    def forget(self) -> None:
        """Release the profiles, which are large."""
        with self._lock:
            self._kept.clear()

    def _find(self, wish: Wish) -> Shown:
        with self._lock:
            shown = self._kept.get(wish)
            if shown is not None:
                self._kept.move_to_end(wish)
                return shown
        shown = self._read(wish)
        with self._lock:
            self._kept[wish] = shown
            if len(self._kept) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return shown

    def _read(self, wish: Wish) -> Shown:
        trace = self.trace
        with self._turns.ask():
            subject = make_subject(trace, wish)
            profile = read_subject(trace, subject, lambda share: self.progress(wish, share))
        text = describe_subject(trace, subject, profile)
        return Shown(text, profile, ProfileSource(profile, self._title))


def _wish_of(request: BuildRequest) -> Wish:
    return request.wish if isinstance(request, TraceRequest) else PEAK
