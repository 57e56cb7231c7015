"""Document of one tab: what it shows and what its user chose, built off the GUI thread."""

from __future__ import annotations

import re
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.columns.index import Int64s, TypeId
from stackglass_viewer.model.graph.colours import Palette
from stackglass_viewer.model.graph.search import Matches, Query, find_matches
from stackglass_viewer.presenter.document.flame_scene import (
    FlameScene,
    Highlight,
    find_widest,
    name_of,
    rank_functions,
    rank_matches,
    stack_text,
)
from stackglass_viewer.presenter.document.sandwich import SandwichChoice
from stackglass_viewer.presenter.document.sources import BuildRequest, Built, Source
from stackglass_viewer.presenter.settings.contention_choices import ContentionChoices
from stackglass_viewer.presenter.settings.heap_choices import HeapChoices
from stackglass_viewer.presenter.settings.sample_choice import (
    ContentionChoice,
    HeapChoice,
    arrange,
    find_column,
    find_contention,
    find_entry,
    find_heap,
    find_waited,
)
from stackglass_viewer.presenter.settings.view_state import DocumentInfo, Notice, SearchResult
from stackglass_viewer.presenter.tables.contention_model import ContentionModel
from stackglass_viewer.presenter.tables.heap_model import HeapModel
from stackglass_viewer.presenter.tables.top_model import TopModel
from stackglass_viewer.presenter.worker import Worker


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """What a search found in which scene."""

    pattern: str
    scene: FlameScene
    matches: Matches


@dataclass(frozen=True, slots=True, eq=False)
class _Ranked:
    """The matches of a search in the order in which Enter visits them."""

    found: _Found
    nodes: Int64s


def _share_of(found: _Found) -> float:
    """What a search found, of the whole."""
    if not found.scene.is_difference:
        return found.matches.share
    whole = found.scene.whole
    return found.matches.total / whole if whole else 0.0


class Document(QObject):
    """One tab. GUI thread; everything that takes time happens in its worker."""

    scene_changed = Signal(object)  # FlameScene; None = there are no stacks
    info_changed = Signal(object)  # DocumentInfo
    built = Signal(object)  # Built
    highlight_changed = Signal(object)  # Highlight
    search_changed = Signal(object)  # SearchResult; None = nothing is searched for
    match_reached = Signal(int)  # node of the match that Enter leads to
    function_located = Signal(int)  # the node that ``locate`` found
    function_chosen = Signal(int)  # function that the table is to show; -1 = none
    node_dropped = Signal()  # the selected node is not the selected function's any more
    notice_changed = Signal(object)  # Notice; None = nothing to say

    def __init__(
        self, source: Source, order: str, palette: Palette, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._source: Source | None = source  # None = left
        self._order = order
        self._palette = palette
        self._sample_types = tuple(source.sample_types)
        self._type_index = source.first_type
        shown = arrange(self._sample_types, self._type_index).heap
        self.heap = HeapChoices(shown or HeapChoice(), self)
        self.heap.value_chosen.connect(self._choose_heap)
        self.heap.changed.connect(self.build)
        waited = arrange(self._sample_types, self._type_index).contention
        kinds = find_contention(self._sample_types)
        self.contention = ContentionChoices(
            waited or ContentionChoice(next(iter(kinds), None)), self
        )
        self.contention.value_chosen.connect(self._choose_waits)
        self.contention.changed.connect(self.build)
        self._worker = Worker("build", self)
        self.top = TopModel(self._worker, self)
        self.memory = HeapModel(self)  # the table of memory
        self.contended = ContentionModel(self)  # the table of contention
        self.contention.stack_wanted.connect(self.contended.want_stack)
        self.sandwich = SandwichChoice(self._worker, self)
        self.sandwich.function_revisited.connect(self.choose_function)
        self._scene: FlameScene | None = None
        self._info: DocumentInfo | None = None
        self._pattern = ""
        self._found: _Found | None = None
        self._ranked: _Ranked | None = None
        self._selected_frame = -1
        self._match_at = -1
        self._steps_due = 0  # asked for while the matches are being put in order
        self.span_ns: int | None = None
        self.tids: frozenset[int] | None = None

    @property
    def info(self) -> DocumentInfo | None:
        """None until it was built the first time."""
        return self._info

    @property
    def scene(self) -> FlameScene | None:
        return self._scene

    @property
    def is_building(self) -> bool:
        return self._worker.is_busy("build")

    def leave(self) -> None:
        """End every thread; no signal is emitted any more."""
        self.blockSignals(True)
        self._worker.leave()

    def wait(self) -> None:
        """Until the threads have ended. Any thread; after ``leave``.

        What is large is given back here: unmapping a million nodes takes longer than a frame.
        """
        self._worker.wait()
        self.sandwich.forget()
        self._source = self._scene = self._found = self._ranked = None

    # -- choices

    def build(self) -> None:
        """Make the views anew, with the newest data and choices."""
        request, source = self._request(), self._source
        if source is None:
            return
        self._worker.submit("build", lambda: source.build(request), self._on_built, self._on_failed)

    def choose_type(self, index: int) -> None:
        self._type_index = index
        self.build()

    def choose_entry(self, entry: int) -> None:
        """An entry of the list of sample types, ``DocumentInfo.choice``."""
        self.choose_type(
            find_entry(self._sample_types, entry, self.heap.value, self.contention.value)
        )

    def _choose_heap(self, choice: HeapChoice) -> None:
        if self.has_heap:
            self.choose_type(find_column(self._sample_types, choice))

    def _choose_waits(self, choice: ContentionChoice) -> None:
        if find_contention(self._sample_types):
            self.choose_type(find_waited(self._sample_types, choice))

    @property
    def has_heap(self) -> bool:
        """Whether the heap's values are among the sample types."""
        return find_heap(self._sample_types) is not None

    def choose_order(self, order: str) -> None:
        self._order = order
        self.build()

    def choose_palette(self, palette: Palette) -> None:
        self._palette = palette
        self.build()

    def _request(self) -> BuildRequest:
        return BuildRequest(
            type_index=TypeId(self._type_index),
            order=self._order,
            palette=self._palette,
            arrangement=self.top.wish,
            span_ns=self.span_ns,
            tids=self.tids,
            heap_when=self.heap.when,
            heap_grouping=self.heap.grouping if self.heap.is_table_shown else "",
            waits=self.contention.wanted,
            waits_grouping=self.contention.grouping if self.contention.is_table_shown else None,
        )

    def _on_built(self, built: Built) -> None:
        retired = [self._scene]  # emptied below, when it is no longer shown
        self._scene = built.scene
        # The filter may have changed meanwhile: then the table arranges itself once more.
        is_current = built.arrangement == self.top.wish
        self.top.set_data(built.top, built.rows if is_current else None)
        if built.heap is not None:
            self.memory.set_table(built.heap, built.heap_grouping)
        if built.contention is not None and built.contention.table is not None:
            self.contended.set_table(built.contention.table)
        if built.info != self._info:
            self._info = built.info
            self.info_changed.emit(built.info)
        self.scene_changed.emit(built.scene)
        self.built.emit(built)
        self.sandwich.set_scene(built.scene, self._order, self._palette)
        self._worker.empty(retired)
        self._search()
        self.function_chosen.emit(self._selected_frame)
        self._choose_first()

    def _on_failed(self, error: Exception) -> None:
        self.notice_changed.emit(Notice("error", " ".join(str(error).split())))

    # -- selection

    def select_node(self, node: int) -> None:
        """A frame of the graph was chosen; -1 = none."""
        if self._scene is not None:
            frame = int(self._scene.tree.frame[node]) if node >= 0 else -1
            self._select(frame)
            self.function_chosen.emit(frame)

    def select_function(self, function: int) -> None:
        """A row of the table was chosen."""
        self._select(function)
        self.node_dropped.emit()

    def choose_function(self, function: int) -> None:
        """A function is wanted between its callers and its callees."""
        self._select(function)
        self.node_dropped.emit()
        self.function_chosen.emit(function)

    def frame_of(self, node: int) -> int:
        """The function of a node of the graph; -1 = none."""
        return int(self._scene.tree.frame[node]) if self._scene is not None and node >= 0 else -1

    def show_sandwich(self, is_shown: bool) -> None:
        """It is built while it is looked at."""
        if is_shown != self.sandwich.is_watched:
            self._set_matches(self._found)  # Enter goes by functions, or by boxes
            self._match_at = -1
        self.sandwich.watch(is_shown)
        if is_shown and self._selected_frame != self.sandwich.function >= 0:
            self.choose_function(self.sandwich.function)  # the table follows what is in the middle
        self._choose_first()

    def _choose_first(self) -> None:
        """Without a choice, the first function of the table is shown."""
        if self.sandwich.is_watched and self.sandwich.function < 0 and self.top.rowCount():
            self.choose_function(self.top.function_at(0))

    def _select(self, frame: int) -> None:
        self.sandwich.choose(frame)
        if frame != self._selected_frame:
            self._selected_frame = frame
            self._emit_highlight()

    def locate(self, function: int) -> None:
        """Look for the widest node of a function; ``function_located`` follows if it has one."""
        scene = self._scene
        if scene is None or function < 0:
            return
        self._worker.submit("locate", lambda: find_widest(scene, function), self._on_located)

    def _on_located(self, node: int) -> None:
        if node >= 0:
            self.function_located.emit(node)

    def copy_name(self, node: int) -> str:
        return name_of(self._scene, node) if self._scene is not None else ""

    def copy_stack(self, node: int) -> str:
        return stack_text(self._scene, node) if self._scene is not None else ""

    def pattern_for(self, node: int) -> str:
        """A search that finds this node's function and no other."""
        return f"^{re.escape(self.copy_name(node))}$"

    # -- search

    def search(self, pattern: str) -> None:
        """Look for functions whose name or file matches; "" ends the search."""
        self._pattern = pattern
        self._match_at = -1
        self._steps_due = 0
        self._search()

    def step(self, step: int) -> None:
        """Go to the next (1) or the previous (-1) match, widest first."""
        found = self._found
        if found is None or found.scene is not self._scene:
            return
        self._steps_due += step
        if self._ranked is not None and self._ranked.found is found:
            self._take_steps(self._ranked)
            return
        rank = rank_functions if self.sandwich.is_watched else rank_matches
        self._worker.submit(
            "rank",
            lambda: _Ranked(found, rank(found.scene, found.matches.is_match)),
            self._take_steps,
        )

    def _take_steps(self, ranked: _Ranked) -> None:
        steps, self._steps_due = self._steps_due, 0
        if ranked.found is not self._found:
            return  # it was searched for something else meanwhile
        self._ranked = ranked
        n_matches = len(ranked.nodes)
        if n_matches and steps:
            before = max(self._match_at, 0) if steps < 0 else self._match_at
            self._match_at = (before + steps) % n_matches
            self.match_reached.emit(int(ranked.nodes[self._match_at]))

    def _search(self) -> None:
        pattern, scene = self._pattern, self._scene
        if not pattern or scene is None:
            self._set_matches(None)
            self._emit_highlight()
            self.search_changed.emit(None)
            return
        self._worker.submit(
            "search",
            lambda: _Found(pattern, scene, find_matches(scene.tree, scene.values, Query(pattern))),
            self._on_found,
            self._on_refused,
        )

    def _on_found(self, found: _Found) -> None:
        if found.pattern == self._pattern:
            self._set_matches(found)
            matches = found.matches
            self._emit_highlight()
            self.search_changed.emit(
                SearchResult(found.pattern, matches.n_frames, _share_of(found))
            )

    def _set_matches(self, found: _Found | None) -> None:
        """Not ranked yet. What was there before is given back by the worker: a match is as large
        as the tree, and so is a ranking."""
        retired = [self._found, self._ranked]
        self._found, self._ranked = found, None
        self._worker.empty(retired)

    def _on_refused(self, error: Exception) -> None:
        self._set_matches(None)
        self._emit_highlight()
        self.search_changed.emit(SearchResult(self._pattern, error="invalid pattern"))
        del error

    def _emit_highlight(self) -> None:
        matches = self._found.matches.is_match if self._found is not None else None
        self.highlight_changed.emit(Highlight(matches, self._selected_frame))
