"""The switches of contention: its kind, delay or count, and filters for locks and calls."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QWidget

from stackglass_viewer.model.contention.buckets import ContentionKind
from stackglass_viewer.model.contention.snapshot import ALL_WAITS
from stackglass_viewer.presenter.settings.contention_texts import KIND_WORDS, ContentionBarState
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.lazy_combo import LazyCombo
from stackglass_viewer.view.widgets.segmented_control import SegmentedControl
from stackglass_viewer.view.widgets.theme import Theme

_DELAY, _COUNT = "delay", "count"
_ALL_LOCKS, _ALL_CALLS = "All locks", "All calls"
_LOCKS_PX, _CALLS_PX = 170, 150


class ContentionBar(QFrame):
    """Emits what the user wants to see of contention. Empty until there is a state to show."""

    kind_chosen = Signal(object)  # ContentionKind
    measure_chosen = Signal(bool)  # delay; else count
    lock_chosen = Signal(int)  # -1 = all
    primitive_chosen = Signal(str)  # "" = all
    filters_dropped = Signal()
    filled = Signal()  # there is something in it now

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("bar")
        self._is_filled = False
        self._state: ContentionBarState | None = None

    def _fill(self) -> None:
        words = {str(int(kind)): text for kind, text in KIND_WORDS.items()}
        self._kinds = SegmentedControl([(key, text) for key, (text, _) in words.items()], self)
        self._kinds.set_tool_tips({key: about for key, (_, about) in words.items()})
        self._measure = SegmentedControl([(_DELAY, "Delay"), (_COUNT, "Count")], self)
        self._measure.set_tool_tips({_DELAY: "Time waited", _COUNT: "Number of waits"})
        about = "Show only the waits for one lock; the longest waited for come first"
        self._locks = LazyCombo("Lock", about, _LOCKS_PX, self)
        self._calls = LazyCombo("Call", "Show only the waits in one call", _CALLS_PX, self)
        self._drop = QToolButton(self)
        self._drop.setToolTip("Show all locks and calls (Esc)")
        self._drop.setAccessibleName("Clear filters")
        self._drop.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._dress()
        self._figures = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        self._figures.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(6)
        row.addWidget(self._kinds)
        row.addWidget(self._measure)
        row.addWidget(self._locks)
        row.addWidget(self._calls)
        row.addWidget(self._drop)
        row.addWidget(self._figures, 1)
        self._kinds.chosen.connect(lambda key: self.kind_chosen.emit(ContentionKind(int(key))))
        self._measure.chosen.connect(lambda key: self.measure_chosen.emit(key == _DELAY))
        self._locks.activated.connect(lambda: self.lock_chosen.emit(self._locks.currentData()))
        self._calls.activated.connect(lambda: self.primitive_chosen.emit(self._calls.currentData()))
        self._drop.clicked.connect(self.filters_dropped)
        self._is_filled = True
        if self._state is not None:
            self._show(self._state)
        self.filled.emit()

    @property
    def has_filters(self) -> bool:
        """Whether only some locks or calls are shown."""
        return self._state is not None and self._state.wanted != ALL_WAITS

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self._is_filled:
            self._dress()

    def _dress(self) -> None:
        self._drop.setIcon(load_icon("close", self._theme.text, self._theme.faint))

    def show_state(self, state: ContentionBarState) -> None:
        if state == self._state:
            return
        if self._state is None:
            QTimer.singleShot(0, self, self._fill)  # an incremental step of its own
        self._state = state
        if self._is_filled:
            self._show(state)

    def _show(self, state: ContentionBarState) -> None:
        is_live = state.kind is not None
        self._kinds.setVisible(is_live)
        self._locks.setVisible(bool(state.locks) or state.wanted.lock >= 0)
        self._calls.setVisible(bool(state.primitives) or bool(state.wanted.primitive))
        self._drop.setVisible(self.has_filters)
        for kind in KIND_WORDS:
            self._kinds.set_visible(str(int(kind)), kind in state.kinds)
        if state.kind is not None:
            self._kinds.choose(str(int(state.kind)))
        self._measure.choose(_DELAY if state.is_delay else _COUNT)
        locks = list(state.locks)
        if state.wanted.lock >= 0 and state.wanted.lock not in dict(locks):
            name = "This lock" if state.wanted.lock else "No identified lock"
            locks.append((state.wanted.lock, name))  # it is in no wait of this kind
        self._locks.offer([(-1, _ALL_LOCKS), *locks], state.wanted.lock)
        calls = [(name, name) for name in state.primitives]
        if state.wanted.primitive and state.wanted.primitive not in state.primitives:
            calls.append((state.wanted.primitive, state.wanted.primitive))
        self._calls.offer([("", _ALL_CALLS), *calls], state.wanted.primitive)
        self._figures.set_text(state.figures, state.figures_about)
