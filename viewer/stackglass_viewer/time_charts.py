"""Connects a tab's time chart with the view that shows it; part of the composition root."""

from __future__ import annotations

from stackglass_viewer.function_actions import act_on_function
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.lanes_picture import LanesPicture
from stackglass_viewer.typed_filters import edit_span
from stackglass_viewer.view.lanes.panel import TimePanel
from stackglass_viewer.view.window.profile_page import ProfilePage


def connect_time_chart(document: Document, page: ProfilePage) -> None:
    """Connect the chosen span, which filters every view, and the time chart. Connect its view when
    the page makes and first shows the view."""
    document.brush.chosen_changed.connect(page.span_bar.show_span)
    page.span_bar.dropped.connect(document.brush.drop)
    page.span_bar.edit_requested.connect(lambda: edit_span(document, page))
    page.views_changed.connect(lambda views: document.times.watch("time" in views))
    page.graphs.times_made.connect(lambda panel: _connect_panel(document, page, panel))


def _connect_panel(document: Document, page: ProfilePage, panel: TimePanel) -> None:
    times, brush = document.times, document.brush
    times.picture_changed.connect(lambda picture: _show_picture(document, panel, picture))
    times.chart_changed.connect(panel.show_chart)
    times.chart_released.connect(lambda: panel.show_chart(None, is_coming=True))
    times.heat_changed.connect(panel.heat.show_picture)
    times.heat_changed.connect(panel.bar.show_heat)
    brush.chosen_changed.connect(panel.show_span)
    panel.show_span(brush.chosen)
    panel.span_chosen.connect(brush.choose)
    panel.shape_chosen.connect(lambda shape: times.show_heat(shape == "heat"))
    panel.lanes.viewport_changed.connect(times.set_viewport)
    panel.lanes.lane_chosen.connect(times.choose_lane)
    panel.lanes.zoomed.connect(times.zoom)
    panel.lanes.panned.connect(times.pan)
    panel.lanes.all_requested.connect(times.show_all)
    panel.function_selected.connect(document.selection.choose_function)
    panel.copy_requested.connect(page.copy_requested)
    panel.chart.step_requested.connect(page.step_requested)
    panel.action_requested.connect(
        lambda name, function: act_on_function(document, page, name, function)
    )


def _show_picture(document: Document, panel: TimePanel, picture: LanesPicture | None) -> None:
    if picture is None:
        panel.show_nothing(document.times.has_times)
    else:
        panel.show_picture(picture)
