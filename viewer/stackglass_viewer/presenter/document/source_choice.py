"""Source choice of a tab: the function whose file is shown line by line."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.columns.index import TypeId
from stackglass_viewer.model.graph.line_costs import LineCosts, list_definitions, sum_lines
from stackglass_viewer.model.graph.path_trim import PathTrim
from stackglass_viewer.model.graph.source_files import SourceFiles
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.presenter.tables.source_model import (
    SourceModel,
    SourceText,
    find_first_line,
)
from stackglass_viewer.presenter.worker import Worker


class SourceSubject(NamedTuple):
    """A function and its place."""

    name: str
    file: str
    line: int  # of its definition, or its costliest line; 0 = unknown

    @property
    def place(self) -> str:
        """File, and line if it is known: ``/srv/shop.py:12``."""
        return f"{self.file}:{self.line}" if self.line else self.file


class ShownProfile(NamedTuple):
    """What the tab shows: its profile and sample type."""

    read: Callable[[], Profile] | None  # returns the profile; None = a table without stacks
    sample_type: SampleType


class SourceChoice(QObject):
    """Holds the chosen function, and reads its file while a view shows it. GUI thread."""

    changed = Signal(object)  # SourceText; None = nothing is chosen

    def __init__(
        self, worker: Worker, describe: Callable[[], ShownProfile], parent: QObject | None = None
    ) -> None:
        """``describe`` returns what the tab shows now."""
        super().__init__(parent)
        self._worker = worker
        self._describe = describe
        self._top: TopTable | None = None
        self._source_path = ""
        self._is_watched = False
        self._subject: SourceSubject | None = None
        self.model = SourceModel(self)

    @property
    def subject(self) -> SourceSubject | None:
        """The chosen function; None = there is none."""
        return self._subject

    @property
    def is_watched(self) -> bool:
        return self._is_watched

    def watch(self, is_watched: bool) -> None:
        """Note whether a view shows the file: files are read only then."""
        if is_watched != self._is_watched:
            self._is_watched = is_watched
            self._build()

    def set_source_path(self, source_path: str) -> None:
        """Set the folders of sources, with colons between, as for ``list --source-path``."""
        self._source_path = source_path
        self._build()

    def set_table(self, top: TopTable) -> None:
        """Note the functions of another profile, or of a refreshed one."""
        self._top = top
        self._build()

    def choose(self, function: int) -> bool:
        """Choose a function of the table. Returns False if its file is unknown."""
        subject = self.find(function)
        if subject is None:
            return False
        if subject != self._subject:
            self._subject = subject
            self._build()
        return True

    def find(self, function: int) -> SourceSubject | None:
        """Return a function's name and place; None = its file is unknown."""
        top = self._top
        if top is None or not 0 <= function < top.n_functions or not top.file[function]:
            return None
        line = int(top.line[function]) if top.line is not None else 0
        return SourceSubject(top.name[function], top.file[function], line)

    def find_path(self, file: str) -> str:
        """Return the path of a file on this machine; "" = it is not here. Reads the file."""
        found = SourceFiles(self._source_path).find(PathTrim("", self._source_path).shorten(file))
        return "" if found is None else found.path

    def forget(self) -> None:
        """Release large objects, after the document's threads have ended."""
        self._top = None

    def _choose_first(self) -> None:
        """Without a choice, choose the function in a known file with the largest flat value, among
        the first hundred of all."""
        top = self._top
        if self._subject is None and top is not None:
            for function in np.argsort(-np.abs(top.flat), kind="stable")[:100].tolist():
                self._subject = self.find(function)
                if self._subject is not None:
                    return

    def _build(self) -> None:
        if not self._is_watched or self._top is None:
            return
        self._choose_first()
        subject, top, source_path = self._subject, self._top, self._source_path
        if subject is None:
            self._on_read(None)
            return
        shown = self._describe()
        self._worker.submit(
            "source",
            lambda: read_source(subject, shown, top, source_path),
            self._on_read,
            lambda _: self._on_read(None),
        )

    def _on_read(self, text: SourceText | None) -> None:
        if self._is_watched:
            self.model.show_text(text)
            self.changed.emit(text)


def read_source(
    subject: SourceSubject, shown: ShownProfile, top: TopTable, source_path: str
) -> SourceText:
    """Read a function's file with the cost of each line. Any thread. Raises StackglassError."""
    trim = PathTrim("", source_path)
    found = SourceFiles(source_path).find(trim.shorten(subject.file))
    profile = None if shown.read is None else shown.read()
    costs = _sum_costs(subject, profile, shown.sample_type, top, trim)
    taken_ns = 0 if profile is None else profile.time_unix_ns
    return SourceText(
        function=subject.name,
        file=subject.file,
        path="" if found is None else found.path,
        lines=None if found is None else found.lines,
        costs=costs,
        first=find_first_line(costs, subject.line),
        whole=top.total,
        unit=top.unit,
        is_change=top.is_change,
        is_newer=found is not None and 0 < taken_ns < found.changed_unix_ns,
        has_lines=profile is not None,
    )


def _sum_costs(
    subject: SourceSubject,
    profile: Profile | None,
    sample_type: SampleType,
    top: TopTable,
    trim: PathTrim,
) -> LineCosts:
    if profile is None:
        return list_definitions(top, subject.file, subject.name)
    types = list(profile.sample_types)
    at = types.index(sample_type) if sample_type in types else profile.default_type
    return sum_lines(profile, TypeId(at), subject.file, subject.name, trim)
