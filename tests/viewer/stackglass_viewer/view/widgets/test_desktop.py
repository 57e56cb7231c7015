"""What the desktop asks for, by Qt's hints or by its colours."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.widgets.desktop import Desktop

SCHEME, PREFERENCE = Qt.ColorScheme, getattr(Qt, "ContrastPreference", None)


def choose(
    monkeypatch: pytest.MonkeyPatch,
    scheme: Qt.ColorScheme,
    colours: tuple[str, str] = ("#000000", "#efefef"),
    contrast: object = None,
) -> str:
    """``colours``: of text and window; ``contrast``: what Qt 6.10 says, None = it is older."""
    palette = QPalette()
    palette.setColor(QPalette.ColorRole.WindowText, QColor(colours[0]))
    palette.setColor(QPalette.ColorRole.Window, QColor(colours[1]))
    hints = SimpleNamespace(colorScheme=lambda: scheme)
    if contrast is not None:
        said = SimpleNamespace(contrastPreference=lambda: contrast)
        hints.accessibility = lambda: said
    monkeypatch.setattr(QGuiApplication, "palette", lambda: palette)
    monkeypatch.setattr(QGuiApplication, "styleHints", lambda: hints)
    return Desktop().choose_theme()


def test_dark_or_light(qt: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    assert choose(monkeypatch, SCHEME.Dark) == "dark"
    assert choose(monkeypatch, SCHEME.Light) == "light"
    assert choose(monkeypatch, SCHEME.Unknown) == "light"


def test_the_colours_of_the_desktop_ask_for_contrast(
    qt: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    white_on_black, black_on_white = ("#ffffff", "#000000"), ("#000000", "#ffffff")
    assert choose(monkeypatch, SCHEME.Dark, white_on_black) == "contrast-dark"
    assert choose(monkeypatch, SCHEME.Light, black_on_white) == "contrast-light"
    assert choose(monkeypatch, SCHEME.Unknown, ("#eff0f1", "#31363b")) == "light"
    assert choose(monkeypatch, SCHEME.Light, ("#000000", "#fefefd")) == "contrast-light"  # GTK's
    assert choose(monkeypatch, SCHEME.Light, ("#000000", "#faf9f8")) == "light"  # Adwaita
    monkeypatch.setenv("GTK_THEME", "HighContrastInverse")
    assert choose(monkeypatch, SCHEME.Dark, ("#ffffff", "#2f2f2f")) == "contrast-dark"


@pytest.mark.skipif(PREFERENCE is None, reason="Qt before 6.10 has no such hint")
def test_the_hint_of_the_desktop_asks_for_contrast(
    qt: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert PREFERENCE is not None
    high, none = PREFERENCE.HighContrast, PREFERENCE.NoPreference
    assert choose(monkeypatch, SCHEME.Dark, contrast=high) == "contrast-dark"
    assert choose(monkeypatch, SCHEME.Light, contrast=high) == "contrast-light"
    assert choose(monkeypatch, SCHEME.Light, contrast=none) == "light"


def test_a_change_of_the_desktop_is_noticed(qt: QApplication) -> None:
    seen: list[str] = []
    desktop = Desktop()
    desktop.connect(lambda: seen.append("changed"))
    hints = QGuiApplication.styleHints()
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark)
    assert seen == ["changed"]
    if hasattr(hints, "accessibility"):
        hints.accessibility().contrastPreferenceChanged.emit(Qt.ContrastPreference.HighContrast)
        assert seen == ["changed"] * 2
    n = len(seen)
    desktop.disconnect()
    hints.colorSchemeChanged.emit(Qt.ColorScheme.Light)
    if hasattr(hints, "accessibility"):
        hints.accessibility().contrastPreferenceChanged.emit(Qt.ContrastPreference.NoPreference)
    assert len(seen) == n


def test_the_portal_asks_for_what_qt_does_not_know(
    qt: QApplication, monkeypatch: pytest.MonkeyPatch
) -> None:
    hints = SimpleNamespace(colorScheme=lambda: SCHEME.Unknown)
    monkeypatch.setattr(QGuiApplication, "styleHints", lambda: hints)
    grey = QPalette(QColor("#efefef"))  # an earlier test may have left one of high contrast
    monkeypatch.setattr(QGuiApplication, "palette", lambda: grey)
    desktop = Desktop()
    said = SimpleNamespace(wants_contrast=False, prefers_dark=False)
    desktop._portal = said  # type: ignore[assignment] # says what the test wants
    assert desktop.choose_theme() == "light"
    said.prefers_dark = True
    assert desktop.choose_theme() == "dark"
    said.wants_contrast = True
    assert desktop.choose_theme() == "contrast-dark"
    hints.colorScheme = lambda: SCHEME.Light
    assert desktop.choose_theme() == "contrast-light"
