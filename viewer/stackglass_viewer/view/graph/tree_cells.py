"""Cells of the call tree: texts in the fixed font of all tables, and a bar below each share."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from stackglass_viewer.presenter.document.tree_model import (
    SHARE_ROLE,
    CallTreeModel,
    Index,
    TreeColumn,
)
from stackglass_viewer.view.tables.cell_text import paint_bar
from stackglass_viewer.view.tables.painted_table import ROW_PX
from stackglass_viewer.view.widgets.theme import Theme, fixed_font


class TreeCells(QStyledItemDelegate):
    """Paints the cells; names that match the search are bold. In a difference the bars have the
    colours of what grew and of what shrank, as in all tables."""

    def __init__(
        self,
        model: CallTreeModel,
        theme: Theme,
        is_match: Callable[[Index], bool],
        parent: QWidget,
    ) -> None:
        super().__init__(parent)
        self._model = model
        self._is_match = is_match
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        self._accent = QColor(theme.accent)
        self._grown, self._shrunk = QColor(theme.grown), QColor(theme.shrunk)

    def initStyleOption(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().initStyleOption(option, index)
        option.font = fixed_font()
        if index.column() == TreeColumn.NAME and self._is_match(index):
            option.font.setBold(True)
        is_place = index.column() == TreeColumn.PLACE
        side = Qt.TextElideMode.ElideLeft if is_place else Qt.TextElideMode.ElideRight
        option.textElideMode = side

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().paint(painter, option, index)
        share = index.data(SHARE_ROLE)
        if share:
            number, padding_px = self._place_number(option, index)
            paint_bar(painter, number, abs(share), self._choose_bar_colour(share), padding_px)

    def _place_number(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> tuple[QRect, int]:
        """Return where Qt puts the text of a cell, over its whole height, and its margins in px."""
        styled = QStyleOptionViewItem(option)
        self.initStyleOption(styled, index)
        style = option.widget.style()
        text = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, styled, option.widget)
        padding_px = style.pixelMetric(QStyle.PixelMetric.PM_FocusFrameHMargin) + 1  # as Qt does
        return QRect(text.x(), option.rect.y(), text.width(), option.rect.height()), padding_px

    def _choose_bar_colour(self, share: float) -> QColor:
        scene = self._model.scene
        if scene is None or not scene.is_difference:
            return self._accent
        return self._grown if share > 0 else self._shrunk

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        return QSize(super().sizeHint(option, index).width(), ROW_PX)
