"""Themes and icons."""

from __future__ import annotations

from dataclasses import asdict
from importlib import resources

import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.view.widgets.icons import draw_icon
from stackglass_viewer.view.widgets.theme import load_theme


def contrast(one: QColor, other: QColor) -> float:
    """By WCAG: 1 … 21."""

    def luminance(colour: QColor) -> float:
        parts = [colour.redF(), colour.greenF(), colour.blueF()]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", ["dark", "light"])
def test_text_can_be_read(name: str) -> None:
    theme = load_theme(name)
    for front, back, least in (
        (theme.text, theme.window, 7.0),
        (theme.text, theme.surface, 7.0),
        (theme.muted, theme.surface, 4.5),
        (theme.accent_text, theme.accent, 4.5),
        (theme.text, theme.warning_soft, 4.5),
        (theme.text, theme.danger_soft, 4.5),
        (theme.danger, theme.surface, 4.5),
        (theme.ok, theme.surface, 4.5),
    ):
        assert contrast(QColor(front), QColor(back)) >= least, (front, back)


@pytest.mark.parametrize("name", ["dark", "light"])
@pytest.mark.parametrize("palette", ["module", "safe"])
def test_labels_can_be_read_on_every_box(name: str, palette: str) -> None:
    theme = load_theme(name)
    chosen = choose_palette(palette, theme.is_dark)
    for hue in (*chosen.hues, chosen.pseudo, chosen.root):
        darkest = QColor(hue).darker(round(100 / min(chosen.shades)))
        assert contrast(QColor(theme.label), darkest) >= 4.5, hex(hue)


def test_both_themes_name_the_same_colours() -> None:
    assert asdict(load_theme("dark")).keys() == asdict(load_theme("light")).keys()


def test_every_icon_draws_something(qt: QApplication) -> None:
    folder = resources.files("stackglass_resources") / "icons"
    names = [entry.name.removesuffix(".svg") for entry in folder.iterdir()]
    assert "stackglass" in names
    for name in names:
        image = draw_icon(name, "#ff0000", 16, 2.0).toImage()
        assert image.width() == 32
        pixels = [image.pixelColor(x, y).alpha() for x in range(32) for y in range(32)]
        assert any(pixels), name
