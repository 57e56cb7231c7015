"""Header of a table: the titles of its columns, painted once and kept as a pixmap."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QAbstractItemModel, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QPixmap, QPolygonF
from PySide6.QtWidgets import QHeaderView, QWidget

from stackglass_viewer.view.widgets.theme import Theme

_PADDING_PX = 10


class TableHeader(QHeaderView):
    """A header with the arrow of the sorted column beside its title; Qt's has the arrow above."""

    def __init__(self, theme: Theme, width_of: Callable[[int], int], parent: QWidget) -> None:
        """``width_of``: the initial width of a column, in pixels."""
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._width_of = width_of
        self.theme = theme
        self.setSectionsClickable(True)
        self.setHighlightSections(False)
        self.setStretchLastSection(True)
        self.setMinimumSectionSize(48)
        self._picture: QPixmap | None = None
        self._picture_key: tuple[object, ...] = ()  # all that the picture depends on
        self._n_titles = 0  # counts changes of the titles, to compare a number and not texts
        self.sectionCountChanged.connect(self._expect_titles)
        self._height_px = super().sectionSizeFromContents(0).height()

    def setModel(self, model: QAbstractItemModel | None) -> None:
        super().setModel(model)
        if model is not None:
            for renamed in (model.headerDataChanged, model.modelReset):
                renamed.connect(self._expect_titles)
        self._expect_titles()

    def _expect_titles(self) -> None:
        """Note that titles or their alignment may have changed."""
        self._n_titles += 1

    def sectionSizeFromContents(self, section: int) -> QSize:
        """Return the initial size. Qt's own method queries the model six times at each call."""
        return QSize(self._width_of(section), self._height_px)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the kept picture, which is drawn anew only if it would look different.

        Qt repaints the header twice at each change of any row, and drawing a section takes as long
        as drawing a row.
        """
        key = self._make_picture_key()
        if self._picture is None or key != self._picture_key:
            self._picture, self._picture_key = self._draw(), key
        painter = QPainter(self.viewport())
        painter.drawPixmap(0, 0, self._picture)
        painter.end()

    def _make_picture_key(self) -> tuple[object, ...]:
        """Return all that the picture depends on, without a call of the model."""
        section_px, width_px = self.sectionViewportPosition, self.sectionSize
        places = [(section_px(at), width_px(at)) for at in range(self.count())]
        sorted_by = (self.sortIndicatorSection(), self.sortIndicatorOrder())
        font = self.font().key()
        size, ratio = self.viewport().size().toTuple(), self.devicePixelRatioF()
        return (*places, self._n_titles, sorted_by, self.theme, font, size, ratio)

    def _draw(self) -> QPixmap:
        ratio = self.devicePixelRatioF()
        picture = QPixmap(self.viewport().size() * ratio)
        picture.setDevicePixelRatio(ratio)
        picture.fill(QColor(self.theme.surface))
        painter = QPainter(picture)
        for section in range(self.count()):
            if not self.isSectionHidden(section):
                left, width = self.sectionViewportPosition(section), self.sectionSize(section)
                self.paintSection(painter, QRect(left, 0, width, self.viewport().height()), section)
        painter.end()
        return picture

    def _title(self, section: int) -> str:
        return str(self.model().headerData(section, Qt.Orientation.Horizontal) or "")

    def _side(self, section: int) -> Qt.AlignmentFlag:
        """Return the model's alignment of a column; right if the model has none."""
        aligned = Qt.ItemDataRole.TextAlignmentRole
        side = self.model().headerData(section, Qt.Orientation.Horizontal, aligned)
        return Qt.AlignmentFlag.AlignRight if side is None else side

    def paintSection(self, painter: QPainter, rect: QRect, section: int) -> None:
        painter.save()
        painter.fillRect(rect, QColor(self.theme.surface))
        painter.fillRect(rect.adjusted(0, rect.height() - 1, 0, 0), QColor(self.theme.border))
        is_sorted = self.sortIndicatorSection() == section
        font = self.font()
        font.setBold(is_sorted)
        painter.setFont(font)
        painter.setPen(QPen(QColor(self.theme.text if is_sorted else self.theme.muted)))
        title = self._title(section)
        is_text = bool(self._side(section) & Qt.AlignmentFlag.AlignLeft)
        inner = rect.adjusted(_PADDING_PX, 0, -_PADDING_PX, 0)
        edge = Qt.AlignmentFlag.AlignLeft if is_text else Qt.AlignmentFlag.AlignRight
        painter.drawText(inner, edge | Qt.AlignmentFlag.AlignVCenter, title)
        if is_sorted:
            title_px = painter.fontMetrics().horizontalAdvance(title)
            x = inner.left() + title_px + 8 if is_text else inner.right() - title_px - 9
            self._paint_arrow(painter, x, inner.center().y() + 1)
        painter.restore()

    def _paint_arrow(self, painter: QPainter, x: int, y: int) -> None:
        down = self.sortIndicatorOrder() == Qt.SortOrder.DescendingOrder
        tip = 2.0 if down else -2.0
        shape = QPolygonF()
        for point in ((x - 3.5, y - tip), (x + 3.5, y - tip), (x + 0.0, y + tip)):
            shape.append(QPointF(*point))
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self.theme.accent))
        painter.drawPolygon(shape)
