"""Legend of the heap map: a choice of what the colours stand for, and an entry for each group."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QFontMetricsF, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QToolTip, QVBoxLayout, QWidget

from stackglass_viewer.model.units import format_count, format_share
from stackglass_viewer.presenter.memory_trace.map_groups import Colouring
from stackglass_viewer.presenter.memory_trace.map_picture import (
    MapLegend,
    MapLegendEntry,
    MapPicture,
    describe_cells,
)
from stackglass_viewer.view.widgets.accessible_parts import (
    AccessiblePart,
    Parts,
    announce_current,
    offer_parts,
)
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.shown_text import show_tip
from stackglass_viewer.view.widgets.theme import Theme

_ROW_PX, _SQUARE_PX, _SHARE_PX = 19, 11, 64
_GAP_PX = 6  # between a group's name and its share
_COLOURINGS = (
    (Colouring.TYPE, "Colour by type"),
    (Colouring.SITE, "Colour by line of code"),
    (Colouring.SIZE, "Colour by size"),
    (Colouring.AGE, "Colour by age"),
    (Colouring.NONE, "One colour"),
)


class MapLegendView(QWidget):
    """Shows the map's groups, and emits the chosen colouring and the group to highlight."""

    colouring_chosen = Signal(object)  # Colouring
    group_chosen = Signal(str)  # "" = none

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._colourings = ChoiceBox(self)
        for _, text in _COLOURINGS:
            self._colourings.addItem(text)
        self._colourings.setAccessibleName("Colours of the heap map")
        self._colourings.setToolTip("Choose what the colours of the heap map stand for")
        self._entries = LegendEntries(theme, "heap map", self)
        self._cells = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        self._cells.setObjectName("hint")
        self._cells_text = ("", "")
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self._colourings)
        column.addWidget(self._entries, 1)
        column.addWidget(self._cells)
        self._colourings.activated.connect(
            lambda index: self.colouring_chosen.emit(_COLOURINGS[index][0])
        )
        self._entries.group_chosen.connect(self.group_chosen)

    def set_theme(self, theme: Theme) -> None:
        self._entries.set_theme(theme)

    def show_colouring(self, colouring: Colouring) -> None:
        """Show the colouring, without a signal."""
        self._colourings.setCurrentIndex([each for each, _ in _COLOURINGS].index(colouring))

    def show_picture(self, picture: MapPicture) -> None:
        self._entries.show_legend(picture.legend)
        self._cells_text = describe_cells(picture.heap_map)
        self._cells.set_text(*self._cells_text)

    def show_progress(self, share: float | None) -> None:
        """Show how much of the exact map is drawn; None = no exact map is being drawn."""
        if share is None:
            self._cells.set_text(*self._cells_text)
        else:
            text = f"Drawing the exact map: {format_share(min(share, 0.999))}"
            self._cells.set_text(text, self._cells_text[1])


class LegendEntries(QWidget):
    """A row for each group: colour, name and share. A click on a row emits its group.

    Up, Down, Home and End move from row to row; Enter emits the row's group, and Esc ends the
    highlight.
    """

    group_chosen = Signal(str)

    def __init__(self, theme: Theme, picture: str, parent: QWidget | None = None) -> None:
        """``picture``: the name of the picture that the legend explains, such as ``heap map``."""
        super().__init__(parent)
        self._theme = theme
        self._picture = picture
        self._legend: MapLegend | None = None
        self._row = 0  # row that the arrow keys have chosen
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(f"Legend of the {picture}")
        offer_parts(
            self,
            Parts(
                count=lambda: len(self._shown_rows),
                describe=self._describe,
                find=self._find_row,
                current=lambda: self._current,
            ),
        )

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_legend(self, legend: MapLegend) -> None:
        before, self._legend = self._legend, legend
        self.update()
        if self.hasFocus() and before is not None and before.chosen != legend.chosen:
            announce_current(self)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme, legend = QPainter(self), self._theme, self._legend
        if legend is None:
            return
        metrics = QFontMetricsF(painter.font())
        rows = self._list_rows(legend)
        for row, entry in enumerate(rows):
            top = row * _ROW_PX
            is_faded = bool(legend.chosen) and entry.group.text != legend.chosen
            painter.setOpacity(0.4 if is_faded else 1.0)
            painter.fillRect(
                2,
                top + (_ROW_PX - _SQUARE_PX) // 2,
                _SQUARE_PX,
                _SQUARE_PX,
                QColor.fromRgba(entry.colour),
            )
            left = _SQUARE_PX + 10
            room = self.width() - left - _SHARE_PX - _GAP_PX
            painter.setPen(QColor(theme.text))
            cut = metrics.elidedText(entry.group.text, Qt.TextElideMode.ElideMiddle, room)
            painter.drawText(left, top, room, _ROW_PX, Qt.AlignmentFlag.AlignVCenter, cut)
            painter.setPen(QColor(theme.muted))
            side = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
            share = _write_share(legend, entry)
            painter.drawText(self.width() - _SHARE_PX, top, _SHARE_PX - 2, _ROW_PX, side, share)
        if self.hasFocus() and rows:
            painter.setOpacity(1.0)
            painter.setPen(QColor(theme.accent))
            painter.drawRect(self._place_row(self._current).adjusted(0, 0, -1, -1))
        left_out = legend.n_others + len(legend.entries) - len(rows)
        if left_out:
            painter.setOpacity(1.0)
            painter.setPen(QColor(theme.faint))
            text = f"and {format_count(left_out)} more"
            top = len(rows) * _ROW_PX
            painter.drawText(
                _SQUARE_PX + 10, top, self.width(), _ROW_PX, Qt.AlignmentFlag.AlignVCenter, text
            )

    def _list_rows(self, legend: MapLegend) -> tuple[MapLegendEntry, ...]:
        """Return as many entries as there is room for, with a line for the number left out."""
        n_rows = max(self.height() // _ROW_PX, 1)
        n_needed = len(legend.entries) + bool(legend.n_others)
        return legend.entries if n_needed <= n_rows else legend.entries[: max(n_rows - 1, 1)]

    @property
    def _shown_rows(self) -> tuple[MapLegendEntry, ...]:
        return self._list_rows(self._legend) if self._legend is not None else ()

    @property
    def _current(self) -> int:
        """The row that keys act on; -1 = there is none."""
        return min(self._row, len(self._shown_rows) - 1)

    def _place_row(self, row: int) -> QRect:
        return QRect(0, row * _ROW_PX, self.width(), _ROW_PX)

    def _find_row(self, point: QPoint) -> int:
        row = point.y() // _ROW_PX
        return row if 0 <= row < len(self._shown_rows) else -1

    def _find(self, y: float) -> MapLegendEntry | None:
        row = self._find_row(QPoint(0, int(y)))
        return self._shown_rows[row] if row >= 0 else None

    def _describe(self, row: int) -> AccessiblePart | None:
        legend, rows = self._legend, self._shown_rows
        if legend is None or not 0 <= row < len(rows):
            return None
        entry = rows[row]
        share = _write_share(legend, entry)
        is_chosen = bool(legend.chosen) and entry.group.text == legend.chosen
        value = f"{share}, highlighted" if is_chosen else share
        return AccessiblePart(entry.group.about or entry.group.text, value, self._place_row(row))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        legend, rows, at = self._legend, self._shown_rows, self._current
        last = len(rows) - 1
        moves = {
            Qt.Key.Key_Up: at - 1,
            Qt.Key.Key_Down: at + 1,
            Qt.Key.Key_Home: 0,
            Qt.Key.Key_End: last,
        }
        key = Qt.Key(event.key())
        if legend is None or not rows:
            event.ignore()
        elif key in moves:
            self._row = min(max(moves[key], 0), last)
            self.update()
            announce_current(self)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.group_chosen.emit(rows[at].group.text)
        elif key == Qt.Key.Key_Escape and legend.chosen:
            self.group_chosen.emit("")
        else:
            event.ignore()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        row = self._find_row(event.position().toPoint())
        if row >= 0:
            self._row = row
        entry = self._find(event.position().y())
        self.group_chosen.emit(entry.group.text if entry is not None else "")

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        entry = self._find(event.position().y())
        if entry is None:
            QToolTip.hideText()
            return
        name = entry.group.about or entry.group.text
        text = f"{name}\nClick to highlight it in the {self._picture}"
        if not entry.is_visible:
            text = f"{name}\nNo cell has this colour: each has more bytes of another group"
        show_tip(event.globalPosition().toPoint(), text, self)


def _write_share(legend: MapLegend, entry: MapLegendEntry) -> str:
    return ("≈ " if legend.is_coarse else "") + format_share(min(entry.share, 1.0))
