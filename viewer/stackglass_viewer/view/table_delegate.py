"""Cells of the tables of numbers: these in words, shares as bars."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRect, QSize
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from stackglass_viewer.model.units import format_change, format_share, format_value
from stackglass_viewer.presenter.table_model import Cell, CellKind, TableModel
from stackglass_viewer.view.text_fitter import TextFitter
from stackglass_viewer.view.theme import Theme, fixed_font

ROW_PX = 26
_PADDING_PX = 10
_NOTHING = "–"

AnyIndex = QModelIndex | QPersistentModelIndex


class TableDelegate(QStyledItemDelegate):
    """Puts numbers into words and draws the shares as bars."""

    def __init__(self, model: TableModel, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._font = fixed_font()
        self._fitter = TextFitter(self._font)
        self._metrics = self._fitter.metrics
        self._baseline_px = (ROW_PX + self._metrics.ascent() - self._metrics.descent()) / 2
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._text_pen = QPen(QColor(theme.text))
        self._muted_pen = QPen(QColor(theme.muted))
        self._bad_pen = QPen(QColor(theme.danger))
        self._accent = QColor(theme.accent)
        self._selected = QColor(theme.accent_soft)
        self._hovered = QColor(theme.surface)

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(80, ROW_PX)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        cell = self._model.cell(index.row(), index.column())
        if cell is None:
            return
        rect: QRect = option.rect
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(rect, self._selected)
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(rect, self._hovered)
        inner = rect.adjusted(_PADDING_PX, 0, -_PADDING_PX, 0)
        share = cell.value if cell.field.kind is CellKind.SHARE else cell.bar
        assert not isinstance(share, str)
        width_px = round(inner.width() * min(1.0, max(0.0, share)))
        if width_px:
            bar = QRect(inner.right() + 1 - width_px, inner.bottom() - 3, width_px, 2)
            painter.fillRect(bar, self._accent)
        painter.setFont(self._font)
        is_place = cell.field.kind is CellKind.PLACE
        pen = self._muted_pen if is_place else self._text_pen
        painter.setPen(self._bad_pen if cell.is_bad else pen)
        # Files lose their beginning, names their end.
        text = self._fitter.fit(_say(cell), inner.width(), keeps_end=is_place)
        free_px = 0.0
        if not cell.field.is_text:
            free_px = max(inner.width() - self._metrics.horizontalAdvance(text), 0.0)
        place = QPointF(inner.left() + free_px, rect.top() + self._baseline_px)
        painter.drawText(place, text)
        painter.restore()


def _say(cell: Cell) -> str:
    value = cell.value
    if isinstance(value, str):
        return value
    if cell.field.kind in (CellKind.SHARE, CellKind.RATIO):
        return format_share(value) if value >= 0 else _NOTHING
    if cell.is_change and value:
        return format_change(value, cell.unit)
    if value <= 0:
        return _NOTHING
    return ("≤" if cell.is_below else "") + format_value(value, cell.unit)
