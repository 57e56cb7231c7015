"""Legend bar: the label values that the graph's colours stand for, each with a filter chip."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from stackglass_viewer.model.graph.label_colours import MOST_VALUES
from stackglass_viewer.model.profile.label_table import Label, LabelFilter
from stackglass_viewer.model.units import format_share, make_printable
from stackglass_viewer.presenter.document.legend import Legend, LegendEntry
from stackglass_viewer.view.widgets.shown_text import make_tip, show_signs

_SQUARE_PX = 12
_GAP_PX = 4  # between the square and its text
_VALUE_PX = 170  # greatest width of a value's text


def _draw_square(colour: int) -> QPixmap:
    picture = QPixmap(_SQUARE_PX + _GAP_PX, _SQUARE_PX)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.fillRect(0, 0, _SQUARE_PX, _SQUARE_PX, QColor.fromRgba(colour))
    painter.end()
    return picture


class LegendBar(QFrame):
    """A click on a value shows only its stacks. Hidden while the graph is coloured by function."""

    label_toggled = Signal(object)  # Label

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("footer")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._legend: Legend | None = None
        self._chosen: frozenset[LabelFilter] = frozenset()
        self._is_wanted = True
        self._title = QLabel(self)
        self._title.setObjectName("hint")
        self._chips = [self._make_chip(place) for place in range(MOST_VALUES)]
        self._others = QLabel(self)
        self._others.setObjectName("hint")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 12, 4)
        row.setSpacing(4)
        for widget in (self._title, *self._chips, self._others):
            row.addWidget(widget)
        row.addStretch(1)
        self.hide()

    def _make_chip(self, place: int) -> QToolButton:
        chip = QToolButton(self)
        chip.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        chip.setIconSize(QSize(_SQUARE_PX + _GAP_PX, _SQUARE_PX))
        chip.setCheckable(True)
        chip.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        chip.clicked.connect(partial(self._on_clicked, place))
        return chip

    def show_legend(self, legend: Legend | None) -> None:
        """Show the values and their colours; None = the graph is coloured by function."""
        if legend == self._legend:
            return
        self._legend = legend
        entries = legend.entries if legend is not None else ()
        for place, chip in enumerate(self._chips):
            chip.setVisible(place < len(entries))
            if place < len(entries):
                self._fill(chip, entries[place])
        self._title.setText(f"Colour: {legend.key}" if legend is not None else "")
        others = legend.others if legend is not None else 0.0
        self._others.setText(f"others {format_share(others)}" if others >= 0.0005 else "")
        self._show()

    def show_chosen(self, chosen: tuple[Label, ...]) -> None:
        """Mark the values to which the view is filtered."""
        self._chosen = frozenset(chosen)
        self._tick()

    def set_wanted(self, is_wanted: bool) -> None:
        """Set whether a graph is shown; if not, hide the bar."""
        self._is_wanted = is_wanted
        self._show()

    def _show(self) -> None:
        self._tick()
        self.setVisible(self._is_wanted and self._legend is not None)

    def _fill(self, chip: QToolButton, entry: LegendEntry) -> None:
        key, value = (make_printable(word) for word in entry.label)
        chip.setIcon(QIcon(_draw_square(entry.colour)))
        cut = self.fontMetrics().elidedText(value, Qt.TextElideMode.ElideMiddle, _VALUE_PX)
        chip.setText(f"{show_signs(cut)} {format_share(entry.share)}")
        chip.setToolTip(
            make_tip(f"{key} = {value}\nClick to show only its stacks, again to show all")
        )
        chip.setAccessibleName(f"Show only {key} = {value}")

    def _tick(self) -> None:
        entries = self._legend.entries if self._legend is not None else ()
        for chip, entry in zip(self._chips, entries, strict=False):
            chip.setChecked(entry.label in self._chosen)

    def _on_clicked(self, place: int, _checked: bool = False) -> None:
        if self._legend is not None and place < len(self._legend.entries):
            self.label_toggled.emit(self._legend.entries[place].label)
        self._tick()
