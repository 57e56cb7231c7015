"""Panel of the view over time: lanes or heat map above, the calls of one thread below."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtWidgets import QSplitter, QStackedWidget, QVBoxLayout, QWidget

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.document.flame_scene import (
    FlameScene,
    FrameDetails,
    Highlight,
    details_of,
    file_of,
    find_widest,
    stack_text,
)
from stackglass_viewer.presenter.document.lanes_picture import LanesPicture
from stackglass_viewer.presenter.settings.span_choice import Span
from stackglass_viewer.view.flame.panel import FlamePanel
from stackglass_viewer.view.graph.menu import FunctionMenu
from stackglass_viewer.view.lanes.bar import TimeBar
from stackglass_viewer.view.lanes.heat_view import HeatView
from stackglass_viewer.view.lanes.span_brush import SpanBrush
from stackglass_viewer.view.lanes.time_axis import AXIS_PX, CallsAxis
from stackglass_viewer.view.lanes.view import LANE_PX, LanesView
from stackglass_viewer.view.widgets.compound_widget import CompoundWidget
from stackglass_viewer.view.widgets.theme import Theme

_MOST_LANES = 8  # greatest number of lanes that are in sight at first
_HEAT_PX = 220  # height at first
_LEAST_CHART_PX = 48  # least height of the chart of calls
_NO_TIMES = (
    "Nothing over time",
    "This sample type has no times. Choose another one (F4).",
)


class TimePanel(CompoundWidget):
    """Lanes or heat map, a chart of calls with its axis, and the bar, as one view of the page."""

    shape_chosen = Signal(str)  # lanes, heat
    span_chosen = Signal(object)  # Span
    function_selected = Signal(int)  # frame; -1 = none
    action_requested = Signal(str, int)  # name of a key's or a menu's command; frame
    copy_requested = Signal(str, str)  # text for the clipboard; what it is, a key of COPIED
    details_changed = Signal()  # another box is under the pointer, or is selected

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._brush = SpanBrush(self)
        self._split = QSplitter(Qt.Orientation.Vertical, self)
        self._split.setHandleWidth(1)
        self._split.setChildrenCollapsible(False)
        self._upper = QStackedWidget(self._split)
        self.lanes = LanesView(self._brush, theme, self._upper)
        self.heat = HeatView(self._brush, theme, self._upper)
        self._upper.addWidget(self.lanes)
        self._upper.addWidget(self.heat)
        lower = QWidget(self._split)
        self.calls = FlamePanel(theme, lower)
        self.chart = self.calls.graph
        self.chart.setAccessibleName("Calls over time")
        self.chart.setMinimumHeight(_LEAST_CHART_PX)
        self.axis = CallsAxis(self.chart, theme, lower)
        self.bar = TimeBar(self)
        for layout, widgets in (
            (QVBoxLayout(lower), (self.axis, self.calls)),
            (QVBoxLayout(self), (self._split, self.bar)),
        ):
            layout.setContentsMargins(0, 0, 0, 0)
            layout.setSpacing(0)
            for widget in widgets:
                layout.addWidget(widget, 0 if widget in (self.axis, self.bar) else 1)
        self._split.setStretchFactor(1, 1)
        self.set_entry(self.chart)
        self._has_transforms = False  # until offer_transforms is called
        self._n_fitted = 0  # number of lanes that the height was set for
        self._is_dragged = False  # whether the user has moved the border below the lanes
        self._placeholder = ("Nothing here", "")
        self._has_times = True  # until show_nothing is called
        self._is_coming = False
        self._connect()

    def _connect(self) -> None:
        chart = self.chart
        self._split.splitterMoved.connect(self._on_border_moved)
        self._brush.chosen.connect(self.span_chosen)
        self.lanes.pointed.connect(self.bar.say)
        self.heat.pointed.connect(self.bar.say)
        self.bar.shape_chosen.connect(self.show_shape)
        chart.node_hovered.connect(self.details_changed)
        chart.scene_changed.connect(self.details_changed)
        chart.selection_shown.connect(self.details_changed)
        chart.node_selected.connect(self._on_selected)
        chart.node_activated.connect(chart.camera.zoom_to)
        chart.menu_requested.connect(self._show_menu)
        chart.copy_requested.connect(self._copy_stack)
        for signal, name in (
            (chart.sandwich_requested, "sandwich"),
            (chart.source_requested, "source"),
            (chart.editor_requested, "editor"),
        ):
            signal.connect(lambda node, name=name: self._act(name, node))

    # -- what is shown

    @property
    def shape(self) -> str:
        """The shown part: ``lanes`` or ``heat``."""
        return "heat" if self._upper.currentWidget() is self.heat else "lanes"

    def show_shape(self, shape: str) -> None:
        """Show ``lanes`` or ``heat``."""
        self._upper.setCurrentWidget(self.heat if shape == "heat" else self.lanes)
        self.bar.choose(shape)
        if shape == "heat":
            height = self._split.height()
            upper = min(max(self._upper.height(), _HEAT_PX), height // 2)
            self._split.setSizes([upper, height - upper])
        self.shape_chosen.emit(shape)

    def _on_border_moved(self) -> None:
        self._is_dragged = True

    def show_picture(self, picture: LanesPicture) -> None:
        self.lanes.show_picture(picture)
        self._fit_lanes(len(picture.lanes))

    def _fit_lanes(self, n_lanes: int) -> None:
        """Set the height of the lanes, and increase it when threads come, until the user moves the
        border. While the pointer is over the view, nothing moves."""
        n_lanes = min(n_lanes, _MOST_LANES)
        is_in_use = self._is_dragged or (self._n_fitted and self._split.underMouse())
        if n_lanes > self._n_fitted and not is_in_use and self._split.height() > 0:
            self._n_fitted = n_lanes
            if self.shape == "lanes":
                upper = AXIS_PX + LANE_PX * n_lanes
                self._split.setSizes([upper, max(self._split.height() - upper, 1)])

    def show_chart(self, scene: FlameScene | None, *, is_coming: bool = False) -> None:
        """Show the calls of one thread; None = there are none, which hides lanes and axis.

        ``is_coming``: the chart is still being made, so no text says that there is nothing.
        """
        self._is_coming = is_coming
        self._say_placeholder()
        if is_coming:
            self.chart.set_scene(None)
            return
        self._upper.setVisible(scene is not None)
        self.axis.setVisible(scene is not None)
        self.chart.set_scene(scene)
        self.bar.show_chart(scene)

    def show_nothing(self, has_times: bool) -> None:
        """Show that there are no threads.

        ``has_times``: whether samples of this type have times; if not, a text says so.
        """
        self.lanes.show_picture(None)
        self.heat.show_picture(None)
        self._has_times = has_times
        self.show_chart(None)

    def show_span(self, span: Span | None) -> None:
        """Show the chosen span; None = all of the time."""
        self._brush.show(span)

    def set_placeholder(self, title: str, text: str) -> None:
        """Set the texts that are shown without lanes."""
        self._placeholder = (title, text)
        self._say_placeholder()

    def _say_placeholder(self) -> None:
        """Set the chart's placeholder: none while a chart is being made, and a text of its own for
        a sample type without times."""
        texts = self._placeholder if self._has_times else _NO_TIMES
        self.chart.set_placeholder(*(("", "") if self._is_coming else texts))

    def set_highlight(self, highlight: Highlight) -> None:
        """Set which functions stand out among the calls."""
        self.chart.set_highlight(highlight)

    def offer_transforms(self, has_transforms: bool) -> None:
        """Choose whether the menu offers filters."""
        self._has_transforms = has_transforms

    def set_theme(self, theme: Theme) -> None:
        for part in (self.lanes, self.heat, self.calls, self.axis):
            part.set_theme(theme)

    def find_details(self) -> FrameDetails | None:
        """Return details of the call under the pointer, else of the selected call, else of all."""
        chart = self.chart
        if chart.scene is None or chart.scene.whole <= 0:
            return None
        return details_of(
            chart.scene, chart.hovered if chart.hovered >= 0 else max(chart.selected, 0)
        )

    # -- moves

    def go_to(self, frame: int, name: str) -> None:
        """Select the longest call of a function and scroll to it, or say that there is none."""
        scene = self.chart.scene
        node = find_widest(scene, frame) if scene is not None and frame >= 0 else -1
        if node >= 0:
            self.chart.go_to(node)
        else:
            self.bar.say(f"{make_printable(name)} is not among the calls of this thread and time.")

    @property
    def is_zoomed(self) -> bool:
        """Whether calls or lanes show only a part of their time."""
        return self.chart.camera.is_zoomed or self.lanes.is_zoomed

    def reset_zoom(self) -> None:
        """Show everything."""
        self.chart.camera.reset_zoom()
        self.lanes.all_requested.emit()

    def clear_selection(self) -> bool:
        """Clear the selection; returns whether there was one."""
        was_selected = self.chart.selected >= 0
        self.chart.select(-1)
        return was_selected

    # -- a call

    def _frame_of(self, node: int) -> int:
        scene = self.chart.scene
        return int(scene.tree.frame[node]) if scene is not None and node >= 0 else -1

    def _on_selected(self, node: int) -> None:
        self.function_selected.emit(self._frame_of(node))

    def _act(self, name: str, node: int) -> None:
        frame = self._frame_of(node)
        if frame >= 0:
            self.action_requested.emit(name, frame)

    def _copy_stack(self, node: int) -> None:
        if self.chart.scene is not None:
            self.copy_requested.emit(stack_text(self.chart.scene, node), "stack")

    def _show_menu(self, node: int, point: QPoint) -> None:
        frame = self._frame_of(node)
        if frame < 0:
            return
        scene = self.chart.scene
        has_file = scene is not None and bool(file_of(scene, node))
        menu = FunctionMenu(frame, self, self._has_transforms)
        menu.offer_place(has_file)
        menu.action_requested.connect(
            lambda name, _: (
                self.chart.camera.zoom_to(node) if name == "zoom" else self._act(name, node)
            )
        )
        menu.reset_requested.connect(self.reset_zoom)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(point)
