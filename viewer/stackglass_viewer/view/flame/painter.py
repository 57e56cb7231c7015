"""Painter of the flame graph: an image of boxes and names, drawn in C, below outlines.

::

    boxes ──fill_rows──▶ image in device pixels ──▶ kept until view, size or colours change
    names, cut to their boxes ──▶ over the boxes
    outlines ───────────────────▶ over the kept image: the hovered and the selected box
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QRect, QRectF, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen

from stackglass_viewer.model.columns.index import UInt32s
from stackglass_viewer.model.graph.glyphs import Names
from stackglass_viewer.model.graph.raster import Paint, Viewport, fill_rows, label_boxes
from stackglass_viewer.presenter.document.flame_scene import (
    FlameScene,
    Highlight,
    extent_of,
    name_of,
    short_name_of,
    sign_of,
)
from stackglass_viewer.presenter.document.labels import fit_name
from stackglass_viewer.presenter.document.navigation import View
from stackglass_viewer.view.flame.name_painter import NamePainter
from stackglass_viewer.view.flame.row_geometry import ROW_PX, RowGeometry
from stackglass_viewer.view.widgets.placeholder import paint_placeholder
from stackglass_viewer.view.widgets.theme import Theme

_MIN_LABEL_PX = 22
_LABEL_INSET_PX = 5
_FADED = 0.24  # share of its colour that a box without a search match keeps
_OPAQUE = np.uint32(0xFF000000)


@dataclass(frozen=True, slots=True)
class _Key:
    """The view and size for which an image was painted."""

    view: View
    width_px: int
    height_px: int
    ratio: float


@dataclass(frozen=True, slots=True)
class _Outline:
    """Style of the outline that marks a box."""

    width_px: float
    tint: float  # opacity of the colour over the box


_HOVERED = _Outline(1.0, 0.16)
_SELECTED = _Outline(2.0, 0.0)


class FlamePainter:
    """Paints a graph, and keeps the image of its boxes for the next time."""

    def __init__(self, theme: Theme, geometry: RowGeometry) -> None:
        self._theme = theme
        self._geometry = geometry
        self._names = NamePainter()
        self._scene: FlameScene | None = None
        self._name_of = name_of  # returns the text of a box
        self._highlight = Highlight()
        self._paint: Paint | None = None
        self._is_faded: np.ndarray | None = None  # (n_frames,) bool
        self._key: _Key | None = None
        self._pixels: UInt32s | None = None  # the memory of _image, kept as long as _image
        self._image = QImage()

    def set_scene(self, scene: FlameScene | None) -> None:
        self._scene = scene
        self._forget()

    def set_highlight(self, highlight: Highlight) -> None:
        self._highlight = highlight
        self._forget()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._forget()

    def set_geometry(self, geometry: RowGeometry) -> None:
        self._geometry = geometry
        self._forget()

    def shorten_names(self, is_short: bool) -> None:
        """Name boxes without package and module, or with them."""
        self._name_of = short_name_of if is_short else name_of
        self._forget()

    def _forget(self) -> None:
        self._paint = None
        self._key = None

    def release(self) -> None:
        """Free the image, which takes some MiB, while the graph is hidden."""
        self._key, self._pixels, self._image = None, None, QImage()

    # -- painting

    def paint_placeholder(self, painter: QPainter, rect: QRect, title: str, text: str) -> None:
        """Paint the texts that stand in the place of a graph."""
        paint_placeholder(painter, rect, self._theme, title, text)

    def paint(
        self, painter: QPainter, rect: QRect, view: View, hovered: int, selected: int
    ) -> None:
        """Paint the part of the graph in ``view``; ``hovered``, ``selected``: nodes, -1 = none."""
        scene = self._scene
        assert scene is not None
        ratio = painter.device().devicePixelRatioF()
        key = _Key(view, rect.width(), rect.height(), ratio)
        if key != self._key:
            self._fill(scene, key)
            self._key = key
        painter.drawImage(rect.topLeft(), self._image)
        if hovered >= 0 and hovered != selected:
            self._outline(painter, key, hovered, _HOVERED)
        if selected >= 0:
            self._outline(painter, key, selected, _SELECTED)

    def _fill(self, scene: FlameScene, key: _Key) -> None:
        """Paint boxes and names into the image."""
        ratio, extent = key.ratio, scene.layout.extent
        viewport = Viewport(
            left=key.view.left * extent,
            right=key.view.right * extent,
            top_px=(key.view.top_px + self._geometry.hidden_px) * ratio,
            row_height_px=round(ROW_PX * ratio),
            width_px=max(1, round(key.width_px * ratio)),
            height_px=max(1, round(key.height_px * ratio)),
        )
        shape = (viewport.height_px, viewport.width_px)
        if self._pixels is None or self._pixels.shape != shape:
            self._pixels = np.empty(shape, dtype=np.uint32)
        pixels = self._pixels
        fill_rows(scene.layout, viewport, self._mix(scene), pixels)
        if self._geometry.is_upward:
            pixels[:] = pixels[::-1].copy()
        self._image = self._names.draw(self._place_names(scene, viewport, ratio), pixels, ratio)

    def _place_names(self, scene: FlameScene, viewport: Viewport, ratio: float) -> Names:
        """Return the names of the boxes that have room for one, cut to that room."""
        boxes = label_boxes(scene.layout, viewport, round(_MIN_LABEL_PX * ratio))
        rooms = (boxes.width_px / ratio - 2 * _LABEL_INSET_PX) / self._names.char_px
        texts = []
        for node, n_chars in zip(boxes.node.tolist(), rooms.astype(np.int32).tolist(), strict=True):
            sign = sign_of(scene, node)
            text = fit_name(self._name_of(scene, node), n_chars - len(sign))
            texts.append(f"{sign}{text}" if text else "")
        colour = np.full(len(texts), _argb(self._theme.label), dtype=np.uint32)
        if self._is_faded is not None:
            is_root = boxes.node == 0
            colour[is_root | self._is_faded[scene.tree.frame[boxes.node]]] = _argb(
                self._theme.faint
            )
        top_px = boxes.top_px
        if self._geometry.is_upward:
            top_px = viewport.height_px - top_px - np.int32(viewport.row_height_px)
        left_px = boxes.left_px.astype(np.float64) + _LABEL_INSET_PX * ratio
        return Names(texts, left_px, top_px, colour)

    def draw_whole(self, width_px: int, height_px: int) -> QImage:
        """Draw the whole graph without names in ``width_px`` by ``height_px`` device pixels.

        The rows share the height. If it is no multiple of their number, some rows are a pixel
        higher than others; if there are more rows than pixels, some rows are left out.
        """
        pixels = np.full((height_px, width_px), _argb(self._theme.flame_background), np.uint32)
        scene = self._scene
        if scene is not None and scene.layout.extent > 0:
            paint, extent, n_rows = self._mix(scene), scene.layout.extent, scene.layout.n_rows
            if height_px % n_rows == 0:
                rows = Viewport(0.0, extent, 0.0, height_px // n_rows, width_px, height_px)
                fill_rows(scene.layout, rows, paint, pixels)
            else:
                for line in range(height_px):
                    row = line * n_rows // height_px
                    one = Viewport(0.0, extent, float(row), 1, width_px, 1)
                    fill_rows(scene.layout, one, paint, pixels[line : line + 1])
            if self._geometry.is_upward:
                pixels[:] = pixels[::-1].copy()
        image = QImage(pixels.data, width_px, height_px, width_px * 4, QImage.Format.Format_RGB32)
        return image.copy()  # the copy owns its pixels

    def _mix(self, scene: FlameScene) -> Paint:
        """Return the boxes' colours: faded without a search match, the chosen function marked.

        The result is kept until the scene, the highlight or the theme changes.
        """
        if self._paint is None:
            self._is_faded = self._find_faded(scene)
            if scene.own_colours is not None:
                self._paint = self._mix_boxes(scene, scene.own_colours)
                return self._paint
            colours, root = scene.colours, scene.root_colour
            background = _argb(self._theme.flame_background)
            if self._is_faded is not None:
                faded = _blend(colours[self._is_faded], background, _FADED)
                colours = colours.copy()
                colours[self._is_faded] = faded
                root = int(_blend(np.array([root], dtype=np.uint32), background, _FADED)[0])
            frame = self._highlight.frame
            if 0 <= frame < len(colours):
                colours = colours.copy()
                colours[frame] = _argb(self._theme.chosen)
                if self._is_faded is not None:
                    self._is_faded[frame] = False
            self._paint = Paint(scene.tree.frame, colours, root, int(background))
        return self._paint

    def _mix_boxes(self, scene: FlameScene, colours: UInt32s) -> Paint:
        """Return the colours of a scene in which each box, not each frame, has a colour."""
        frames = scene.tree.frame
        colours = colours.copy()
        background = _argb(self._theme.flame_background)
        chosen = self._highlight.frame
        if self._is_faded is not None:
            if 0 <= chosen < len(self._is_faded):
                self._is_faded[chosen] = False
            is_faded = self._is_faded[frames]
            is_faded[0] = True  # the root
            colours[is_faded] = _blend(colours[is_faded], background, _FADED)
        if chosen >= 0:
            # In a difference the light theme's chosen colour, blue, would look like less.
            theme = self._theme
            hue = theme.chosen_change if scene.is_difference else theme.chosen
            colours[frames == chosen] = _argb(hue)
        one_each = np.arange(len(frames), dtype=np.int32)
        return Paint(one_each, colours, int(colours[0]), int(background))

    def _find_faded(self, scene: FlameScene) -> np.ndarray | None:
        matches = self._highlight.matches
        if matches is None:
            return None
        # A live tree may have new frames since the search; the next search result has them.
        is_faded = np.ones(len(scene.colours), dtype=np.bool_)
        n_known = min(len(matches), len(is_faded))
        is_faded[:n_known] = ~matches[:n_known]
        return is_faded

    def _outline(self, painter: QPainter, key: _Key, node: int, outline: _Outline) -> None:
        extent = extent_of(self._scene, node) if self._scene is not None else None
        if extent is None:
            return
        left, right, row = extent
        view = key.view
        x0 = max(-4.0, (left - view.left) / view.span * key.width_px)
        x1 = min(key.width_px + 4.0, (right - view.left) / view.span * key.width_px)
        y = self._geometry.top_of(row, view.top_px, key.height_px)
        if x1 <= 0 or x0 >= key.width_px or y + ROW_PX <= 0 or y >= key.height_px:
            return
        width_px, inset = outline.width_px, outline.width_px / 2
        box = QRectF(x0 + inset, y + inset, max(1.0, x1 - x0 - 1) - width_px, ROW_PX - 1 - width_px)
        colour = QColor(self._theme.selection)
        if outline.tint:
            tint = QColor(colour)
            tint.setAlphaF(outline.tint)
            painter.fillRect(QRectF(x0, y, max(1.0, x1 - x0 - 1), ROW_PX - 1), tint)
        painter.setPen(QPen(colour, width_px))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(box)


def _argb(colour: str) -> np.uint32:
    return np.uint32(int(colour[1:], 16)) | _OPAQUE


def _blend(colours: UInt32s, background: np.uint32, share: float) -> UInt32s:
    """Mix each colour into the background.

    There may be a million colours, so each channel goes by a table of its 256 values.
    """
    mixed = np.full(colours.shape, _OPAQUE, dtype=np.uint32)
    parts = np.arange(256)
    for shift in (0, 8, 16):
        behind = float((int(background) >> shift) & 0xFF)
        blended = (parts * share + behind * (1 - share)).astype(np.uint32) << np.uint32(shift)
        mixed |= blended[(colours >> np.uint32(shift)).astype(np.uint8)]
    return mixed
