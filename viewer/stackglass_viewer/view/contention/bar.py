"""Contention bar: choosers for the kind, delay or count, and filters by lock and by call."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolButton, QWidget

from stackglass_viewer.model.contention.snapshot import ALL_WAITS
from stackglass_viewer.presenter.settings.contention_texts import KIND_WORDS, ContentionBarState
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.lazy_combo import LazyCombo
from stackglass_viewer.view.widgets.theme import Theme

_ALL_LOCKS, _ALL_CALLS = "All locks", "All calls"
_ABOUT_KINDS = "Choose the kind of contention"
_LOCKS_PX, _CALLS_PX, _SPACING_PX = 140, 120, 4


class ContentionBar(QWidget):
    """Shows which contention is displayed, and emits the user's choices.

    It is empty until the first state comes; its controls are made step by step from then on, and
    shown together.
    """

    kind_chosen = Signal(object)  # ContentionKind
    measure_chosen = Signal(bool)  # True = delay, False = count
    lock_chosen = Signal(int)  # -1 = all
    primitive_chosen = Signal(str)  # "" = all
    filters_dropped = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_filled = False
        self._state: ContentionBarState | None = None
        self._steps: Iterator[bool] = iter(())  # what is left of _fill

    def _go_on(self) -> None:
        """Make the next controls. Together they would take longer than a frame may."""
        if next(self._steps, False):
            QTimer.singleShot(0, self, self._go_on)

    def _fill(self) -> Iterator[bool]:
        """Make the controls in a part that is shown once it is whole."""
        part = QWidget(self)
        part.hide()  # else it is shown with a bar that is hidden now
        row = QHBoxLayout(part)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_SPACING_PX)
        for make in (self._make_choices, self._make_filters, self._make_drop):
            for control in make(part):
                row.addWidget(control)
            yield True
        self._is_filled = True
        if self._state is not None:
            self._show(self._state)
        whole = QHBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(part)
        part.show()

    def _make_choices(self, part: QWidget) -> tuple[QWidget, ...]:
        self._kinds, self._measure = ChoiceBox(part), ChoiceBox(part)
        for box in (self._kinds, self._measure):
            box.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._kinds.setAccessibleName("Kind of contention")
        self._kinds.setToolTip(_ABOUT_KINDS)
        self._kinds.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToContents)
        self._measure.setAccessibleName("Measure")
        self._measure.setToolTip("Delay: time waited\nCount: number of waits")
        for is_delay, text in ((True, "Delay"), (False, "Count")):
            self._measure.addItem(text, is_delay)
        self._kinds.activated.connect(lambda: self.kind_chosen.emit(self._kinds.currentData()))
        self._measure.activated.connect(
            lambda: self.measure_chosen.emit(self._measure.currentData())
        )
        return self._kinds, self._measure

    def _make_filters(self, part: QWidget) -> tuple[QWidget, ...]:
        about = "Show only the waits for one lock; locks with the longest waits come first"
        self._locks = LazyCombo("Lock", about, _LOCKS_PX, part)
        self._calls = LazyCombo("Call", "Show only the waits in one call", _CALLS_PX, part)
        self._locks.activated.connect(lambda: self.lock_chosen.emit(self._locks.currentData()))
        self._calls.activated.connect(lambda: self.primitive_chosen.emit(self._calls.currentData()))
        return self._locks, self._calls

    def _make_drop(self, part: QWidget) -> tuple[QWidget, ...]:
        self._drop = QToolButton(part)
        self._drop.setToolTip("Show all locks and calls (Esc)")
        self._drop.setAccessibleName("Clear filters")
        self._drop.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._drop.clicked.connect(self.filters_dropped)
        self._set_icon()
        return (self._drop,)

    @property
    def has_filters(self) -> bool:
        """Whether only some locks or calls are shown."""
        return self._state is not None and self._state.wanted != ALL_WAITS

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self._is_filled:
            self._set_icon()

    def _set_icon(self) -> None:
        self._drop.setIcon(load_icon("close", self._theme.text, self._theme.faint))

    def show_state(self, state: ContentionBarState) -> None:
        if state == self._state:
            return
        if self._state is None:
            self._steps = self._fill()
            QTimer.singleShot(0, self, self._go_on)
        self._state = state
        if self._is_filled:
            self._show(state)

    def _show(self, state: ContentionBarState) -> None:
        is_live = state.kind is not None
        self._kinds.setVisible(is_live)
        self._locks.setVisible(bool(state.locks) or state.wanted.lock >= 0)
        self._calls.setVisible(bool(state.primitives) or bool(state.wanted.primitive))
        self._drop.setVisible(self.has_filters)
        self._show_kinds(state)
        self._measure.setCurrentIndex(self._measure.findData(state.is_delay))
        locks = list(state.locks)
        if state.wanted.lock >= 0 and state.wanted.lock not in dict(locks):
            name = "This lock" if state.wanted.lock else "No identified lock"
            locks.append((state.wanted.lock, name))  # no wait of this kind has the lock
        self._locks.offer([(-1, _ALL_LOCKS), *locks], state.wanted.lock)
        calls = [(name, name) for name in state.primitives]
        if state.wanted.primitive and state.wanted.primitive not in state.primitives:
            calls.append((state.wanted.primitive, state.wanted.primitive))
        self._calls.offer([("", _ALL_CALLS), *calls], state.wanted.primitive)

    def _show_kinds(self, state: ContentionBarState) -> None:
        if state.kind is None or self._kinds.view().isVisible():
            return
        offered = [kind for kind in KIND_WORDS if kind in state.kinds]
        if [self._kinds.itemData(index) for index in range(self._kinds.count())] != offered:
            self._kinds.clear()
            for index, kind in enumerate(offered):
                text, about = KIND_WORDS[kind]
                self._kinds.addItem(text, kind)
                self._kinds.setItemData(index, about, Qt.ItemDataRole.ToolTipRole)
        self._kinds.setCurrentIndex(offered.index(state.kind) if state.kind in offered else -1)
        self._kinds.setToolTip(f"{_ABOUT_KINDS}\n{KIND_WORDS[state.kind][1]}")
