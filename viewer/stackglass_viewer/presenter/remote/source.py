"""Source of a tab that polls a server: views of the newest snapshot, of the time since the tab was
opened, or of the last interval, as the user chooses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.model.remote.snapshots import PARTS, SnapshotKind, SnapshotPart, Snapshots
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.sources import Built, ProfileSource

PART_TEXTS = {
    SnapshotPart.NOW: "Now",
    SnapshotPart.ALL: "Since opened",
    SnapshotPart.LAST: "Last interval",
}
# Title and text that stand in place of a part's samples if there are none.
_NOTHING_ADDED = {
    (SnapshotKind.RECORDED, SnapshotPart.ALL): ("No samples", "No interval so far has samples."),
    (SnapshotKind.RECORDED, SnapshotPart.LAST): ("No samples", "The last interval has no samples."),
    (SnapshotKind.CUMULATIVE, SnapshotPart.ALL): (
        "No change",
        "Nothing has changed since the tab was opened or cleared.",
    ),
    (SnapshotKind.CUMULATIVE, SnapshotPart.LAST): (
        "No change",
        "Nothing has changed in the last interval.",
    ),
}


class RemoteSource:
    """Builds views of the snapshots. The GUI thread sets ``part``; ``build`` runs on the worker."""

    def __init__(self, snapshots: Snapshots, title: str) -> None:
        self.part = PARTS[snapshots.kind][0]
        self._snapshots = snapshots
        self._title = title
        self._latest: Profile | None = None
        self._built_part = self.part
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
        """Build the views of the newest snapshots. Raises ContentError."""
        part, latest, kind = self.part, self._snapshots.latest, self._snapshots.kind
        if self._source is None or latest is not self._latest or part is not self._built_part:
            is_difference = part is not SnapshotPart.NOW and kind is SnapshotKind.CUMULATIVE
            # Before the choice: ``forget`` may be called during it, and must have its effect.
            self._source, self._latest, self._built_part = None, latest, part
            shown = self._snapshots.choose(part)
            self._source = ProfileSource(shown, self._title, is_difference)
        built = self._source.build(request)
        text = _NOTHING_ADDED.get((kind, part))
        if text is None or (kind is SnapshotKind.CUMULATIVE and not latest.n_samples):
            return built
        return replace(built, info=replace(built.info, emptiness=text))

    def read_shown(self, request: BuildRequest) -> Profile:
        """Return the profile of the part that passes the filters. Raises ContentError."""
        shown = ProfileSource(self._snapshots.choose(self.part), self._title)
        return shown.read_shown(request)
