"""Connects a tab's call graph with the view that shows it; part of the composition root."""

from __future__ import annotations

from stackglass_viewer.function_actions import act_on_function
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.view.graph.panel import CallGraphPanel
from stackglass_viewer.view.window.profile_page import ProfilePage


def connect_call_graph(document: Document, page: ProfilePage) -> None:
    """Connect the call graph now; connect its view when the page makes and first shows the view."""
    graph = document.graph
    page.views_changed.connect(lambda views: graph.watch("graph" in views))
    page.graphs.call_graph_made.connect(lambda panel: _connect_panel(document, page, panel))


def _connect_panel(document: Document, page: ProfilePage, panel: CallGraphPanel) -> None:
    graph, view = document.graph, panel.view
    graph.begun.connect(panel.show_beginning)
    graph.changed.connect(panel.show_scene)
    graph.failed.connect(panel.show_failure)
    panel.limits_chosen.connect(graph.choose_limits)
    view.hold_requested.connect(graph.hold)
    if graph.is_drawing:
        panel.show_beginning()
    view.function_selected.connect(document.selection.choose_function)
    view.step_requested.connect(page.step_requested)
    panel.action_requested.connect(
        lambda name, function: act_on_function(document, page, name, function)
    )
