"""Wiring of a document to the page that shows it; part of the composition root."""

from __future__ import annotations

from stackglass_viewer.call_graphs import connect_call_graph
from stackglass_viewer.call_trees import connect_call_tree
from stackglass_viewer.function_actions import act_on_function, open_source
from stackglass_viewer.model.graph.search import exact_pattern
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.flame_scene import name_of, stack_text
from stackglass_viewer.presenter.document.history import History, Place
from stackglass_viewer.presenter.live.debug_downloads import has_server
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.labelled_graph import THREAD
from stackglass_viewer.presenter.settings.contention_choices import ContentionChoices
from stackglass_viewer.presenter.settings.contention_texts import describe_file_contention
from stackglass_viewer.presenter.settings.heap_texts import describe_file_bar
from stackglass_viewer.presenter.settings.preferences import Preferences
from stackglass_viewer.presenter.settings.thread_choice import ALL_THREADS
from stackglass_viewer.presenter.settings.view_state import DocumentInfo
from stackglass_viewer.summaries import connect_summary
from stackglass_viewer.time_charts import connect_time_chart
from stackglass_viewer.trace_lists import connect_traces
from stackglass_viewer.typed_filters import connect_transforms, edit_label, edit_threads
from stackglass_viewer.view.capture.live_bar import LiveBar
from stackglass_viewer.view.contention.view import ContentionView
from stackglass_viewer.view.heap.view import HeapView
from stackglass_viewer.view.labels.view import LabelView
from stackglass_viewer.view.timeline.panel import TimelinePanel
from stackglass_viewer.view.window.live_controls import LiveControls
from stackglass_viewer.view.window.profile_page import ProfilePage

_FUNCTION_VIEWS = ("sandwich", "graph", "time")
"""In these views, a search goes from function to function, not from box to box."""


def connect_document(document: Document, page: ProfilePage) -> None:
    """Make the connections that every tab needs."""
    graph, search, selection = page.flame.graph, document.search, document.selection
    document.scene_changed.connect(page.graphs.show_scene)
    document.info_changed.connect(page.show_info)
    document.info_changed.connect(lambda info: _show_placeholder(info, page))
    document.highlight_changed.connect(page.graphs.set_highlight)
    search.result_changed.connect(page.search.show_result)
    search.match_reached.connect(lambda node: _go_to_match(document, page, node))
    search.function_reached.connect(lambda function: _go_to_function(document, page, function))
    selection.function_chosen.connect(page.top.select_function)
    selection.node_dropped.connect(lambda: graph.select(-1))
    document.notice_changed.connect(page.message.show_notice)
    page.message.closed.connect(lambda _: document.notices.dismiss())
    _connect_sandwich(document, page)
    connect_call_graph(document, page)
    connect_call_tree(document, page)
    connect_traces(document, page)
    connect_time_chart(document, page)

    graph.node_selected.connect(selection.select_node)
    page.top.function_selected.connect(selection.select_function)
    page.top.function_activated.connect(selection.locate)
    selection.function_located.connect(lambda node: _show_function(page, node))
    page.top.filter_changed.connect(document.top.set_filter)
    page.type_chosen.connect(document.choose_entry)
    page.views_changed.connect(lambda views: document.heap.show_table("heap" in views))
    page.heap_bar.value_chosen.connect(
        lambda value: document.heap.choose_measure(value.is_in_use, value.is_space)
    )
    page.tables.heap_made.connect(lambda view: _connect_heap(document, page, view))
    _connect_contention(document, page)
    _connect_labels(document, page)
    _connect_source(document, page)
    connect_summary(document, page)
    connect_transforms(document, page)
    _connect_history(document, page)
    page.views_changed.connect(lambda _: search.visit_functions(page.view in _FUNCTION_VIEWS))
    page.search.pattern_changed.connect(search.set_pattern)
    page.search.step_requested.connect(search.step)
    page.stack_requested.connect(
        lambda node: page.copy_requested.emit(_stack(document, node), "stack")
    )
    page.search_requested.connect(
        lambda node: page.search.set_pattern(exact_pattern(_name(document, node)))
    )


def _name(document: Document, node: int) -> str:
    return name_of(document.scene, node) if document.scene is not None else ""


def _stack(document: Document, node: int) -> str:
    return stack_text(document.scene, node) if document.scene is not None else ""


def _connect_heap(document: Document, page: ProfilePage, view: HeapView) -> None:
    """Connect the table of memory, which has just been made."""
    view.grouping_chosen.connect(document.heap.choose_grouping)
    view.row_chosen.connect(document.memory.choose)
    view.row_chosen.connect(lambda row: _select_named(document, *document.memory.function_at(row)))
    view.name_activated.connect(lambda name: _search_function(page, name))
    if isinstance(document, LiveDocument):
        view.census_requested.connect(document.capture.take_census)


def _connect_contention(document: Document, page: ProfilePage) -> None:
    choices, bar = document.contention, page.contention_bar
    now = document.models_of_now if isinstance(document, LiveDocument) else None
    for threads in now or ():
        threads.function_chosen.connect(lambda name, file: _select_named(document, name, file))
    page.tables.add_contention(document.contended, now)
    page.views_changed.connect(lambda views: choices.show_table("contention" in views))
    bar.kind_chosen.connect(choices.choose_kind)
    bar.measure_chosen.connect(choices.choose_measure)
    bar.lock_chosen.connect(choices.choose_lock)
    bar.primitive_chosen.connect(choices.choose_primitive)
    bar.filters_dropped.connect(choices.drop_filters)
    page.tables.contention_made.connect(lambda view: _connect_contention_view(document, page, view))


def _connect_contention_view(document: Document, page: ProfilePage, view: ContentionView) -> None:
    """Connect the table of contention, which has just been made."""
    choices = document.contention
    view.grouping_chosen.connect(choices.choose_grouping)
    choices.grouping_changed.connect(view.show_grouping)
    view.row_chosen.connect(document.contended.choose)
    view.row_chosen.connect(
        lambda row: _select_named(document, *document.contended.function_at(row))
    )
    view.side_activated.connect(choices.follow)
    view.name_activated.connect(lambda name: _search_function(page, name))
    view.lock_activated.connect(lambda lock: _show_lock(choices, lock))
    if isinstance(document, LiveDocument):
        document.waiting_changed.connect(view.show_waiting)
        document.remedies_changed.connect(view.set_remedies)
        document.waiting.no_waiting_changed.connect(view.show_no_waiting)
        view.show_no_waiting(document.waiting.no_waiting)
        document.threads_now.empty_changed.connect(view.show_no_threads)
        view.show_no_threads(document.threads_now.empty)
        view.remedy_chosen.connect(document.take_remedy)


def _select_named(document: Document, name: str, file: str) -> None:
    """Select the function of a table's row in every view; a lock's row, say, has none."""
    function = document.top.find_function(name, file)
    if function >= 0:
        document.selection.choose_function(function)


def _connect_source(document: Document, page: ProfilePage) -> None:
    source = document.source
    page.tables.add_source(source.model)
    page.views_changed.connect(lambda views: _watch_source(document, "source" in views))
    document.selection.changed.connect(lambda: _follow_selection(document))
    page.tables.source_made.connect(lambda view: source.changed.connect(view.show_text))
    page.source_requested.connect(
        lambda node: open_source(document, page, document.selection.function_of(node))
    )
    page.top.action_requested.connect(
        lambda name, function: act_on_function(document, page, name, function)
    )


def _watch_source(document: Document, is_shown: bool) -> None:
    """Start or stop the source view. It opens at the selected function and follows it."""
    if is_shown and not document.source.is_watched:
        document.source.follow(document.selection.function)
    document.source.watch(is_shown)


def _follow_selection(document: Document) -> None:
    if document.source.is_watched:
        document.source.follow(document.selection.function)


def _watch_sandwich(document: Document, is_shown: bool) -> None:
    if is_shown != document.sandwich.is_watched:
        document.show_sandwich(is_shown)


def _connect_history(document: Document, page: ProfilePage) -> None:
    """Connect the history last: it reads what the other handlers of these signals have shown."""
    history, camera = History(lambda: _read_place(document, page), document), page.graphs.camera
    document.built.connect(lambda _: history.begin())
    page.view_chosen.connect(lambda _: history.note())
    document.selection.changed.connect(lambda: history.note())
    document.filters.changed.connect(lambda is_moving: history.note(is_moving=is_moving))
    document.filters.labels_renamed.connect(history.rename_labels)
    camera.stepped.connect(history.note)
    camera.reset.connect(document.placing.begin_anew)
    camera.restarted.connect(history.forget_zoom)
    history.changed.connect(page.show_history)
    history.place_wanted.connect(lambda place: _go_to_place(document, page, place))
    page.step_requested.connect(history.go)


def _read_place(document: Document, page: ProfilePage) -> Place:
    return Place(
        page.view,
        document.selection.key,
        document.filters.current,
        page.graphs.camera.navigation.view,
    )


def _go_to_place(document: Document, page: ProfilePage, place: Place) -> None:
    """Show a place of the history."""
    now = _read_place(document, page)
    is_filtered_anew = place.filters != now.filters
    document.filters.choose(place.filters)
    if place.view != now.view:
        page.show_view(place.view)
    if place.function != now.function:
        document.selection.choose_function(document.selection.find(place.function))
    page.graphs.restore_zoom(place.zoom, is_of_next=is_filtered_anew)


def _connect_labels(document: Document, page: ProfilePage) -> None:
    choices = document.labels
    page.tables.add_labels(document.labelled)
    page.views_changed.connect(lambda views: choices.show_table("labels" in views))
    choices.chosen_changed.connect(page.label_bar.show_chosen)
    choices.split_changed.connect(page.label_bar.show_split)
    choices.chosen_changed.connect(page.legend.show_chosen)
    document.legend_changed.connect(page.legend.show_legend)
    page.legend.label_toggled.connect(choices.toggle)
    page.label_bar.split_dropped.connect(lambda: choices.split(""))
    page.label_bar.label_dropped.connect(choices.toggle)
    page.label_bar.all_dropped.connect(choices.drop_all)
    page.label_bar.label_changed.connect(choices.change)
    page.label_bar.edit_requested.connect(lambda label: edit_label(document, page, label))
    page.tables.labels_made.connect(lambda view: _connect_label_view(document, page, view))


def _connect_label_view(document: Document, page: ProfilePage, view: LabelView) -> None:
    """Connect the table of labels, which has just been made."""
    choices = document.labels
    view.key_chosen.connect(choices.choose_key)
    view.split_chosen.connect(choices.split)
    view.colour_chosen.connect(choices.colour)
    document.legend_changed.connect(view.show_legend)
    choices.split_changed.connect(view.show_split)
    view.show_split(choices.split_key)
    view.offer_split(document.info is not None and document.info.can_split)
    document.info_changed.connect(lambda info: view.offer_split(info.can_split))
    view.label_chosen.connect(choices.choose_only)
    view.label_toggled.connect(choices.toggle)
    view.label_activated.connect(choices.choose_only)
    view.label_activated.connect(lambda _: page.show_view("flame"))


def _show_lock(choices: ContentionChoices, lock: int) -> None:
    """Show the stacks that wait for a lock, which was double-clicked."""
    if lock >= 0:
        choices.choose_lock(lock)
        choices.choose_grouping("stacks")


def _connect_sandwich(document: Document, page: ProfilePage) -> None:
    sandwich = document.sandwich
    sandwich.changed.connect(page.graphs.show_sandwich)
    page.views_changed.connect(lambda views: _watch_sandwich(document, "sandwich" in views))
    page.function_requested.connect(document.selection.choose_function)
    page.sandwich_requested.connect(lambda node: _open_sandwich(document, page, node))
    page.graphs.sandwich_made.connect(
        lambda view: view.action_requested.connect(
            lambda name, function: act_on_function(document, page, name, function)
        )
    )


def _open_sandwich(document: Document, page: ProfilePage, node: int) -> None:
    """Show the sandwich of a frame of the flame graph."""
    function = document.selection.function_of(node)
    if function >= 0:
        document.selection.choose_function(function)
        page.show_view("sandwich")
        if page.graphs.sandwich is not None:
            page.graphs.sandwich.setFocus()


def _go_to_function(document: Document, page: ProfilePage, function: int) -> None:
    document.selection.choose_function(function)
    if page.view == "graph" and page.graphs.call_graph is not None:
        page.graphs.call_graph.go_to(function, document.top.name_of(function))


def _go_to_match(document: Document, page: ProfilePage, node: int) -> None:
    function = document.selection.function_of(node)
    if page.view in ("sandwich", "graph"):
        _go_to_function(document, page, function)
    elif page.view == "time" and page.graphs.times is not None:
        document.selection.choose_function(function)
        page.graphs.times.go_to(function, document.top.name_of(function))
    elif page.view == "tree" and page.tables.tree is not None:
        page.tables.tree.go_to(node)
    else:
        page.flame.graph.go_to(node)
        document.selection.select_node(node)  # the sandwich will open at this node


def connect_live_document(document: LiveDocument, page: ProfilePage, live: LiveControls) -> None:
    """Make the further connections that the tab of a process or session needs."""
    bar = live.bar
    bar.set_span(document.span)
    document.status_changed.connect(page.show_status)
    document.bars.heap_changed.connect(page.show_heap_state)
    document.heap_costs_changed.connect(bar.heap_rate.show_costs)
    bar.heap_rate_chosen.connect(document.capture.set_heap_rate)
    document.bars.contention_changed.connect(page.show_contention_state)
    bar.contention_chosen.connect(document.capture.set_contention)
    page.heap_bar.when_chosen.connect(document.heap.choose_when)
    page.heap_bar.collect_requested.connect(document.capture.collect)
    document.placeholder_changed.connect(page.set_placeholder)
    bar.rate_chosen.connect(document.capture.set_rate)
    bar.wall_rate_chosen.connect(document.capture.set_wall_rate)
    bar.native_chosen.connect(document.capture.set_native)
    bar.pause_toggled.connect(document.pause)
    bar.clear_requested.connect(document.clear)
    bar.detach_requested.connect(document.capture.detach)
    bar.attach_requested.connect(document.attach_again_requested)
    bar.span_chosen.connect(document.choose_span)
    live.thread_bar.dropped.connect(lambda: document.threads.restore(ALL_THREADS))
    live.thread_bar.edit_requested.connect(lambda: edit_threads(document, page))
    bar.threads.split_toggled.connect(lambda on: document.labels.split(THREAD if on else ""))
    document.labels.split_changed.connect(lambda key: bar.threads.show_split(key == THREAD))
    document.span_wanted.connect(bar.choose_span)
    document.view_wanted.connect(page.show_view)
    document.contention_wanted.connect(bar.contention_chosen)
    page.message.action_requested.connect(document.take_action)
    live.marker_requested.connect(document.timeline.markers.put)
    live.replay_toggled.connect(document.replay.toggle)
    live.speed_stepped.connect(document.replay.step_speed)
    live.timeline_made.connect(lambda panel: _connect_replay(document, panel))
    document.downloads.progressed.connect(live.download.show_progress)
    live.download.cancel_requested.connect(document.downloads.cancel)
    live.has_debug_server = has_server()


def _connect_replay(document: LiveDocument, panel: TimelinePanel) -> None:
    document.replay.changed.connect(panel.replay.show_state)
    panel.replay.show_state(document.replay.state)


def remember_choices(bar: LiveBar, preferences: Preferences) -> None:
    """Store what the user chooses for a capture: the next one begins with the same choices."""

    def remember(name: str, value: object) -> None:
        setattr(preferences, name, value)

    # A CPU rate of 0 is not stored: the next capture would show nothing at first.
    bar.rate_chosen.connect(lambda hz: remember("rate_hz", hz) if hz else None)
    bar.wall_rate_chosen.connect(lambda hz: remember("wall_hz", hz))
    bar.native_chosen.connect(lambda is_on: remember("has_native_stacks", is_on))
    bar.heap_rate_chosen.connect(lambda rate: remember("heap_rate", rate))
    bar.contention_chosen.connect(lambda rates: remember("contention_rates", rates))
    bar.span_chosen.connect(lambda span: preferences.set_choice("span", span))


def _show_placeholder(info: DocumentInfo, page: ProfilePage) -> None:
    if info.is_live:
        return
    if info.choice.heap is not None:
        page.show_heap_state(describe_file_bar(info.choice.heap))
    if info.choice.contention is not None:
        page.show_contention_state(describe_file_contention(info.choice.contention))
    if not info.has_samples:
        page.set_placeholder(*info.emptiness)
    elif info.is_filtered_out:
        page.set_placeholder(
            "Nothing left", "No sample passes the filters. Ctrl+Z undoes the last."
        )
    else:
        page.set_placeholder("Nothing here", "The profile has no values of this type.")
    if not info.has_stacks:
        page.flame.graph.set_placeholder(
            "No flame graph",
            "This file records functions and their callers but no stacks, so there is no "
            "flame graph to draw. The table shows all of it.",
        )
        if page.view in ("flame", "both"):
            page.show_view("top")


def _search_function(page: ProfilePage, name: str) -> None:
    """Search the flame graph for the function of a row that was double-clicked."""
    if not name:
        return
    page.show_view("flame")
    page.search.set_pattern(exact_pattern(name))


def _show_function(page: ProfilePage, node: int) -> None:
    """Show a function in the flame graph, after a double click on its row in a table."""
    if page.view == "sandwich":
        return  # the sandwich shows the function already
    if page.view == "top":
        page.show_view("both")
    page.flame.graph.go_to(node)
