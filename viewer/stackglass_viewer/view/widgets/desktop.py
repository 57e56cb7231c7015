"""Desktop settings: whether the user's desktop is dark or light, and has high contrast."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QMetaObject, QObject, Qt, QTimer
from PySide6.QtGui import QColor, QGuiApplication, QPalette

if TYPE_CHECKING:  # imported late, for a fast start
    from stackglass_viewer.view.widgets.portal import Portal

_NEARLY = 2  # of 255, still black or white: GTK's high contrast theme has #fefefd
_GTK_THEMES = "HighContrast"  # prefix of the names; the white-on-black theme has grey windows


class Desktop:
    """Reads the settings and the desktop's palette.

    It must be made before the application sets a palette of its own.
    """

    def __init__(self) -> None:
        self._palette = QPalette(QGuiApplication.palette())
        self._connections: list[QMetaObject.Connection] = []
        self._owner = QObject()
        self._portal: Portal | None = None  # made after the window is shown

    def choose_theme(self) -> str:
        """Return one of ``THEMES``; light if the desktop has no setting."""
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
        """Whether the user wants high contrast.

        Any of these says so: the desktop's setting (from Qt 6.10), the setting of the portal, the
        name of the GTK theme, a black and white palette.
        """
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
        """Whether the desktop's palette is black and white, as in high contrast themes."""
        darker, lighter = sorted(colour.lightness() for colour in _colours_of(self._palette))
        return darker <= _NEARLY and lighter >= 255 - _NEARLY

    def connect(self, act: Callable[[], object]) -> None:
        """Call ``act`` whenever a setting changes, until ``disconnect``."""
        hints = QGuiApplication.styleHints()
        self._connections.append(hints.colorSchemeChanged.connect(act))
        if hasattr(hints, "accessibility"):
            changed = hints.accessibility().contrastPreferenceChanged
            self._connections.append(changed.connect(act))
        QTimer.singleShot(0, self._owner, lambda: self._connect_portal(act))

    def _connect_portal(self, act: Callable[[], object]) -> None:
        if not self._connections:
            return  # disconnected meanwhile
        from stackglass_viewer.view.widgets.portal import Portal  # for start-up time

        self._portal = Portal(self._owner)
        self._connections.append(self._portal.changed.connect(act))

    def disconnect(self) -> None:
        """Stop the calls that ``connect`` began. This object outlives the windows."""
        while self._connections:
            QObject.disconnect(self._connections.pop())


def _colours_of(palette: QPalette) -> tuple[QColor, QColor]:
    """Return the colours of text and of its background."""
    role = QPalette.ColorRole
    return palette.color(role.WindowText), palette.color(role.Window)
