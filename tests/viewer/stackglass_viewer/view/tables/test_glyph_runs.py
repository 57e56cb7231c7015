"""Glyph runs paint what the painter would."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFont, QGlyphRun, QImage, QPainter
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.tables.glyph_runs import GlyphRuns
from stackglass_viewer.view.widgets.text_fitter import TextFitter
from stackglass_viewer.view.widgets.theme import fixed_font

TEXTS = ("9.28 ms", "≤ 12.3\u00a0µs", "1\u202f234\u202f567", "−4.5 MiB", "…ule.Class.method", "–")


def make_runs(font: QFont) -> GlyphRuns:
    return GlyphRuns(font, TextFitter(font).char_px)


def paint(text: str, run: QGlyphRun | None) -> QImage:
    image = QImage(200, 30, QImage.Format.Format_RGB32)
    image.fill(QColor("white"))
    painter = QPainter(image)
    painter.setFont(fixed_font())
    place = QPointF(10.3, 18.5)
    if run is None:
        painter.drawText(place, text)
    else:
        painter.drawGlyphRun(place, run)
    painter.end()
    return image


@pytest.mark.parametrize("text", TEXTS)
def test_a_run_has_the_pixels_of_its_text(qt: QApplication, text: str) -> None:
    runs = make_runs(fixed_font())
    runs.find(text)
    run = runs.find(text)
    if run is None:  # a font may lack a sign
        assert not text.isascii()
    assert paint(text, run) == paint(text, None)


def test_a_run_is_made_when_its_text_comes_again_and_is_kept(qt: QApplication) -> None:
    runs = make_runs(fixed_font())
    assert runs.find("12.3 ms") is None
    run = runs.find("12.3 ms")
    assert run is not None
    assert runs.find("12.3 ms") is run


def test_qt_paints_what_the_font_lacks(qt: QApplication) -> None:
    runs = make_runs(fixed_font())
    for text in ("機能", "a\u0301", "\U0001f469\u200d\U0001f4bb", "x" * 1000):
        assert [runs.find(text), runs.find(text)] == [None, None]


def test_runs_are_not_kept_forever(qt: QApplication) -> None:
    runs = make_runs(fixed_font())
    runs.find("first")
    assert runs.find("first") is not None
    for number in range(5000):
        runs.find(str(number))
    assert runs.find("first") is None
