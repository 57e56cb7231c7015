"""Heap bar: chooses the heap's value, and whether it is as of now or as of a full collection."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QStandardItemModel
from PySide6.QtWidgets import QHBoxLayout, QToolButton, QWidget

from stackglass_viewer.model.heap.live import HeapWhen
from stackglass_viewer.presenter.settings.heap_texts import LIVE_NOW, HeapBarState
from stackglass_viewer.presenter.settings.sample_choice import HeapChoice
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.theme import Theme

HEAP_VALUES = (
    (HeapChoice(True, True), "In use, space", "Bytes allocated and not freed"),
    (HeapChoice(True, False), "In use, objects", "Blocks allocated and not freed"),
    (HeapChoice(False, True), "Allocated, space", "Bytes allocated, whether freed since or not"),
    (HeapChoice(False, False), "Allocated, objects", "Blocks allocated, whether freed or not"),
)
_WHEN_PX = 142  # fixed, since its text has an age that grows; the tool tip has the whole text


class HeapBar(QWidget):
    """Shows which value of the heap is displayed, and emits the user's choices.

    It is empty until the first state comes, since most tabs never show a heap."""

    value_chosen = Signal(object)  # HeapChoice
    when_chosen = Signal(object)  # HeapWhen
    collect_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._is_filled = False

    def _fill(self) -> None:
        self._is_filled = True
        self._value = ChoiceBox(self)
        self._value.setAccessibleName("Value of the heap")
        for index, (choice, text, about) in enumerate(HEAP_VALUES):
            self._value.addItem(text, choice)
            self._value.setItemData(index, about, Qt.ItemDataRole.ToolTipRole)
        self._when = ChoiceBox(self)
        self._when.setAccessibleName("Moment of the heap")
        self._when.setFixedWidth(_WHEN_PX)
        for when in (HeapWhen.LIVE, HeapWhen.AS_OF_FULL):
            self._when.addItem(LIVE_NOW, when)
        self._collect = QToolButton(self)
        self._collect.setAccessibleName("Collect")
        self._collect.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for part in (self._value, self._when, self._collect):
            row.addWidget(part)
        self._value.activated.connect(lambda: self.value_chosen.emit(self._value.currentData()))
        self._when.activated.connect(lambda: self.when_chosen.emit(self._when.currentData()))
        self._collect.clicked.connect(self.collect_requested)
        self.set_theme(self._theme)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        if self._is_filled:
            self._collect.setIcon(load_icon("collect", theme.text, theme.faint))

    def show_state(self, state: HeapBarState) -> None:
        if not self._is_filled:
            self._fill()
        if not self._value.view().isVisible():
            shown = HeapChoice(state.is_in_use, state.is_space)
            self._value.setCurrentIndex([choice for choice, *_ in HEAP_VALUES].index(shown))
            self._value.setToolTip(f"Choose the value of the heap\nNow: {_about(shown)}")
        if not self._when.view().isVisible():
            self._show_when(state)
        self._when.setVisible(state.is_live)
        self._collect.setVisible(state.is_live)
        is_collecting = "\nA collection is under way" if state.is_collecting else ""
        about = "Run a full collection in the process, as gc.collect() would"
        self._collect.setToolTip(about + is_collecting)
        self._collect.setEnabled(state.can_collect)

    def _show_when(self, state: HeapBarState) -> None:
        full = self._when.findData(HeapWhen.AS_OF_FULL)
        self._when.setItemText(self._when.findData(HeapWhen.LIVE), state.live_text)
        self._when.setItemText(full, state.full_text)
        self._when.setItemData(full, state.full_about, Qt.ItemDataRole.ToolTipRole)
        model = self._when.model()
        assert isinstance(model, QStandardItemModel)
        model.item(full).setEnabled(state.has_full)
        is_live = state.when is HeapWhen.LIVE
        self._when.setCurrentIndex(0 if is_live else full)
        now = state.live_text if is_live else f"{state.full_text}\n{state.full_about}"
        self._when.setToolTip(f"Choose the moment of the heap\nNow: {now}")


def _about(shown: HeapChoice) -> str:
    return next(about for choice, _, about in HEAP_VALUES if choice == shown)
