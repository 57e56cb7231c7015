"""Connects a tab's call tree with the view that shows it; part of the composition root."""

from __future__ import annotations

from stackglass_viewer.function_actions import act_on_function
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.flame_scene import Highlight
from stackglass_viewer.view.graph.tree_view import CallTreeView
from stackglass_viewer.view.window.profile_page import ProfilePage


def connect_call_tree(document: Document, page: ProfilePage) -> None:
    """Connect the view when the page makes it, to show it for the first time."""
    page.tables.tree_made.connect(lambda view: _connect_view(document, page, view))


def _connect_view(document: Document, page: ProfilePage, view: CallTreeView) -> None:
    view.show_scene(document.scene)
    document.scene_changed.connect(view.show_scene)
    view.function_selected.connect(document.selection.choose_function)
    selection = document.selection
    selection.changed.connect(lambda: view.select_function(selection.function))
    view.select_function(selection.function)
    view.offer_transforms(document.info is not None and document.info.can_filter)
    document.info_changed.connect(lambda info: view.offer_transforms(info.can_filter))
    document.begun_anew.connect(view.begin_anew)
    document.highlight_changed.connect(view.set_highlight)
    view.set_highlight(Highlight(document.search.matches))
    view.path_requested.connect(page.path_requested)
    view.action_requested.connect(
        lambda name, function: act_on_function(document, page, name, function)
    )
