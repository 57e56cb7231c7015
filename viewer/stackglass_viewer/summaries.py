"""Connects a tab's summary with the view that shows it; part of the composition root."""

from __future__ import annotations

from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.sentences import WAITING_THREADS, Sentence
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.texts import SHOW_WAITS, describe_deadlock
from stackglass_viewer.presenter.live.waiting import Waiting
from stackglass_viewer.view.summary.view import SummaryView
from stackglass_viewer.view.window.profile_page import ProfilePage


def connect_summary(document: Document, page: ProfilePage) -> None:
    """Connect the summary now; connect its view when the page makes and first shows the view."""
    page.views_changed.connect(lambda views: document.summary.watch("summary" in views))
    page.tables.summary_made.connect(lambda view: _connect_view(document, page, view))
    if isinstance(document, LiveDocument):
        waiting = document.waiting
        waiting.deadlocks_changed.connect(lambda: _add_deadlocks(document, waiting))


def _add_deadlocks(document: Document, waiting: Waiting) -> None:
    document.summary.set_deadlocks(tuple(map(describe_deadlock, waiting.known_deadlocks)))


def _connect_view(document: Document, page: ProfilePage, view: SummaryView) -> None:
    document.summary.changed.connect(view.show_sentences)
    view.sentence_chosen.connect(lambda sentence: _follow(document, page, sentence))


def _follow(document: Document, page: ProfilePage, sentence: Sentence) -> None:
    """Show what a sentence is about."""
    if sentence.target == WAITING_THREADS:
        if isinstance(document, LiveDocument):
            document.take_action(SHOW_WAITS)
        return
    if sentence.sample_type is not None:
        document.choose_sample_type(sentence.sample_type)
    if sentence.label_key:
        document.labels.choose_key(sentence.label_key)
    if sentence.target == "top":
        page.top.set_filter(sentence.pattern)
    if sentence.function >= 0 or sentence.target == "top":
        document.selection.choose_function(sentence.function)
    page.show_view(sentence.target)
    if sentence.target == "flame" and sentence.node >= 0:
        graph = page.flame.graph
        if graph.scene is not None and not graph.scene.is_inverted:
            graph.select(sentence.node)
            graph.camera.zoom_to(sentence.node)
