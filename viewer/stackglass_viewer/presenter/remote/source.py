"""Source of a tab that polls a server: views of the newest snapshot, of the time since the tab was
opened, or of the last interval, as the user chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.remote.snapshots import SPANS, SnapshotKind, Snapshots, Span
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.sources import Built, ProfileSource

SPAN_TEXTS = {
    Span.NOW: "Now",
    Span.ALL: "Since opened",
    Span.LAST: "Last interval",
}
# Title and text that stand in place of a span's samples if there are none.
_NOTHING_ADDED = {
    (SnapshotKind.RECORDED, Span.ALL): ("No samples", "No interval so far has samples."),
    (SnapshotKind.RECORDED, Span.LAST): ("No samples", "The last interval has no samples."),
    (SnapshotKind.CUMULATIVE, Span.ALL): (
        "No change",
        "Nothing has changed since the tab was opened or cleared.",
    ),
    (SnapshotKind.CUMULATIVE, Span.LAST): (
        "No change",
        "Nothing has changed in the last interval.",
    ),
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
            # Before the choice: ``forget`` may be called during it, and must have its effect.
            self._source, self._latest, self._built_span = None, latest, span
            shown = self._snapshots.choose(span)
            self._source = ProfileSource(shown, self._title, is_difference)
        built = self._source.build(request)
        text = _NOTHING_ADDED.get((kind, span))
        if text is None or (kind is SnapshotKind.CUMULATIVE and not latest.n_samples):
            return built
        return replace(built, info=replace(built.info, emptiness=text))

    def read_shown(self, request: BuildRequest) -> Profile:
        """Return the profile of the span that passes the filters. Raises ProfileError."""
        shown = ProfileSource(self._snapshots.choose(self.span), self._title)
        return shown.read_shown(request)
