"""Themes and icons."""

from __future__ import annotations

from dataclasses import asdict
from importlib import resources
from itertools import product
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPointF
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPalette
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QDialogButtonBox,
    QFileDialog,
    QFrame,
    QLabel,
    QLineEdit,
    QProxyStyle,
    QStyle,
    QStyleHintReturn,
    QStyleOption,
    QToolButton,
    QWidget,
)

from stackglass_viewer.presenter.settings.palettes import choose_palette
from stackglass_viewer.view.source.painter import MOST_ALPHA
from stackglass_viewer.view.widgets.icons import draw_icon
from stackglass_viewer.view.widgets.theme import THEMES, apply_theme, fixed_font, load_theme


def contrast(one: QColor, other: QColor) -> float:
    """By WCAG: 1 … 21."""

    def luminance(colour: QColor) -> float:
        parts = [colour.redF(), colour.greenF(), colour.blueF()]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    bright, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (bright + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", THEMES)
def test_text_can_be_read(name: str) -> None:
    theme = load_theme(name)
    for front, back, least in (
        (theme.text, theme.window, 7.0),
        (theme.text, theme.surface, 7.0),
        (theme.muted, theme.surface, 4.5),
        (theme.muted, theme.window, 4.5),
        (theme.accent_text, theme.accent, 4.5),
        (theme.text, theme.warning_soft, 4.5),
        (theme.text, theme.danger_soft, 4.5),
        (theme.danger, theme.surface, 4.5),
        (theme.ok, theme.surface, 4.5),
    ):
        assert contrast(QColor(front), QColor(back)) >= least, (front, back)


@pytest.mark.parametrize("name", THEMES)
def test_captions_and_placeholders_can_be_read(qt: QApplication, name: str) -> None:
    """They had the colour of disabled text: 2.9 to 1 in the light theme."""
    theme = load_theme(name)
    apply_theme(qt, theme)
    bar, search = QFrame(), QLineEdit()
    bar.setObjectName("details")
    caption = QLabel("Flat", bar)
    caption.setObjectName("caption")
    for widget in (bar, caption, search):
        widget.ensurePolished()
    placeholder = search.palette().color(QPalette.ColorRole.PlaceholderText)
    for front in (caption.palette().color(QPalette.ColorRole.WindowText), placeholder):
        assert contrast(front, QColor(theme.window)) >= 4.5
    for widget in (bar, search):
        widget.deleteLater()


@pytest.mark.parametrize("name", [name for name in THEMES if name.startswith("contrast")])
def test_high_contrast_is_high(name: str) -> None:
    theme = load_theme(name)
    assert theme.is_high_contrast
    backs = (theme.window, theme.surface, theme.raised, theme.flame_background, theme.hover)
    for back in (*backs, theme.accent_soft, theme.warning_soft, theme.danger_soft):
        assert contrast(QColor(theme.text), QColor(back)) >= 12, back
    for back in (theme.window, theme.surface):
        for front in (
            theme.muted,
            theme.accent,
            theme.danger,
            theme.warning,
            theme.ok,
            theme.faint,
        ):
            assert contrast(QColor(front), QColor(back)) >= 7, front
        assert contrast(QColor(theme.border), QColor(back)) >= 4.5
        assert contrast(QColor(theme.strong_border), QColor(back)) == 21
    palette = choose_palette("module", theme.is_dark, is_high_contrast=True)
    for hue in (*palette.hues, *palette.native, palette.pseudo, palette.root):
        darkest = QColor(hue).darker(round(100 / min(palette.shades)))
        assert contrast(QColor(theme.label), darkest) >= 7, hex(hue)


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("palette", ["module", "safe"])
def test_labels_can_be_read_on_every_box(name: str, palette: str) -> None:
    theme = load_theme(name)
    chosen = choose_palette(palette, theme.is_dark, is_high_contrast=theme.is_high_contrast)
    for hue in (*chosen.hues, chosen.pseudo, chosen.root):
        darkest = QColor(hue).darker(round(100 / min(chosen.shades)))
        assert contrast(QColor(theme.label), darkest) >= 4.5, hex(hue)


@pytest.mark.parametrize("name", THEMES)
def test_what_stands_on_colours_can_be_read(name: str) -> None:
    theme = load_theme(name)
    least = 7.0 if theme.is_high_contrast else 5.5
    assert contrast(QColor(theme.label), QColor(theme.chosen)) >= least
    assert contrast(QColor(theme.label), QColor(theme.chosen_change)) >= least
    hot, ground = QColor(theme.grown), QColor(theme.flame_background)
    share = MOST_ALPHA / 255
    behind = QColor(
        *(
            round(read(hot) * share + read(ground) * (1 - share))
            for read in (QColor.red, QColor.green, QColor.blue)
        )
    )
    assert contrast(QColor(theme.text), behind) >= least  # the costliest line of a source


def test_all_themes_name_the_same_colours() -> None:
    names = asdict(load_theme("dark")).keys()
    assert all(asdict(load_theme(theme)).keys() == names for theme in THEMES)


def test_every_icon_draws_something(qt: QApplication) -> None:
    folder = resources.files("stackglass_resources") / "icons"
    names = [entry.name.removesuffix(".svg") for entry in folder.iterdir()]
    assert "stackglass" in names
    for name in names:
        image = draw_icon(name, "#ff0000", 16, 2.0).toImage()
        assert image.width() == 32
        pixels = [image.pixelColor(x, y).alpha() for x in range(32) for y in range(32)]
        assert any(pixels), name


@pytest.mark.parametrize("name", THEMES)
def test_the_current_entry_of_a_list_stands_out(qt: QApplication, name: str) -> None:
    """The style would fill it with the colour of the closed box: in some themes the list's own."""
    theme = load_theme(name)
    apply_theme(qt, theme)
    box = QComboBox()
    box.addItems(["cpu", "samples", "heap"])
    box.show()
    box.showPopup()
    place = box.model().index(1, 0)
    box.view().setCurrentIndex(place)
    image = box.view().viewport().grab().toImage()
    entry = box.view().visualRect(place)
    assert image.pixelColor(entry.left() + 3, entry.center().y()) == QColor(theme.accent)
    box.hidePopup()
    box.deleteLater()
    apply_theme(qt, load_theme("light"))


@pytest.mark.parametrize("name", ["dark", "contrast-dark"])
def test_the_arrows_of_qts_file_dialog_can_be_seen(
    qt: QApplication, name: str, tmp_path: Path
) -> None:
    """Where the desktop has no file dialog of its own, Qt's has black ones."""
    theme = load_theme(name)
    apply_theme(qt, theme)
    dialog = QFileDialog(directory=str(tmp_path))
    dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
    for button in ("backButton", "forwardButton", "toParentButton"):
        found = dialog.findChild(QToolButton, button)
        assert isinstance(found, QToolButton)
        image = found.icon().pixmap(16, 16).toImage()
        places = product(range(image.width()), range(image.height()))
        drawn = [image.pixelColor(*place) for place in places if image.pixelColor(*place).alpha()]
        assert max(contrast(each, QColor(theme.window)) for each in drawn) > 4.5, button
    dialog.deleteLater()
    apply_theme(qt, load_theme("light"))


class _WithIcons(QProxyStyle):
    """As a desktop has it that wants icons on such buttons."""

    def styleHint(
        self,
        hint: QStyle.StyleHint,
        /,
        option: QStyleOption | None = None,
        widget: QWidget | None = None,
        returnData: QStyleHintReturn | None = None,
    ) -> int:
        wanted = hint == QStyle.StyleHint.SH_DialogButtonBox_ButtonsHaveIcons
        return 1 if wanted else super().styleHint(hint, option, widget, returnData)


def test_buttons_of_dialogs_have_no_icons_of_another_set(qt: QApplication) -> None:
    """Qt's own dialogs would have a disk and a red cross."""
    before = qt.styleSheet()
    apply_theme(qt, load_theme("light"))
    sheet = qt.styleSheet()
    try:
        qt.setStyleSheet("")
        qt.setStyle(_WithIcons("Fusion"))
        assert _has_icon()
        qt.setStyleSheet(sheet)
        assert not _has_icon()
    finally:
        qt.setStyle("Fusion")
        qt.setStyleSheet(before)


def _has_icon() -> bool:
    save = QDialogButtonBox.StandardButton.Save
    box = QDialogButtonBox(save)
    box.ensurePolished()
    return not box.button(save).icon().isNull()


class Styled(QWidget):
    """Counts how often it was given another style."""

    n_changes = 0

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self.n_changes += event.type() == QEvent.Type.StyleChange


def test_a_theme_that_is_applied_already_changes_nothing(qt: QApplication) -> None:
    light, dark = load_theme("light"), load_theme("dark")
    apply_theme(qt, light)
    widget = Styled()
    widget.show()
    n_before = widget.n_changes
    apply_theme(qt, light)
    assert widget.n_changes == n_before
    apply_theme(qt, dark)
    assert widget.n_changes > n_before
    assert qt.palette().windowText().color() == QColor(dark.text)
    apply_theme(qt, light)
    assert qt.palette().windowText().color() == QColor(light.text)
    widget.close()
    widget.deleteLater()


def draw_name(font: QFont) -> QImage:
    image = QImage(400, 20, QImage.Format.Format_RGB32)
    image.fill(0xFFFFFFFF)
    painter = QPainter(image)
    painter.setFont(font)
    painter.drawText(QPointF(5.25, 14), "http.client.HTTPConnection._send -> fi, AV, Größe")
    painter.end()
    return image


def test_a_name_that_is_not_shaped_has_the_same_pixels(qt: QApplication) -> None:
    font = fixed_font()
    assert font.styleStrategy() & QFont.StyleStrategy.PreferNoShaping
    shaped = QFont(font)
    shaped.setStyleStrategy(QFont.StyleStrategy.PreferDefault)
    shaped.setKerning(True)
    assert draw_name(font) == draw_name(shaped)
    assert draw_name(font) != draw_name(QFont(font.family(), 5)), "nothing was drawn"
