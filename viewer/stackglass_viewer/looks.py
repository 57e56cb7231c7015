"""Theme, palette and order of frames of the whole window; part of the composition root.

::

    menu, or the system's colour scheme ─▶ Preferences ─▶ theme, palette, order ─▶ window and tabs
"""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.graph.colours import Palette
from stackglass_viewer.presenter.settings.palettes import GraphStyle, choose_palette
from stackglass_viewer.presenter.settings.preferences import Preferences
from stackglass_viewer.tabs import Tabs
from stackglass_viewer.view.widgets.theme import Theme, apply_theme, is_system_dark, load_theme
from stackglass_viewer.view.window.main_window import MainWindow


class Looks:
    """GUI thread."""

    def __init__(self, qt: QApplication, preferences: Preferences) -> None:
        self._qt = qt
        self._preferences = preferences
        self.theme = self._choose_theme()
        apply_theme(qt, self.theme)

    @property
    def style(self) -> GraphStyle:
        """How a new tab draws its graphs."""
        return GraphStyle(self._preferences.choice("order"), self._palette)

    @property
    def _palette(self) -> Palette:
        return choose_palette(self._preferences.choice("palette"), self.theme.is_dark)

    def connect(self, window: MainWindow, tabs: Tabs) -> None:
        """Show the choices in the menus of ``window``; apply new ones to it and to all tabs."""
        for group in ("theme", "palette", "order"):
            window.show_choice(group, self._preferences.choice(group))

        def recolour() -> None:
            for document in tabs.documents.values():
                document.choose_palette(self._palette)

        def dress() -> None:
            self.theme = self._choose_theme()
            apply_theme(self._qt, self.theme)
            window.set_theme(self.theme)
            recolour()

        def choose_theme(theme: str) -> None:
            self._preferences.set_choice("theme", theme)
            dress()

        def choose_colours(palette: str) -> None:
            self._preferences.set_choice("palette", palette)
            recolour()

        def choose_order(order: str) -> None:
            self._preferences.set_choice("order", order)
            for document in tabs.documents.values():
                document.choose_order(order)

        window.theme_chosen.connect(choose_theme)
        window.palette_chosen.connect(choose_colours)
        window.order_chosen.connect(choose_order)
        QGuiApplication.styleHints().colorSchemeChanged.connect(dress)

    def _choose_theme(self) -> Theme:
        choice = self._preferences.choice("theme")
        is_dark = is_system_dark() if choice == "system" else choice == "dark"
        return load_theme("dark" if is_dark else "light")
