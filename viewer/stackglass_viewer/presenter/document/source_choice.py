"""Source choice of a tab: the function whose file is shown line by line."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.columns.index import Int64s, TypeId
from stackglass_viewer.model.graph.line_costs import LineCosts, list_definitions, sum_lines
from stackglass_viewer.model.graph.own_functions import (
    find_own,
    is_of_engine,
    list_costs_of,
    sum_own,
)
from stackglass_viewer.model.graph.path_trim import PathTrim
from stackglass_viewer.model.graph.source_files import SourceFiles
from stackglass_viewer.model.graph.top import TopTable, measure_whole
from stackglass_viewer.model.profile.profile import Profile, SampleType
from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.tables.source_model import (
    SourceModel,
    SourceText,
    find_first_line,
)
from stackglass_viewer.presenter.worker import Worker

_MOST_TRIED = 100  # functions for which a file is looked for


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
        self._scene: FlameScene | None = None
        self._called = -1  # selected function without a file: its caller is to be chosen
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

    def set_table(self, top: TopTable, scene: FlameScene | None = None) -> None:
        """Note the functions of another profile, or of a refreshed one. ``scene``: the graph with
        callers first; None = there is none."""
        self._top, self._scene = top, scene
        self._build()

    def choose(self, function: int) -> bool:
        """Choose a function of the table. Returns False if its file is unknown."""
        subject = self.find(function)
        if subject is None:
            return False
        was_called, self._called = self._called, -1
        if subject != self._subject or was_called >= 0:
            self._subject = subject
            self._build()
        return True

    def follow(self, function: int) -> None:
        """Choose the selected function, or the caller of one whose file is unknown, such as
        ``_thread.lock.__enter__``; -1 = none is selected."""
        if not self.choose(function) and function >= 0:
            self._called = function
            self._build()

    def find(self, function: int) -> SourceSubject | None:
        """Return a function's name and place; None = its file is unknown."""
        top = self._top
        return _find_subject(top, function) if top and 0 <= function < top.n_functions else None

    def find_path(self, file: str) -> str:
        """Return the path of a file on this machine; "" = it is not here. Reads the file."""
        found = SourceFiles(self._source_path).find(PathTrim("", self._source_path).shorten(file))
        return "" if found is None else found.path

    def forget(self) -> None:
        """Release large objects, after the document's threads have ended."""
        self._top = self._scene = None

    def _build(self) -> None:
        if not self._is_watched or self._top is None:
            return
        subject, called, source_path = self._subject, self._called, self._source_path
        shown, costs = self._describe(), FunctionCosts(self._top, self._scene)

        def read() -> tuple[SourceSubject | None, SourceText | None]:
            chosen = choose_caller(costs, called, source_path) if called >= 0 else None
            chosen = chosen or subject or choose_first(costs, source_path)
            if chosen is None:
                return None, None
            return chosen, read_source(chosen, shown, costs.top, source_path)

        self._worker.submit(
            "source",
            read,
            lambda result: self._on_chosen(called, *result),
            lambda _: self._on_read(None),
        )

    def _on_chosen(
        self, called: int, subject: SourceSubject | None, text: SourceText | None
    ) -> None:
        """Keep what the worker has chosen, unless the user has chosen something meanwhile."""
        if called != self._called or (called < 0 and self._subject not in (None, subject)):
            return  # its text is being read
        self._subject, self._called = subject, -1
        self._on_read(text)

    def _on_read(self, text: SourceText | None) -> None:
        if self._is_watched:
            self.model.show_text(text)
            self.changed.emit(text)


class FunctionCosts(NamedTuple):
    """The functions of a tab, and the graph that they are on."""

    top: TopTable
    scene: FlameScene | None  # None = there are no stacks


def choose_first(costs: FunctionCosts, source_path: str) -> SourceSubject | None:
    """Choose the function of the program with the greatest cost. A program without functions of its
    own has another one chosen, but none of the engine. None = there is none. Any thread."""
    top, scene = costs
    is_own = find_own(top.name, top.file)
    if scene is None:
        sums = np.where(is_own, top.flat, 0)
    else:
        sums = sum_own(scene.tree, is_own, scene.values.own)
    return _find_first(top, _rank(sums), source_path) or _find_first(
        top, _rank(top.flat), source_path
    )


def choose_caller(costs: FunctionCosts, called: int, source_path: str) -> SourceSubject | None:
    """Choose the function of the program with the greatest cost in ``called``; None = there is
    none. Any thread."""
    top, scene = costs
    if scene is None:
        return None
    of_called = list_costs_of(scene.tree, scene.values.total, called)
    sums = sum_own(scene.tree, find_own(top.name, top.file), of_called)
    return _find_first(top, _rank(sums), source_path)


def _rank(sums: Int64s) -> list[int]:
    """Return the functions with a cost, the greatest first."""
    order = np.argsort(-np.abs(sums), kind="stable")[:_MOST_TRIED]
    return [function for function in order.tolist() if sums[function]]


def _find_first(top: TopTable, ranked: list[int], source_path: str) -> SourceSubject | None:
    """Return the first function with a file on this machine, else the first with a file."""
    files, trim = SourceFiles(source_path), PathTrim("", source_path)
    subjects = [_find_subject(top, each) for each in ranked if not is_of_engine(top.name[each])]
    known = [each for each in subjects if each is not None]
    is_here = (each for each in known if files.find(trim.shorten(each.file)) is not None)
    return next(is_here, known[0] if known else None)


def _find_subject(top: TopTable, function: int) -> SourceSubject | None:
    """Return a function's name and place; None = its file is unknown."""
    if not top.file[function]:
        return None
    line = int(top.line[function]) if top.line is not None else 0
    return SourceSubject(top.name[function], top.file[function], line)


def read_source(
    subject: SourceSubject, shown: ShownProfile, top: TopTable, source_path: str
) -> SourceText:
    """Read a function's file with the cost of each line. Any thread. Raises StackglassError."""
    trim = PathTrim("", source_path)
    found = SourceFiles(source_path).find(trim.shorten(subject.file))
    profile = None if shown.read is None else shown.read()
    costs, whole = _sum_costs(subject, profile, shown.sample_type, top, trim)
    taken_ns = 0 if profile is None else profile.time_unix_ns
    return SourceText(
        function=subject.name,
        file=subject.file,
        path="" if found is None else found.path,
        lines=None if found is None else found.lines,
        costs=costs,
        first=find_first_line(costs, subject.line),
        whole=whole,
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
) -> tuple[LineCosts, int]:
    """Return the cost of each line, and the total of the same samples: the table may be of an
    earlier moment than the profile of a running process."""
    if profile is None:
        return list_definitions(top, subject.file, subject.name), top.total
    types = list(profile.sample_types)
    at = TypeId(types.index(sample_type) if sample_type in types else profile.default_type)
    costs = sum_lines(profile, at, subject.file, subject.name, trim)
    return costs, top.total if top.is_change else measure_whole(profile, at)
