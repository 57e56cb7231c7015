"""Search of a tab: the functions that a pattern finds, and the way from match to match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.columns.index import Bools, Int64s
from stackglass_viewer.model.graph.search import Matches, Query, find_matches, match_frames
from stackglass_viewer.model.graph.top import TopTable
from stackglass_viewer.presenter.document.flame_scene import (
    FlameScene,
    find_present,
    rank_functions,
    rank_matches,
)
from stackglass_viewer.presenter.settings.view_state import SearchResult
from stackglass_viewer.presenter.worker import Worker

_MOST_COMPARED = 1000  # functions: in the GUI thread, at each refresh


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """What a search found, and in which scene or table."""

    pattern: str
    subject: FlameScene | TopTable
    matches: Matches

    @property
    def share(self) -> float | None:
        """The matches' share of the whole graph; None = not known, as without stacks."""
        if isinstance(self.subject, TopTable):
            return None
        if not self.subject.is_difference:
            return self.matches.share
        whole = self.subject.whole
        return self.matches.total / whole if whole else 0.0


@dataclass(frozen=True, slots=True, eq=False)
class _Ranked:
    """The matches of a search in the order in which Enter visits them."""

    found: _Found
    places: Int64s  # nodes of a scene, functions of a table


class Search(QObject):
    """Searches a document's scene, or without stacks its functions, in its worker. GUI thread."""

    matches_changed = Signal()
    result_changed = Signal(object)  # SearchResult; None = nothing is searched for
    match_reached = Signal(int)  # node of the match that Enter leads to
    function_reached = Signal(int)  # for a file without stacks: the function that Enter leads to

    def __init__(self, worker: Worker, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._worker = worker
        self._subject: FlameScene | TopTable | None = None
        self._pattern = ""
        self._found: _Found | None = None
        self._ranked: _Ranked | None = None
        self._result: SearchResult | None = None  # the last one that was emitted
        self._match_at = -1
        self._n_places = 0  # number of matches when Enter was pressed last
        self._steps_due = 0  # requested while the matches are being found or ranked
        self._is_by_function = False

    @property
    def matches(self) -> Bools | None:
        """(n_frames,) whether each function is found; None = nothing is searched for."""
        return self._found.matches.is_match if self._found is not None else None

    def set_subject(self, subject: FlameScene | TopTable) -> None:
        """Search another graph, or the functions of a file without stacks, for the same pattern.
        Until that is done, the earlier matches stay if they are the same functions there."""
        self._subject = subject
        if self._found is not None and not _has_matches(subject, self._found):
            self._set_found(None)
            self.matches_changed.emit()
        self._search()

    def set_pattern(self, pattern: str) -> None:
        """Look for functions with this pattern in their name or file; "" ends the search."""
        self._pattern = pattern
        self._match_at = -1
        self._steps_due = 0
        self._search()

    def visit_functions(self, is_by_function: bool) -> None:
        """Let Enter go from function to function, or from box to box."""
        if is_by_function != self._is_by_function:
            self._is_by_function = is_by_function
            self._set_found(self._found)
            self._match_at = -1

    def step(self, step: int) -> None:
        """Go to the next (1) or the previous (-1) match, widest first. While the graph is being
        searched, the step is taken as soon as the search is done."""
        if self._pattern:
            self._steps_due += step
            self._catch_up()

    def _catch_up(self) -> None:
        """Take the steps that are due, in the graph that is shown."""
        found = self._found
        if not self._steps_due or found is None or found.subject is not self._subject:
            return
        if self._ranked is not None and self._ranked.found is found:
            self._take_steps(self._ranked)
            return
        is_by_function = self._is_by_function
        self._worker.submit("rank", lambda: _rank(found, is_by_function), self._take_steps)

    def forget(self) -> None:
        """Release large objects, after the document's threads have ended."""
        self._subject = self._found = self._ranked = None

    def _take_steps(self, ranked: _Ranked) -> None:
        if ranked.found is not self._found:
            return  # another graph has been searched meanwhile: _on_found goes on
        steps, self._steps_due = self._steps_due, 0
        self._ranked = ranked
        n_matches = len(ranked.places)
        if n_matches and steps:
            before = max(self._match_at, 0) if steps < 0 else self._match_at
            self._match_at = (before + steps) % n_matches
            self._n_places = n_matches
            self.result_changed.emit(self._describe(ranked.found))
            is_table = isinstance(ranked.found.subject, TopTable)
            reached = self.function_reached if is_table else self.match_reached
            reached.emit(int(ranked.places[self._match_at]))

    def _search(self) -> None:
        pattern, subject = self._pattern, self._subject
        if not pattern or subject is None:
            self._show(None, None)
            return
        self._worker.submit(
            "search",
            lambda: _find(pattern, subject),
            self._on_found,
            lambda _: self._show(None, SearchResult(self._pattern, error="invalid pattern")),
        )

    def _on_found(self, found: _Found) -> None:
        if found.pattern == self._pattern:
            self._show(found, self._describe(found))
            self._catch_up()

    def _describe(self, found: _Found) -> SearchResult:
        """Return the result. The place of the match that Enter led to outlives refreshes."""
        result = SearchResult(found.pattern, found.matches.n_frames, found.share)
        if self._match_at < 0:
            return result
        return replace(result, place=self._match_at + 1, n_places=self._n_places)

    def _show(self, found: _Found | None, result: SearchResult | None) -> None:
        if found is None and self._found is None and result == self._result:
            return  # as at each refresh of a live graph without a search
        self._result = result
        self._set_found(found)
        self.matches_changed.emit()
        self.result_changed.emit(result)

    def _set_found(self, found: _Found | None) -> None:
        """Set the matches, not ranked yet. The worker releases the earlier matches and their
        ranking: each is as large as the tree."""
        retired = [self._found, self._ranked]
        self._found, self._ranked = found, None
        self._worker.empty(retired)


def _name_functions(subject: FlameScene | TopTable) -> Sequence[str]:
    return subject.name if isinstance(subject, TopTable) else subject.tree.frame_name


def _has_matches(subject: FlameScene | TopTable, found: _Found) -> bool:
    """Whether functions that were found have the same numbers in another graph. A server may list
    its functions in another order at each refresh."""
    before, now = _name_functions(found.subject), _name_functions(subject)
    rows = np.flatnonzero(found.matches.is_match)[:_MOST_COMPARED]
    return all(row < len(now) and now[row] == before[row] for row in rows.tolist())


def _find(pattern: str, subject: FlameScene | TopTable) -> _Found:
    """Search a graph or a table. Raises PatternError."""
    query = Query(pattern)
    if isinstance(subject, TopTable):
        is_match = match_frames(subject.name, subject.file, query)
        is_match = is_match & ((subject.flat != 0) | (subject.cum != 0))  # others have no row
        return _Found(pattern, subject, Matches(is_match, int(is_match.sum()), 0, 0.0))
    is_shown = find_present(subject, slice(None))
    return _Found(pattern, subject, find_matches(subject.tree, subject.values, query, is_shown))


def _rank(found: _Found, is_by_function: bool) -> _Ranked:
    subject, is_match = found.subject, found.matches.is_match
    if isinstance(subject, TopTable):
        rows = np.flatnonzero(is_match)
        order = np.argsort(-np.abs(subject.cum[rows]), kind="stable")
        return _Ranked(found, rows[order].astype(np.int64))
    rank = rank_functions if is_by_function else rank_matches
    return _Ranked(found, rank(subject, is_match))
