"""Look of the desktop: dark or light, and whether its user wants high contrast."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QMetaObject, QObject, Qt
from PySide6.QtGui import QGuiApplication, QPalette

_LIGHTEST, _DARKEST = 0xFFFFFF, 0x000000


class Desktop:
    """Made before the application has a palette of its own."""

    def __init__(self) -> None:
        self._palette = QPalette(QGuiApplication.palette())
        self._connections: list[QMetaObject.Connection] = []

    def choose_theme(self) -> str:
        """Of ``THEMES``; light where the desktop does not say."""
        is_dark = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        if not self.wants_contrast:
            return "dark" if is_dark else "light"
        if self._is_black_and_white:
            is_dark = _colours_of(self._palette)[1] == _DARKEST
        return "contrast-dark" if is_dark else "contrast-light"

    @property
    def wants_contrast(self) -> bool:
        """By the setting that Qt 6.10 and later hand on, else by the colours of the desktop."""
        hints = QGuiApplication.styleHints()
        if hasattr(hints, "accessibility"):
            wanted = hints.accessibility().contrastPreference()
            if wanted == Qt.ContrastPreference.HighContrast:
                return True
        return self._is_black_and_white

    @property
    def _is_black_and_white(self) -> bool:
        """As themes for high contrast are; Qt's own grey on white is not."""
        return set(_colours_of(self._palette)) == {_LIGHTEST, _DARKEST}

    def connect(self, act: Callable[[], object]) -> None:
        """Call ``act`` when the desktop looks otherwise, until ``disconnect``."""
        hints = QGuiApplication.styleHints()
        self._connections.append(hints.colorSchemeChanged.connect(act))
        if hasattr(hints, "accessibility"):
            changed = hints.accessibility().contrastPreferenceChanged
            self._connections.append(changed.connect(act))

    def disconnect(self) -> None:
        """The desktop outlives the windows."""
        while self._connections:
            QObject.disconnect(self._connections.pop())


def _colours_of(palette: QPalette) -> tuple[int, int]:
    """Text and what it stands on, 0xRRGGBB."""
    roles = (QPalette.ColorRole.WindowText, QPalette.ColorRole.Window)
    front, back = (palette.color(role).rgb() & 0xFFFFFF for role in roles)
    return front, back
