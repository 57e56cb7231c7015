"""Connects a tab's traces with the view that shows them; part of the composition root."""

from __future__ import annotations

from collections.abc import Sequence

from stackglass_viewer.model.graph.search import exact_pattern
from stackglass_viewer.model.graph.trace_list import find_path
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.view.traces.view import TraceView
from stackglass_viewer.view.window.profile_page import ProfilePage


def connect_traces(document: Document, page: ProfilePage) -> None:
    """Connect the traces of a tab. Their view is made when it is first shown."""
    page.tables.add_traces(document.traces.model, document.traces.stack)
    page.views_changed.connect(lambda views: document.traces.watch("traces" in views))
    page.tables.traces_made.connect(lambda view: _connect_view(document, page, view))


def _connect_view(document: Document, page: ProfilePage, view: TraceView) -> None:
    traces = document.traces
    view.pattern_changed.connect(traces.set_search)
    view.row_chosen.connect(traces.choose)
    traces.details_changed.connect(view.show_details)
    view.stack_activated.connect(lambda names: _show_stack(document, page, names))
    view.name_activated.connect(lambda name: _search_function(page, name))


def _show_stack(document: Document, page: ProfilePage, names: Sequence[str]) -> None:
    """Go to a stack in the flame graph, or search for its leaf if the graph has no such path."""
    scene = document.scene
    if scene is None or not names:
        return
    node = find_path(scene.tree, names if scene.is_inverted else names[::-1])
    if node > 0:
        page.show_view("flame")
        page.flame.graph.go_to(node)
        document.selection.select_node(node)
    else:
        _search_function(page, names[0])


def _search_function(page: ProfilePage, name: str) -> None:
    if name:
        page.show_view("flame")
        page.search.set_pattern(exact_pattern(name))
