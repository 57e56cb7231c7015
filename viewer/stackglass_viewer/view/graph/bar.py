"""Bar below a call graph: the number of functions shown, and lists for the graph's limits."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from stackglass_viewer.model.graph.graph_trim import GraphLimits
from stackglass_viewer.model.units import format_count
from stackglass_viewer.presenter.document.graph_scene import CallGraphScene
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.elided_label import FiguresLabel

_SIDE_PX, _SPACING_PX = 12, 6
_NODES = (20, 40, 80, 160, 320)
_FRACTIONS = (0.0, 0.001, 0.005, 0.01, 0.05)
_SHARES = tuple(f"{share * 100:g}%" for share in _FRACTIONS)
_USUAL = GraphLimits()
_LISTS = (  # caption, entries, the usual one, tool tip
    (
        "Functions",
        tuple(map(str, _NODES)),
        _NODES.index(_USUAL.max_nodes),
        "Greatest number of functions: the most significant are shown (pprof's nodecount)",
    ),
    (
        "of at least",
        _SHARES,
        _FRACTIONS.index(_USUAL.node_fraction),
        "Leave out functions with less than this share of the total (pprof's nodefraction)",
    ),
    (
        "calls of at least",
        _SHARES,
        _FRACTIONS.index(_USUAL.edge_fraction),
        "Leave out calls with less than this share of the total (pprof's edgefraction)",
    ),
)


class GraphBar(QFrame):
    """A bar with pprof's options nodecount, nodefraction and edgefraction as lists."""

    limits_chosen = Signal(object)  # GraphLimits

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("footer")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._about = FiguresLabel(self)
        self._parts: list[tuple[QLabel, ChoiceBox]] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(_SIDE_PX, 4, _SIDE_PX, 4)
        self._row.setSpacing(_SPACING_PX)
        self._row.addWidget(self._about, 1)
        self._steps = self._make_lists()
        QTimer.singleShot(0, self, self._go_on)

    def _go_on(self) -> None:
        """Make the next list. Each is made in a step of its own, after the view has been shown."""
        if next(self._steps, False):
            QTimer.singleShot(0, self, self._go_on)

    def _make_lists(self) -> Iterator[bool]:
        """Make the lists in a part that is shown once it is whole: no caption is seen without its
        list."""
        lists = QWidget(self)
        lists.hide()  # else they are shown with a bar that is hidden now
        row = QHBoxLayout(lists)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_SPACING_PX)
        for caption, texts, chosen, about in _LISTS:
            label = QLabel(caption, lists)
            box = _make_list(lists, texts, chosen, about)
            label.setBuddy(box)
            row.addWidget(label)
            row.addWidget(box)
            box.activated.connect(self._on_chosen)
            self._parts.append((label, box))
            yield True
        self._fit_captions()
        self._row.addWidget(lists)
        lists.show()

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit_captions()
        super().resizeEvent(event)

    def _fit_captions(self) -> None:
        """Hide the captions in a narrow window: the lists' tool tips say the same."""
        needed_px = 2 * _SIDE_PX + sum(
            each.sizeHint().width() + _SPACING_PX for pair in self._parts for each in pair
        )
        for label, _ in self._parts:
            label.setVisible(self.width() >= needed_px)

    @property
    def limits(self) -> GraphLimits:
        """The chosen limits."""
        nodes, node_fraction, edge_fraction = (box.currentIndex() for _, box in self._parts)
        return GraphLimits(_NODES[nodes], _FRACTIONS[node_fraction], _FRACTIONS[edge_fraction])

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
