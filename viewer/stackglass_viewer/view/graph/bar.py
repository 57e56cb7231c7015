"""Bar below a call graph: the number of functions shown, and lists for the graph's limits."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from stackglass_viewer.model.graph.graph_trim import GraphLimits
from stackglass_viewer.model.units import format_count
from stackglass_viewer.presenter.document.graph_scene import CallGraphScene
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.elided_label import ElidedLabel

_SIDE_PX, _SPACING_PX = 12, 6
_NODES = (20, 40, 80, 160, 320)
_FRACTIONS = (0.0, 0.001, 0.005, 0.01, 0.05)


class GraphBar(QFrame):
    """A bar with pprof's options nodecount, nodefraction and edgefraction as lists."""

    limits_chosen = Signal(object)  # GraphLimits

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("footer")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._about = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        usual = GraphLimits()
        self._nodes = _make_list(
            self,
            [str(count) for count in _NODES],
            _NODES.index(usual.max_nodes),
            "Greatest number of functions: the most significant are shown (pprof's nodecount)",
        )
        shares = [f"{share * 100:g}%" for share in _FRACTIONS]
        self._node_fraction = _make_list(
            self,
            shares,
            _FRACTIONS.index(usual.node_fraction),
            "Leave out functions with less than this share of the total (pprof's nodefraction)",
        )
        self._edge_fraction = _make_list(
            self,
            shares,
            _FRACTIONS.index(usual.edge_fraction),
            "Leave out calls with less than this share of the total (pprof's edgefraction)",
        )
        self._parts: list[tuple[QLabel, ChoiceBox]] = []
        row = QHBoxLayout(self)
        row.setContentsMargins(_SIDE_PX, 4, _SIDE_PX, 4)
        row.setSpacing(_SPACING_PX)
        row.addWidget(self._about, 1)
        for text, box in (
            ("Functions", self._nodes),
            ("of at least", self._node_fraction),
            ("calls of at least", self._edge_fraction),
        ):
            label = QLabel(text, self)
            label.setBuddy(box)
            row.addWidget(label)
            row.addWidget(box)
            box.activated.connect(self._on_chosen)
            self._parts.append((label, box))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide the captions in a narrow window: the lists' tool tips say the same."""
        needed_px = 2 * _SIDE_PX + sum(
            each.sizeHint().width() + _SPACING_PX for pair in self._parts for each in pair
        )
        for label, _ in self._parts:
            label.setVisible(self.width() >= needed_px)
        super().resizeEvent(event)

    @property
    def limits(self) -> GraphLimits:
        """The chosen limits."""
        return GraphLimits(
            _NODES[self._nodes.currentIndex()],
            _FRACTIONS[self._node_fraction.currentIndex()],
            _FRACTIONS[self._edge_fraction.currentIndex()],
        )

    def _on_chosen(self) -> None:
        self.limits_chosen.emit(self.limits)

    def show_scene(self, scene: CallGraphScene | None) -> None:
        """Show the numbers of functions and calls; None = no graph."""
        if scene is None:
            self._about.set_text("")
            return
        n_shown, n_calls = len(scene.boxes), len(scene.edges)
        functions = "function" if scene.n_found == 1 else "functions"
        text = f"{format_count(n_shown)} of {format_count(scene.n_found)} {functions}"
        text += f"  ·  {format_count(n_calls)} {'call' if n_calls == 1 else 'calls'}"
        if scene.n_waiting:
            text += f"  ·  {format_count(scene.n_waiting)} new, shown in a moment"
        self._about.set_text(text, "Dashed arrows lead through functions that are left out.")

    def say(self, text: str) -> None:
        """Show another text until the next scene."""
        self._about.set_text(text)


def _make_list(parent: QWidget, texts: Sequence[str], chosen: int, about: str) -> ChoiceBox:
    made = ChoiceBox(parent)
    made.addItems(list(texts))
    made.setCurrentIndex(chosen)
    made.setToolTip(about)
    made.setAccessibleName(about)
    return made
