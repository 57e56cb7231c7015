"""Look of the desktop: dark or light, and whether its user wants high contrast."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QMetaObject, QObject, Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication, QPalette

if TYPE_CHECKING:  # for start-up time
    from stackglass_viewer.view.widgets.portal import Portal

_NEARLY = 2  # of 255: GTK's theme of high contrast has #fefefd
_GTK_THEMES = "HighContrast"  # how their names begin; that of white on black has grey windows


class Desktop:
    """Made before the application has a palette of its own."""

    def __init__(self) -> None:
        self._palette = QPalette(QGuiApplication.palette())
        self._connections: list[QMetaObject.Connection] = []
        self._owner = QObject()
        self._portal: Portal | None = None  # asked once the window is there

    def choose_theme(self) -> str:
        """One of ``THEMES``; light where the desktop does not say."""
        scheme = QGuiApplication.styleHints().colorScheme()
        is_dark = scheme == Qt.ColorScheme.Dark
        if scheme == Qt.ColorScheme.Unknown and self._portal is not None:
            is_dark = self._portal.prefers_dark
        if not self.wants_contrast:
            return "dark" if is_dark else "light"
        if self._is_black_and_white:
            is_dark = _colours_of(self._palette)[1].lightness() <= _NEARLY
        return "contrast-dark" if is_dark else "contrast-light"

    @property
    def wants_contrast(self) -> bool:
        """By the setting that Qt 6.10 and later hand on, or the portal's, else by the theme of GTK
        or the colours of the desktop."""
        hints = QGuiApplication.styleHints()
        if hasattr(hints, "accessibility"):
            wanted = hints.accessibility().contrastPreference()
            if wanted == Qt.ContrastPreference.HighContrast:
                return True
        if self._portal is not None and self._portal.wants_contrast:
            return True
        has_name = os.environ.get("GTK_THEME", "").startswith(_GTK_THEMES)
        return has_name or self._is_black_and_white

    @property
    def _is_black_and_white(self) -> bool:
        """As themes for high contrast are; Qt's own grey on white is not."""
        front, back = sorted(colour.lightness() for colour in _colours_of(self._palette))
        return front <= _NEARLY and back >= 255 - _NEARLY

    def connect(self, act: Callable[[], object]) -> None:
        """Call ``act`` when the desktop looks otherwise, until ``disconnect``."""
        hints = QGuiApplication.styleHints()
        self._connections.append(hints.colorSchemeChanged.connect(act))
        if hasattr(hints, "accessibility"):
            changed = hints.accessibility().contrastPreferenceChanged
            self._connections.append(changed.connect(act))
        QTimer.singleShot(0, self._owner, lambda: self._ask(act))

    def _ask(self, act: Callable[[], object]) -> None:
        if not self._connections:
            return  # disconnected meanwhile
        from stackglass_viewer.view.widgets.portal import Portal  # for start-up time

        self._portal = Portal(self._owner)
        self._connections.append(self._portal.changed.connect(act))

    def disconnect(self) -> None:
        """The desktop outlives the windows."""
        while self._connections:
            QObject.disconnect(self._connections.pop())


def _colours_of(palette: QPalette) -> tuple[QColor, QColor]:
    """Text and what it stands on."""
    role = QPalette.ColorRole
    return palette.color(role.WindowText), palette.color(role.Window)
