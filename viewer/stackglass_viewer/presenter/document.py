"""What one tab shows and what its user chose; builds it all off the GUI thread."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal

from stackglass_viewer.model.colours import Palette
from stackglass_viewer.model.index import TypeId
from stackglass_viewer.model.search import Matches, Query, find_matches
from stackglass_viewer.presenter.flame_scene import (
    FlameScene,
    Highlight,
    name_of,
    stack_text,
)
from stackglass_viewer.presenter.sources import BuildRequest, Built, Source
from stackglass_viewer.presenter.top_model import TopModel
from stackglass_viewer.presenter.values import DocumentInfo, Notice, SearchResult
from stackglass_viewer.presenter.worker import Worker


@dataclass(frozen=True, slots=True, eq=False)
class _Found:
    """What a search found in which scene."""

    pattern: str
    scene: FlameScene
    matches: Matches


class Document(QObject):
    """One tab. GUI thread; everything that takes time happens in its worker."""

    scene_changed = Signal(object)  # FlameScene; None = there are no stacks
    info_changed = Signal(object)  # DocumentInfo
    built = Signal(object)  # Built
    highlight_changed = Signal(object)  # Highlight
    search_changed = Signal(object)  # SearchResult; None = nothing is searched for
    match_reached = Signal(int)  # node of the match that Enter leads to
    function_chosen = Signal(int)  # function that the table is to show; -1 = none
    node_dropped = Signal()  # the selected node is not the selected function's any more
    notice_changed = Signal(object)  # Notice; None = nothing to say

    def __init__(
        self, source: Source, order: str, palette: Palette, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._source = source
        self._order = order
        self._palette = palette
        self._type_index = source.first_type
        self._worker = Worker("build", self)
        self.top = TopModel(self._worker, self)
        self._scene: FlameScene | None = None
        self._info: DocumentInfo | None = None
        self._pattern = ""
        self._found: _Found | None = None
        self._selected_frame = -1
        self._match_at = -1
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

    def stop(self) -> None:
        """Wait for the worker's thread to end."""
        self._worker.stop()

    # -- choices

    def build(self) -> None:
        """Make the views anew, with the newest data and choices."""
        request = self._request()
        source = self._source
        self._worker.submit("build", lambda: source.build(request), self._on_built, self._on_failed)

    def choose_type(self, index: int) -> None:
        self._type_index = index
        self.build()

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
        )

    def _on_built(self, built: Built) -> None:
        self._scene = built.scene
        # The filter may have changed meanwhile: then the table arranges itself once more.
        is_current = built.arrangement == self.top.wish
        self.top.set_data(built.top, built.rows if is_current else None)
        if built.info != self._info:
            self._info = built.info
            self.info_changed.emit(built.info)
        self.scene_changed.emit(built.scene)
        self.built.emit(built)
        self._search()
        self.function_chosen.emit(self._selected_frame)

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

    def _select(self, frame: int) -> None:
        if frame != self._selected_frame:
            self._selected_frame = frame
            self._emit_highlight()

    def first_node_of(self, function: int) -> int:
        """The widest node of a function in the graph; -1 = it has none."""
        scene = self._scene
        if scene is None or function < 0:
            return -1
        nodes = np.flatnonzero(scene.tree.frame == function)
        if not len(nodes):
            return -1
        return int(nodes[np.argmax(scene.values.total[nodes])])

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
        self._search()

    def step(self, step: int) -> None:
        """Go to the next (1) or the previous (-1) match, widest first."""
        found, scene = self._found, self._scene
        if found is None or scene is None or found.scene is not scene:
            return
        is_hit = np.zeros(scene.tree.n_nodes, dtype=np.bool_)
        is_hit[1:] = found.matches.is_match[scene.tree.frame[1:]]
        is_hit &= (scene.layout.box_of_node >= 0) & ~scene.tree.is_recursive
        nodes = np.flatnonzero(is_hit)
        if len(nodes):
            by_width = nodes[np.argsort(-scene.values.total[nodes], kind="stable")]
            self._match_at = (self._match_at + step) % len(by_width)
            self.match_reached.emit(int(by_width[self._match_at]))

    def _search(self) -> None:
        pattern, scene = self._pattern, self._scene
        if not pattern or scene is None:
            self._found = None
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
            self._found = found
            matches = found.matches
            self._emit_highlight()
            self.search_changed.emit(SearchResult(found.pattern, matches.n_frames, matches.share))

    def _on_refused(self, error: Exception) -> None:
        self._found = None
        self._emit_highlight()
        self.search_changed.emit(SearchResult(self._pattern, error="no regular expression"))
        del error

    def _emit_highlight(self) -> None:
        matches = self._found.matches.is_match if self._found is not None else None
        self.highlight_changed.emit(Highlight(matches, self._selected_frame))
