"""Bar of the view over time: a text for the pointer's place, and a switch: lanes or heat map."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from stackglass_viewer.presenter.document.flame_scene import FlameScene
from stackglass_viewer.presenter.document.time_chart import HeatPicture
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.segmented_control import SegmentedControl

_SHAPES = (("lanes", "Threads"), ("heat", "Heat map"))
_TIPS = {
    "lanes": "A lane for each thread: how busy it was, and with what",
    "heat": "A column for each second, a cell for each 20 ms of it: how many threads were busy",
}
_HINTS = {
    "lanes": "Drag over the lanes to show only a span of time in every view; click a thread to see "
    "its calls",
    "heat": "Drag over the cells to show only their time in every view",
}
_COARSE = "Short calls are left out: choose a span to see them"


class TimeBar(QFrame):
    """A bar with a single line of text, so that nothing jumps while the pointer moves."""

    shape_chosen = Signal(str)  # lanes, heat

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("footer")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._about = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        self._shapes = SegmentedControl(_SHAPES, self)
        self._shapes.set_tool_tips(_TIPS)
        self._is_coarse = False
        self._about_heat = ""
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 12, 4)
        row.setSpacing(12)
        row.addWidget(self._about, 1)
        row.addWidget(self._shapes)
        self._shapes.chosen.connect(self.shape_chosen)
        self.choose("lanes")

    def choose(self, shape: str) -> None:
        """Show a shape as chosen, without a signal."""
        self._shape = shape
        self._shapes.choose(shape)
        self.say("")

    @property
    def text(self) -> str:
        return self._about.whole

    def show_chart(self, scene: FlameScene | None) -> None:
        """Set the hint, which says whether the chart leaves out short calls."""
        about = scene.over_time if scene is not None else None
        self._is_coarse = about is not None and about.is_coarse
        self.say("")

    def show_heat(self, picture: HeatPicture) -> None:
        """Set the hint, which says whether cells are averages."""
        if picture.about != self._about_heat:
            self._about_heat = picture.about
            self.say("")

    def say(self, text: str) -> None:
        """Show what is under the pointer; "" = nothing, which shows a hint."""
        hint = _COARSE if self._is_coarse else _HINTS[self._shape]
        if self._shape == "heat" and self._about_heat:
            hint = f"{self._about_heat}  ·  {_HINTS[self._shape]}"
        self._about.set_text(text or hint)
