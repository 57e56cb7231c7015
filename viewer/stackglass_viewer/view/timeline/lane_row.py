"""Lane row: the timeline plot's row of metrics, as lines or as stacked layers.

Imports pyqtgraph: see ``plot``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QPen

from stackglass_viewer.model.metrics.lanes import LanePicture, LaneTrace
from stackglass_viewer.presenter.settings.lane_choices import LaneChoice
from stackglass_viewer.view.timeline.axis import TimelineAxis
from stackglass_viewer.view.timeline.lane_colours import colour_drawn
from stackglass_viewer.view.timeline.lane_texts import describe_lane
from stackglass_viewer.view.widgets.theme import Theme

MOST_LINES = 5
_HEADROOM = 1.12
_LEAST = {"nanoseconds": 1e5, "percent": 0.1}  # least top of the row; 1 for other units


class LaneRow:
    """The row's box, axis and lines; the plot places them in its layout."""

    def __init__(self) -> None:
        self.box = pg.ViewBox(enableMenu=False)
        self.axis = TimelineAxis("threads", "left")
        self._curves: tuple[Any, ...] = ()
        self._choice: LaneChoice | None = None
        self._colours: Mapping[str, int] = {}
        self._theme: Theme | None = None
        self._picture: LanePicture | None = None

    def fill(self) -> None:
        """Add the lines to the box. A lower layer is in front of the layers above it."""
        self._curves = tuple(pg.PlotCurveItem() for _ in range(MOST_LINES))
        for index, curve in enumerate(self._curves):
            curve.setZValue(-index)
            self.box.addItem(curve)

    def choose(self, choice: LaneChoice, colours: Mapping[str, int]) -> None:
        """Set which metrics are shown, and their colours by key."""
        self._choice, self._colours = choice, colours
        self._style_curves()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._style_curves()

    def show(self, picture: LanePicture) -> None:
        """Draw the lines of a span of time."""
        is_other = self._picture is None or self._picture.key != picture.key
        self._picture = picture
        if is_other:
            self.axis.set_unit(picture.unit)
            self._style_curves()
        for index, curve in enumerate(self._curves):
            trace = picture.traces[index] if index < len(picture.traces) else None
            _draw(curve, trace, picture.is_stacked)
        top = max(picture.highest, _LEAST.get(picture.unit, 1.0)) * _HEADROOM
        self.box.setYRange(0, top, padding=0)

    def describe(self, time: float) -> str:
        """Return the values of a moment in words; "" = there are none."""
        choice, picture = self._choice, self._picture
        if choice is None or picture is None or picture.key != choice.key:
            return ""
        return describe_lane(choice, picture, time)

    def _style_curves(self) -> None:
        choice, theme, picture = self._choice, self._theme, self._picture
        if choice is None or theme is None or picture is None or picture.key != choice.key:
            return
        for line, curve in zip(choice.lines, self._curves, strict=False):
            is_stacked = picture.is_stacked
            colour = colour_drawn(
                self._colours[line.key], is_stacked=is_stacked, is_dark=theme.is_dark
            )
            if is_stacked:
                curve.setPen(QPen(Qt.PenStyle.NoPen))
                curve.setBrush(pg.mkBrush(colour))
                curve.setFillLevel(0)
                continue
            pen = QPen(colour, 2)
            pen.setCosmetic(True)
            pen.setStyle(Qt.PenStyle.DotLine if line.is_dashed else Qt.PenStyle.SolidLine)
            curve.setPen(pen)
            curve.setBrush(None)
            curve.setFillLevel(None)


def _draw(curve: Any, trace: LaneTrace | None, is_stacked: bool) -> None:
    if trace is None or not len(trace.time):
        curve.setData(np.empty(0), np.empty(0))
    else:
        curve.setData(trace.time, trace.top if is_stacked else trace.value)
