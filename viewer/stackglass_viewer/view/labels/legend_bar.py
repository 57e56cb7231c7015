"""Legend bar: the label values that the graph's colours stand for, each with a filter chip."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from stackglass_viewer.model.graph.label_colours import MOST_VALUES
from stackglass_viewer.model.profile.label_table import Label, LabelFilter
from stackglass_viewer.model.units import format_share, make_printable
from stackglass_viewer.presenter.document.legend import Legend, LegendEntry, limit_width
from stackglass_viewer.view.widgets.shown_text import escape_ampersands, make_tip

_SQUARE_PX = 12
_GAP_PX = 4  # between the square and its text
_VALUE_PX = 170  # greatest width of a value's text
_LEAST_VALUE_PX = 48  # with less room for a value, the shares are left out


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
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._chips = [self._make_chip(index) for index in range(MOST_VALUES)]
        self._others = QLabel(self)
        self._others.setObjectName("hint")
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 12, 4)
        row.setSpacing(4)
        for widget in (self._title, *self._chips, self._others):
            row.addWidget(widget)
        row.addStretch(1)
        self.hide()

    def _make_chip(self, index: int) -> QToolButton:
        chip = QToolButton(self)
        chip.setObjectName("legendChip")
        chip.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        chip.setIconSize(QSize(_SQUARE_PX + _GAP_PX, _SQUARE_PX))
        chip.setCheckable(True)
        chip.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        chip.clicked.connect(partial(self._on_clicked, index))
        return chip

    def show_legend(self, legend: Legend | None) -> None:
        """Show the values and their colours; None = the graph is coloured by function."""
        if legend == self._legend:
            return
        self._legend = legend
        entries = legend.entries if legend is not None else ()
        for index, chip in enumerate(self._chips):
            chip.setVisible(index < len(entries))
            if index < len(entries):
                self._fill(chip, entries[index])
        key = make_printable(legend.key) if legend is not None else ""
        self._title.setText(f"Colour: {key}" if key else "")
        others = legend.others if legend is not None else 0.0
        self._others.setText(f"others {format_share(others)}" if others >= 0.0005 else "")
        self._others.setVisible(bool(self._others.text()))  # else its spacing would be left
        self._fit()
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
        chip.setToolTip(
            make_tip(
                f"{key} = {value}: {format_share(entry.share)}\n"
                "Click to show only its stacks, again to show all"
            )
        )
        chip.setAccessibleName(f"Show only {key} = {value}")

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Cut the values to the available width; if that is too little, leave out the shares.
        Qt would cut the end of both, and a cut share would read as another number."""
        entries = self._legend.entries if self._legend is not None else ()
        measure = self._chips[0].fontMetrics().horizontalAdvance
        shares = [f" {format_share(entry.share)}" for entry in entries]
        values = [make_printable(entry.label[1]) for entry in entries]
        values_px = [min(measure(escape_ampersands(value)), _VALUE_PX) for value in values]
        room_px = self._find_room(len(entries))
        value_px = limit_width(values_px, room_px - sum(map(measure, shares)))
        if value_px < min(_LEAST_VALUE_PX, max(values_px, default=0)):
            value_px, shares = limit_width(values_px, room_px), [""] * len(shares)
        for chip, value, share in zip(self._chips, values, shares, strict=False):
            cut = chip.fontMetrics().elidedText(value, Qt.TextElideMode.ElideMiddle, value_px + 1)
            if chip.text() != (text := f"{escape_ampersands(cut)}{share}"):
                chip.setText(text)

    def _find_room(self, n_chips: int) -> int:
        """Return the width in pixels that is available for the texts of all chips."""
        chip = self._chips[0]
        text_px = chip.fontMetrics().horizontalAdvance(chip.text())
        # A cut text may be 1 px wider than its room, because its parts are measured apart.
        frame_px = chip.sizeHint().width() - text_px + self._row.spacing() + 1
        margins = self._row.contentsMargins()
        taken_px = margins.left() + margins.right() + self._title.sizeHint().width()
        if self._others.text():
            taken_px += self._others.sizeHint().width() + self._row.spacing()
        return self.width() - taken_px - n_chips * frame_px

    def _tick(self) -> None:
        entries = self._legend.entries if self._legend is not None else ()
        for chip, entry in zip(self._chips, entries, strict=False):
            chip.setChecked(entry.label in self._chosen)

    def _on_clicked(self, index: int, _checked: bool = False) -> None:
        if self._legend is not None and index < len(self._legend.entries):
            self.label_toggled.emit(self._legend.entries[index].label)
        self._tick()
