"""Source of a tab that polls a server: views of the newest snapshot, of the time since the tab was
opened, or of the last interval, as the user chooses."""

from __future__ import annotations

from collections.abc import Sequence

from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.remote.snapshots import SPANS, SnapshotKind, Snapshots, Span
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.sources import Built, ProfileSource

SPAN_TEXTS = {
    Span.NOW: "Now",
    Span.ALL: "Since opened",
    Span.LAST: "Last interval",
}


class RemoteSource:
    """Builds views of the snapshots. The GUI thread sets ``span``; ``build`` runs on the worker."""

    def __init__(self, snapshots: Snapshots, title: str) -> None:
        self.span = SPANS[snapshots.kind][0]
        self._snapshots = snapshots
        self._title = title
        self._latest: Profile | None = None
        self._built_span = self.span
        self._source: ProfileSource | None = None

    def forget(self) -> None:
        """Build again at the next request: sums and differences have changed. Any thread."""
        self._latest = None

    @property
    def first_type(self) -> int:
        return self._snapshots.latest.default_type

    @property
    def sample_types(self) -> Sequence[SampleType]:
        return self._snapshots.latest.sample_types

    def build(self, request: BuildRequest) -> Built:
        """Build the views of the newest snapshots. Raises ProfileError."""
        span, latest, kind = self.span, self._snapshots.latest, self._snapshots.kind
        if self._source is None or latest is not self._latest or span is not self._built_span:
            is_difference = span is not Span.NOW and kind is SnapshotKind.CUMULATIVE
            shown = self._snapshots.choose(span)
            self._source = ProfileSource(shown, self._title, is_difference)
            self._latest, self._built_span = latest, span
        return self._source.build(request)

    def read_shown(self, request: BuildRequest) -> Profile:
        """Return the profile of the span that passes the filters. Raises ProfileError."""
        shown = ProfileSource(self._snapshots.choose(self.span), self._title)
        return shown.read_shown(request)
