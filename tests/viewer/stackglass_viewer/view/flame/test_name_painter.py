"""Names in an image look as Qt draws them, whether their letters are on the glyph sheet or not."""

from __future__ import annotations

import numpy as np
import pytest
from PySide6.QtGui import QColor, QFont, QImage, QPainter
from PySide6.QtWidgets import QApplication

from harness.pixels import find_difference
from stackglass_viewer.model.columns.index import UInt32s
from stackglass_viewer.model.graph.glyphs import Names
from stackglass_viewer.view.flame import name_painter
from stackglass_viewer.view.flame.name_painter import NamePainter, _draw_sheet
from stackglass_viewer.view.flame.row_geometry import ROW_PX

INK, WIDTH_PX = 0xFF14161A, 500
ASCII = ["".join(map(chr, range(first, first + 24))) for first in (0x20, 0x38, 0x50, 0x66)]
TEXTS = [*ASCII, "−http.client.get…", ""]


def make_ground(ratio: float, n_rows: int) -> UInt32s:
    shape = (round(ROW_PX * ratio) * n_rows, round(WIDTH_PX * ratio))
    noise = np.random.default_rng(5).integers(0, 1 << 24, shape, dtype=np.uint32)
    return noise | np.uint32(0xFF000000)


def place(texts: list[str], ratio: float) -> Names:
    """Names at other fractions of a pixel each; the first row is cut off by the upper edge."""
    n = len(texts)
    left_px = np.linspace(5 * ratio, 8.3 * ratio, n)
    top_px = np.arange(n, dtype=np.int32) * round(ROW_PX * ratio) - 6
    return Names(texts, left_px, top_px, np.full(n, INK, dtype=np.uint32))


def draw_by_qt(names: Names, pixels: UInt32s, ratio: float, by: NamePainter) -> UInt32s:
    """Draw names as text, in the font and on the baselines of a painter."""
    height, width = pixels.shape
    image = QImage(pixels.data, width, height, width * 4, QImage.Format.Format_RGB32).copy()
    image.setDevicePixelRatio(ratio)
    painter = QPainter(image)
    painter.setFont(by._font)
    painter.setPen(QColor.fromRgb(INK))
    for text, left_px, top_px in zip(names.texts, names.left_px, names.top_px, strict=True):
        painter.translate(left_px / ratio, top_px / ratio + by._baseline_px)
        painter.drawText(0, 0, text)
        painter.resetTransform()
    painter.end()
    return read_pixels(image)


def read_pixels(image: QImage) -> UInt32s:
    pixels = np.frombuffer(image.constBits(), dtype=np.uint32)
    return pixels.reshape(image.height(), image.width()).copy()


@pytest.mark.parametrize("ratio", [1.0, 1.25, 1.5, 1.75, 2.0, 3.0])
def test_names_have_the_pixels_of_qt(qt: QApplication, ratio: float) -> None:
    """Rounding may change a channel by one or two."""
    painter, names = NamePainter(), place(TEXTS, ratio)
    pixels = make_ground(ratio, len(TEXTS))
    plain = pixels.copy()
    wanted = draw_by_qt(names, pixels, ratio, painter)
    drawn = read_pixels(painter.draw(names, pixels, ratio))
    assert find_difference(wanted, plain) > 100
    assert find_difference(drawn, wanted) <= 2


@pytest.mark.parametrize("ratio", [1.0, 1.5])
def test_other_letters_are_drawn_by_qt(qt: QApplication, ratio: float) -> None:
    painter, names = NamePainter(), place(["load", "größe", "読む", "save"], ratio)
    pixels = make_ground(ratio, 4)
    wanted = draw_by_qt(names, pixels, ratio, painter)
    assert find_difference(read_pixels(painter.draw(names, pixels, ratio)), wanted) <= 2


def test_letters_of_another_width_are_left_to_qt(
    qt: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a machine without a fixed-width font: no letter may stand in the place of another."""
    font = QFont("DejaVu Sans")
    font.setPixelSize(12)
    monkeypatch.setattr(name_painter, "fixed_font", lambda: font)
    _draw_sheet.cache_clear()
    try:
        painter, names = NamePainter(), place(["illness", "MMM", "wilful"], 1.0)
        pixels = make_ground(1.0, 3)
        wanted = draw_by_qt(names, pixels, 1.0, painter)
        assert find_difference(read_pixels(painter.draw(names, pixels, 1.0)), wanted) <= 2
    finally:
        _draw_sheet.cache_clear()


def test_the_sheet_has_the_letters_of_most_names(qt: QApplication) -> None:
    sheet = _draw_sheet(1.0)
    assert (sheet.glyph_of[0x20:0x7F] >= 0).all()
    assert (sheet.glyph_of[[ord("…"), ord("−")]] >= 0).all()
    assert sheet.glyph_of[-1] == -1
    assert not sheet.coverage[sheet.glyph_of[0x20]].any(), "a blank covers nothing"
    others = np.delete(sheet.coverage, sheet.glyph_of[0x20], axis=0)
    assert (others > 0).any(axis=(2, 3)).all(), "every other letter has strokes at every quarter"
    edges = np.concatenate([sheet.coverage[..., 0].ravel(), sheet.coverage[..., -1].ravel()])
    assert not edges.any(), "no letter is cut off by its cell"
