"""The switches of the heap: in use or allocated, space or objects, now or as of a collection."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QWidget

from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.presenter.settings.heap_texts import HeapBarState
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.segmented_control import SegmentedControl
from stackglass_viewer.view.widgets.theme import Theme

_IN_USE, _ALLOCATED = "in use", "allocated"
_SPACE, _OBJECTS = "space", "objects"


class HeapBar(QFrame):
    """Emits what the user wants to see of the heap.

    Empty until there is a state to show: most tabs never look at a heap, and making the buttons is
    a fifth of the work of making a tab."""

    use_chosen = Signal(bool)  # in use; else allocated
    measure_chosen = Signal(bool)  # space; else objects
    when_chosen = Signal(object)  # HeapWhen
    collect_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self._theme = theme
        self._is_filled = False

    def _fill(self) -> None:
        self._is_filled = True
        self._use = SegmentedControl([(_IN_USE, "In use"), (_ALLOCATED, "Allocated")], self)
        self._use.set_tool_tips(
            {
                _IN_USE: "Memory held now: allocated and not freed",
                _ALLOCATED: "All allocations, whether freed since or not",
            }
        )
        self._measure = SegmentedControl([(_SPACE, "Space"), (_OBJECTS, "Objects")], self)
        self._measure.set_tool_tips({_SPACE: "Bytes", _OBJECTS: "Number of blocks"})
        self._when = SegmentedControl(
            [
                (HeapWhen.LIVE.value, "Live now"),
                (HeapWhen.AS_OF_FULL.value, "Last collection"),
            ],
            self,
        )
        self._collect = QToolButton(self)
        self._collect.setText(" Collect")
        self._collect.setToolTip("Run a full collection in the process, as gc.collect() would")
        self._collect.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._collect.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._figures = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        self._figures.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(8)
        row.addWidget(self._use)
        row.addWidget(self._measure)
        row.addWidget(self._when)
        row.addWidget(self._collect)
        row.addWidget(self._figures, 1)
        self._use.chosen.connect(lambda key: self.use_chosen.emit(key == _IN_USE))
        self._measure.chosen.connect(lambda key: self.measure_chosen.emit(key == _SPACE))
        self._when.chosen.connect(lambda key: self.when_chosen.emit(HeapWhen(key)))
        self._collect.clicked.connect(self.collect_requested)
        self.set_theme(self._theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if not self._is_filled:
            return
        self._collect.setIcon(load_icon("collect", theme.text, theme.faint))

    def show_state(self, state: HeapBarState) -> None:
        if not self._is_filled:
            self._fill()
        self._use.choose(_IN_USE if state.is_in_use else _ALLOCATED)
        self._measure.choose(_SPACE if state.is_space else _OBJECTS)
        self._when.choose(state.when.value)
        self._when.setVisible(state.is_live)
        self._collect.setVisible(state.is_live)
        full = HeapWhen.AS_OF_FULL.value
        self._when.set_text(full, state.full_text)
        self._when.set_enabled(full, state.has_full)
        # Only ever wider: nothing is to move to and fro as time passes.
        self._when.setMinimumWidth(max(self._when.minimumWidth(), self._when.sizeHint().width()))
        self._when.set_tool_tips({HeapWhen.LIVE.value: "As of now", full: state.full_about})
        self._collect.setText(" Collecting…" if state.is_collecting else " Collect")
        self._collect.setEnabled(state.can_collect)
        self._figures.set_text(state.figures, state.figures_about)
