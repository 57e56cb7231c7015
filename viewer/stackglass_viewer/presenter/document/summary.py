"""Summary of a tab: makes its sentences while a view shows them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.findings.nesting import nest_by_calls
from stackglass_viewer.model.profile.profile import SampleType
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.document.build_request import BuildRequest
from stackglass_viewer.presenter.document.sentences import (
    WAITING_THREADS,
    Sentence,
    SummarySubject,
    describe_findings,
)
from stackglass_viewer.presenter.document.sources import Built
from stackglass_viewer.presenter.worker import Worker


def choose_summed(built: Built, request: BuildRequest, sample_type: SampleType) -> SummarySubject:
    """Return the subject of the summary of a build."""
    nesting = nest_by_calls(built.calls, request.type_index) if built.calls is not None else None
    contention = built.info.choice.contention
    return SummarySubject(
        built.scene,
        built.top,
        sample_type,
        built.n_samples,
        built.describe,
        nesting,
        contention.kind if contention is not None else None,
    )


class Summary(QObject):
    """Makes the summary of what the tab shows, while a view shows the summary. GUI thread."""

    changed = Signal(object, bool)  # tuple of Sentence; whether there is nothing to summarise

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._subject: SummarySubject | None = None
        self._deadlocks: tuple[Sentence, ...] = ()  # they precede the findings
        self._is_watched = False

    def watch(self, is_watched: bool) -> None:
        """Note whether a view shows the summary: it is made only then."""
        if is_watched != self._is_watched:
            self._is_watched = is_watched
            self._build()

    def set_subject(self, subject: SummarySubject) -> None:
        """Set what is summarised: another profile, or a refreshed one."""
        self._subject = subject
        self._build()

    def set_deadlocks(self, texts: tuple[str, ...]) -> None:
        """Set the sentences on the process's known deadlocks."""
        self._deadlocks = tuple(Sentence(make_printable(text), WAITING_THREADS) for text in texts)
        self._build()

    def forget(self) -> None:
        """Release large objects, after the document's threads have ended."""
        self._subject = None

    def _build(self) -> None:
        subject = self._subject
        if self._is_watched and subject is not None:
            self._worker.submit(
                "summary",
                lambda: (describe_findings(subject), not subject.has_values),
                lambda result: self._announce(*result),
            )

    def _announce(self, findings: tuple[Sentence, ...], is_empty: bool) -> None:
        deadlocks = self._deadlocks
        self.changed.emit((*deadlocks, *findings), is_empty and not deadlocks)
