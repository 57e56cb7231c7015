"""Line icons, drawn from SVG files in a colour of the theme."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from stackglass_resources import FOLDER

_ICONS = FOLDER / "icons"
_SIDE_PX = 16
_SCALES = (1, 2, 3)


@cache
def _source(name: str) -> str:
    return (_ICONS / f"{name}.svg").read_text(encoding="utf-8")


def draw_icon(name: str, colour: str, side_px: int, scale: float = 1.0) -> QPixmap:
    """Return an icon as a pixmap of ``side_px`` device-independent pixels."""
    return _draw(_read(name, colour), side_px, scale)


def _read(name: str, colour: str) -> QSvgRenderer:
    return QSvgRenderer(QByteArray(_source(name).replace("currentColor", colour).encode()))


def _draw(renderer: QSvgRenderer, side_px: int, scale: float) -> QPixmap:
    pixmap = QPixmap(round(side_px * scale), round(side_px * scale))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    renderer.render(painter, QRectF(0, 0, pixmap.width(), pixmap.height()))
    painter.end()
    pixmap.setDevicePixelRatio(scale)
    return pixmap


@cache
def load_icon(name: str, colour: str, disabled_colour: str = "") -> QIcon:
    """Return an icon in one colour, sharp at screen scales 1, 2 and 3."""
    icon = QIcon()
    colours = ((colour, QIcon.Mode.Normal), (disabled_colour, QIcon.Mode.Disabled))
    for each, mode in colours if disabled_colour else colours[:1]:
        renderer = _read(name, each)  # once for all scales: reading takes as long as drawing
        for scale in _SCALES:
            icon.addPixmap(_draw(renderer, _SIDE_PX, scale), mode)
    return icon


@cache
def application_icon() -> QIcon:
    icon = QIcon()
    for side_px in (16, 32, 48, 64, 128, 256):
        icon.addPixmap(draw_icon("stackglass", "#000000", side_px))
    return icon


@cache
def _icon_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="stackglass-icons-")


@cache
def icon_file(name: str, colour: str) -> Path:
    """Return the file of an icon for a style sheet, which can only name files.

    The file is written at the first call, and removed at exit.
    """
    path = Path(_icon_folder().name) / f"{name}-{colour.lstrip('#')}.svg"
    path.write_text(_source(name).replace("currentColor", colour), encoding="utf-8")
    return path
