"""Label view: a table of the values of one label key, with the cost of each."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.document.legend import Legend
from stackglass_viewer.presenter.tables.label_model import LabelModel
from stackglass_viewer.view.tables.number_table import NumberTable
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.compound_widget import CompoundWidget
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.empty_note import EmptyNote
from stackglass_viewer.view.widgets.search_field import SearchField
from stackglass_viewer.view.widgets.theme import Theme

_WIDTHS_PX = (110, 110, 92, 480)  # of the model's columns
_SAMPLES = 2  # index of the samples column
_KEYS_PX, _SEARCH_PX, _LEAST_SEARCH_PX = 220, 220, 110


class LabelView(CompoundWidget):
    """A table of values: a click filters all views to a value, Ctrl and a click add one."""

    key_chosen = Signal(str)
    label_chosen = Signal(object)  # Label: show only this value of its key
    label_toggled = Signal(object)  # Label: add it to the shown values of its key, or remove it
    label_activated = Signal(object)  # Label: show its stacks
    split_chosen = Signal(str)  # key; "" = none
    colour_chosen = Signal(str)  # key to colour the graph by; "" = by function

    def __init__(self, model: LabelModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._model = model
        self._keys = ChoiceBox(self)
        self._keys.setAccessibleName("Label")
        self._keys.setToolTip("Choose the label whose values are listed")
        self._keys.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToContents)
        self._keys.setMaximumWidth(_KEYS_PX)
        self._search = SearchField(self)
        self._search.setPlaceholderText("Search values")
        self._search.setAccessibleName("Search values")
        self._search.setToolTip("Show only the values that contain this text (Ctrl+F)")
        self._search.setClearButtonEnabled(True)
        self._search.setMaximumWidth(_SEARCH_PX)
        self._search.setMinimumWidth(_LEAST_SEARCH_PX)
        self._split_key = ""
        self._split = QToolButton(self)
        self._split.setText("Split graph")
        self._split.setCheckable(True)
        self._split.setToolTip("Begin the flame graph with one box for each value of this label")
        self._split.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._colour_key = ""
        self._colour = QToolButton(self)
        self._colour.setText("Colour graph")
        self._colour.setCheckable(True)
        self._colour.setToolTip("Colour the flame graph by the values of this label")
        self._colour.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._hint = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        self._hint.setObjectName("hint")
        self._hint.set_text("Click a value to filter all views; Ctrl+click adds a value")
        self._count = QLabel(self)
        self._count.setObjectName("hint")
        self._table = NumberTable(model, theme, _WIDTHS_PX, self)
        self._table.setAccessibleName("Label values")
        self._empty = EmptyNote(self._table)
        self._empty.say("No values", "No sample that is shown has this label.")
        self.set_entry(self._table)
        head = QHBoxLayout()
        head.setContentsMargins(12, 8, 12, 8)
        head.setSpacing(8)
        head.addWidget(self._keys)
        head.addWidget(self._search)
        head.addWidget(self._split)
        head.addWidget(self._colour)
        head.addWidget(self._hint, 1)
        head.addWidget(self._count)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addLayout(head)
        whole.addWidget(self._table, 1)
        self._keys.activated.connect(lambda _: self.key_chosen.emit(self._key))
        self._search.textChanged.connect(model.set_search)
        self._split.clicked.connect(self._on_split)
        self._colour.clicked.connect(self._on_colour)
        self._table.clicked.connect(self._on_clicked)
        self._table.row_activated.connect(self._on_activated)
        model.keys_changed.connect(self._show_keys)
        model.summary_changed.connect(self._show_summary)
        self._show_keys(*model.keys)

    def set_theme(self, theme: Theme) -> None:
        self._table.set_theme(theme)

    def focus_search(self) -> None:
        self._search.setFocus()
        self._search.selectAll()

    def offer_split(self, is_there: bool) -> None:
        """Show the button only if the graph can be split."""
        self._split.setVisible(is_there)

    @property
    def _key(self) -> str:
        """The label whose values are listed; "" = there is none."""
        return str(self._keys.currentData() or "")

    def show_split(self, key: str) -> None:
        """Show the key of the label that the graph is split by; "" = none."""
        self._split_key = key
        self._split.setChecked(bool(key) and key == self._key)

    def show_legend(self, legend: Legend | None) -> None:
        """Show whether the graph is coloured by the shown key; None = by function."""
        self._colour_key = legend.key if legend is not None else ""
        self._tick_colour()

    def _tick_colour(self) -> None:
        key = self._colour_key
        self._colour.setChecked(bool(key) and key == self._key)

    def _on_colour(self, is_on: bool) -> None:
        self.colour_chosen.emit(self._key if is_on else "")

    def _on_split(self, is_on: bool) -> None:
        self.split_chosen.emit(self._key if is_on else "")

    def clear_selection(self) -> bool:
        """Clear the selection; returns whether there was one."""
        return self._table.clear_selection()

    def clear_search(self) -> bool:
        """Clear the search; returns whether there was one."""
        was_there = bool(self._search.text())
        self._search.clear()
        return was_there

    def _show_keys(self, keys: tuple[str, ...], shown: str) -> None:
        if [self._keys.itemData(row) for row in range(self._keys.count())] != list(keys):
            self._keys.clear()
            for key in keys:
                self._keys.addItem(make_printable(key), key)
        self._keys.setCurrentIndex(self._keys.findData(shown))
        self.show_split(self._split_key)
        self._tick_colour()

    def _show_summary(self, text: str) -> None:
        self._count.setText(text)
        self._table.show_columns({_SAMPLES: self._model.has_samples})
        self._empty.setVisible(not self._model.rowCount())

    def _on_clicked(self, index: QModelIndex) -> None:
        label = self._model.label_at(index.row())
        if label is not None:
            held = QGuiApplication.keyboardModifiers()
            is_more = bool(held & Qt.KeyboardModifier.ControlModifier)
            (self.label_toggled if is_more else self.label_chosen).emit(label)

    def _on_activated(self, row: int) -> None:
        label = self._model.label_at(row)
        if label is not None:
            self.label_activated.emit(label)
