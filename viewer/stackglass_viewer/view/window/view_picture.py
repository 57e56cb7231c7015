"""View picture: the shown view of a tab as PNG, SVG or PDF, for the clipboard, files and paper.

The picture has the visible part of the view. Widgets are rendered on the GUI thread; a PNG file may
be encoded on any thread.
"""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QBuffer, QIODevice, QMarginsF, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QImage,
    QPageLayout,
    QPageSize,
    QPainter,
    QPdfWriter,
    QRegion,
)
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QWidget

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.view.window.profile_page import ProfilePage

_RATIO = 2.0  # device pixels per pixel of the window
_DOTS_PER_INCH = 1200  # of a PDF
_MARGIN_MM = 12.0
_TITLE_PT, _TEXT_PT = 13.0, 9.0
_GAP = 0.5  # below the header, in lines of text


@dataclass(frozen=True, slots=True)
class PictureText:
    """The texts of a page's header, which are also the description in a PNG or SVG."""

    title: str  # of the tab
    kind: str  # view, sample type, and how much of the view is visible
    about: str  # duration, total, when it was recorded
    printed: str  # when and by which program it was printed


def list_shown(page: ProfilePage) -> list[QWidget]:
    """Return the widgets in a picture of a tab, top down: the timeline if shown, the views."""
    live = page.live
    has_timeline = live is not None and live.is_timeline_visible
    return [live.timeline, page.area] if live is not None and has_timeline else [page.area]


def _size_of(parts: list[QWidget]) -> QSize:
    return QSize(max(part.width() for part in parts), sum(part.height() for part in parts))


def paint_parts(painter: QPainter, parts: list[QWidget], background: str) -> None:
    """Paint widgets one below the other."""
    size = _size_of(parts)
    painter.fillRect(QRect(QPoint(0, 0), size), QColor(background))
    top_px = 0
    flags = QWidget.RenderFlag.DrawWindowBackground | QWidget.RenderFlag.DrawChildren
    for part in parts:
        part.render(painter, QPoint(0, top_px), QRegion(), flags)
        top_px += part.height()


def draw_image(parts: list[QWidget], background: str) -> QImage:
    """Return an image of widgets, one below the other, at twice the window's resolution."""
    image = QImage(_size_of(parts) * _RATIO, QImage.Format.Format_RGB32)
    image.setDevicePixelRatio(_RATIO)
    painter = QPainter(image)
    paint_parts(painter, parts, background)
    painter.end()
    return image


def encode_png(image: QImage, text: PictureText) -> bytes:
    """Encode an image as a PNG file with title and description. Any thread."""
    image.setText("Title", text.title)
    image.setText("Description", f"{text.kind}\n{text.about}")
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    image.save(buffer, "PNG")  # type: ignore[call-overload] # the stubs lack QIODevice
    return bytes(buffer.data().data())


def write_svg(parts: list[QWidget], background: str, text: PictureText) -> bytes:
    """Return widgets as an SVG file: texts and lines as elements, painted pixels as images."""
    size, buffer = _size_of(parts), QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    made = QSvgGenerator()
    made.setOutputDevice(buffer)
    made.setTitle(text.title)
    made.setDescription(f"{text.kind}\n{text.about}")
    made.setSize(size)
    made.setViewBox(QRect(QPoint(0, 0), size))
    painter = QPainter(made)
    paint_parts(painter, parts, background)
    painter.end()
    return bytes(buffer.data().data())


def make_layout(parts: list[QWidget]) -> QPageLayout:
    """Return the layout of an A4 page, landscape if the picture is at least as wide as high."""
    size = _size_of(parts)
    sideways = size.width() >= size.height()
    way = QPageLayout.Orientation.Landscape if sideways else QPageLayout.Orientation.Portrait
    margins = QMarginsF(_MARGIN_MM, _MARGIN_MM, _MARGIN_MM, _MARGIN_MM)
    return QPageLayout(
        QPageSize(QPageSize.PageSizeId.A4), way, margins, QPageLayout.Unit.Millimeter
    )


def write_pdf(parts: list[QWidget], background: str, text: PictureText) -> bytes:
    """Return widgets as a PDF file of one page, with a header."""
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    writer = QPdfWriter(buffer)
    writer.setResolution(_DOTS_PER_INCH)
    writer.setPageLayout(make_layout(parts))
    writer.setTitle(text.title)
    writer.setCreator("Stackglass")
    painter = QPainter(writer)
    page = QRectF(writer.pageLayout().paintRectPixels(_DOTS_PER_INCH))
    paint_page(painter, QRectF(0, 0, page.width(), page.height()), parts, background, text)
    painter.end()
    return bytes(buffer.data().data())


def paint_page(
    painter: QPainter, page: QRectF, parts: list[QWidget], background: str, text: PictureText
) -> None:
    """Paint a header, and below it the picture as large as it fits on the page."""
    top = _paint_header(painter, page, text)
    size = _size_of(parts)
    scale = min(page.width() / size.width(), (page.height() - top) / size.height())
    painter.save()
    painter.translate(page.left() + (page.width() - size.width() * scale) / 2, page.top() + top)
    painter.scale(scale, scale)
    paint_parts(painter, parts, background)
    painter.restore()


def _paint_header(painter: QPainter, page: QRectF, text: PictureText) -> float:
    """Paint the header. Returns its height with the gap below, in the page's units."""
    strong, plain = QFont(), QFont()
    strong.setPointSizeF(_TITLE_PT)
    strong.setBold(True)
    plain.setPointSizeF(_TEXT_PT)
    y = page.top()
    painter.setPen(Qt.GlobalColor.black)
    for font, words, at_right in (
        (strong, make_printable(text.title), text.printed),
        (plain, text.kind, ""),
        (plain, text.about, ""),
    ):
        metrics = QFontMetricsF(font, painter.device())
        small = QFontMetricsF(plain, painter.device())
        right_px = small.horizontalAdvance(at_right) + small.height() if at_right else 0.0
        line = QRectF(page.left(), y, page.width() - right_px, metrics.height())
        painter.setFont(font)
        cut = metrics.elidedText(words, Qt.TextElideMode.ElideMiddle, line.width())
        painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, cut)
        if at_right:
            painter.setFont(plain)
            whole = QRectF(page.left(), y, page.width(), metrics.height())
            side = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(whole, side, at_right)
        y += metrics.height()
    return y - page.top() + _GAP * QFontMetricsF(plain, painter.device()).height()
