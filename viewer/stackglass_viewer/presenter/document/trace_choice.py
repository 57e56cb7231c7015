"""Traces of a tab: the list of distinct stacks, made only while a view shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.errors import PatternError
from stackglass_viewer.model.graph.search import Query
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.model.graph.trace_list import (
    TraceList,
    identify_traces,
    list_traces,
    search_traces,
)
from stackglass_viewer.presenter.document.source_choice import ShownProfile
from stackglass_viewer.presenter.tables.side_models import StackModel
from stackglass_viewer.presenter.tables.trace_model import ShownTraces, TraceModel
from stackglass_viewer.presenter.worker import Worker


class TraceDetails(NamedTuple):
    """The chosen trace in words; both are "" if none is chosen."""

    title: str = ""
    labels: str = ""


class TraceChoice(QObject):
    """Lists and searches traces while a view shows them. GUI thread."""

    details_changed = Signal(object)  # TraceDetails
    watched = Signal(bool)  # whether a view shows the traces

    def __init__(
        self, worker: Worker, describe: Callable[[], ShownProfile], parent: QObject | None = None
    ) -> None:
        """``describe`` returns what the tab shows now."""
        super().__init__(parent)
        self._worker = worker
        self._describe = describe
        self._top: TopTable | None = None
        self._listed: tuple[TopTable, TraceList] | None = None  # the last list, and its table
        self._subject: object = None
        self._pattern = ""
        self._shown: tuple[object, str] | None = None  # subject and pattern of the rows
        self._is_watched = False
        self.model = TraceModel(self)
        self.stack = StackModel(self)  # of the chosen trace

    @property
    def is_watched(self) -> bool:
        return self._is_watched

    def watch(self, is_watched: bool) -> None:
        """Note whether a view shows traces: they are listed only then."""
        if is_watched != self._is_watched:
            self._is_watched = is_watched
            self.watched.emit(is_watched)
            self._build()

    def set_table(self, top: TopTable, subject: object) -> None:
        """Set the table of another profile, or of a refreshed one.

        While ``subject`` stays equal, a refreshed table leaves the rows under the pointer in their
        places.
        """
        self._top, self._subject = top, subject
        self._build()

    def set_search(self, pattern: str) -> None:
        """List only traces with a match in a function, a file or a label; "" = all."""
        if pattern != self._pattern:
            self._pattern = pattern
            self._build()

    def choose(self, row: int) -> None:
        """Choose a row of the table; -1 = none."""
        self.stack.set_lines(self.model.list_lines(row))
        self.details_changed.emit(TraceDetails(*self.model.describe(row)))

    def forget(self) -> None:
        """Release large objects, after the document's threads have ended."""
        self._top = self._listed = None

    def _build(self) -> None:
        top, pattern = self._top, self._pattern
        wanted = (self._subject, pattern)
        if not self._is_watched or top is None:
            return
        is_listed = self._listed is not None and self._listed[0] is top
        subject = self._listed[1] if self._listed is not None and is_listed else self._describe()
        if isinstance(subject, ShownProfile) and subject.read is None:
            self._on_listed(None, top, wanted)
            return
        self._worker.submit(
            "traces",
            lambda: find_traces(subject, top, pattern),
            lambda found: self._on_listed(found, top, wanted),
            lambda _: self._on_listed(None, top, wanted),
        )

    def _on_listed(
        self, shown: ShownTraces | None, top: TopTable, wanted: tuple[object, str]
    ) -> None:
        retired = [self._listed]  # the worker empties it, once it is no longer shown
        self._listed = None if shown is None else (top, shown.traces)
        if self._is_watched:
            if wanted != self._shown:
                self._shown = wanted
                self.model.begin_anew()
            self.model.set_traces(shown)
        self._worker.empty(retired)


def _list(shown: ShownProfile) -> TraceList:
    assert shown.read is not None
    profile = shown.read()
    types = list(profile.sample_types)
    at = types.index(shown.sample_type) if shown.sample_type in types else profile.default_type
    return list_traces(profile, TypeId(at))


def find_traces(subject: ShownProfile | TraceList, top: TopTable, pattern: str) -> ShownTraces:
    """Return the traces with a match; all if ``pattern`` is empty. Shares are of the total of
    ``top``. Any thread. Raises StackglassError."""
    traces, problem = subject if isinstance(subject, TraceList) else _list(subject), ""
    try:
        is_found = search_traces(traces, Query(pattern))
    except PatternError as error:
        problem = f"{error.message}: {error.remedy}" if error.remedy else error.message
        is_found = np.zeros(traces.n_traces, dtype=np.bool_)
    identity = identify_traces(traces)
    return ShownTraces(traces, is_found, identity, top.total, top.unit, top.is_change, problem)
