"""Theme, palette and order of frames of all windows; part of the composition root.

::

    menu, or the desktop's settings ─▶ Preferences ─▶ theme, graph style ─▶ windows and tabs
"""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.graph.palette import HueOf, Palette
from stackglass_viewer.presenter.settings.native_level import read_level
from stackglass_viewer.presenter.settings.palettes import GraphStyle, choose_palette
from stackglass_viewer.presenter.settings.preferences import Preferences
from stackglass_viewer.tabs import Tabs
from stackglass_viewer.view.widgets.desktop import Desktop
from stackglass_viewer.view.widgets.theme import Theme, apply_theme, load_theme
from stackglass_viewer.view.window.main_window import MainWindow
from stackglass_viewer.windows import Windows

if TYPE_CHECKING:  # for start-up time: a page imports all views
    from stackglass_viewer.view.window.profile_page import ProfilePage


class Appearance:
    """Applies the theme, the palette and other choices of appearance to all windows. GUI thread."""

    def __init__(self, qt: QApplication, preferences: Preferences) -> None:
        self._qt = qt
        self._preferences = preferences
        self._desktop = Desktop()
        self.theme = self._choose_theme()
        apply_theme(qt, self.theme)

    @property
    def style(self) -> GraphStyle:
        """The style in which a new tab draws its graphs."""
        choice = self._preferences.choice
        native = read_level(choice("native"))
        is_inverted, least = choice("tree") == "callees", float(choice("least")) / 100
        return GraphStyle(choice("order"), self._palette, is_inverted, native, least)

    @property
    def is_upward(self) -> bool:
        """Whether a new tab has the root of its flame graph at the bottom."""
        return self._preferences.choice("shape") == "flame"

    @property
    def has_short_names(self) -> bool:
        """Whether the boxes of graphs show names without package and module."""
        return self._preferences.choice("names") == "short"

    @property
    def has_minimap(self) -> bool:
        """Whether a zoomed graph has a minimap."""
        return self._preferences.choice("minimap") == "zoomed"

    def apply_to_page(self, page: ProfilePage) -> None:
        """Apply the choices that the page draws by itself, without its document."""
        page.graphs.set_box_style(self.is_upward, self.has_short_names)
        page.layout_choice.set_table_share(self._preferences.table_share)
        if page.flame.minimap is not None:
            page.flame.minimap.set_wanted(self.has_minimap)

    def keep_border(self, table_share: float) -> None:
        """Remember where the user has moved the border between a graph and its table."""
        self._preferences.table_share = table_share

    @property
    def _palette(self) -> Palette:
        choice = self._preferences.choice
        hue_of = next(each for each in get_args(HueOf) if each == choice("hue"))
        theme = self.theme
        return choose_palette(choice("palette"), theme.is_dark, hue_of, theme.is_high_contrast)

    def connect(self, windows: Windows, tabs: Tabs) -> None:
        """Show the choices in the menus of all windows; apply new ones to them and to all tabs."""
        colours = ("theme", "palette", "hue")
        of_pages = ("shape", "names", "minimap")  # for ``apply_to_page``
        groups = (*colours, "native", "order", "tree", "least", *of_pages, "editor", "start")

        def show(window: MainWindow) -> None:
            for group in groups:
                window.show_choice(group, self._preferences.choice(group))

        def redraw() -> None:
            for document in tabs.documents.values():
                document.choose_style(self.style)

        def choose_theme() -> None:
            self.theme = self._choose_theme()
            apply_theme(self._qt, self.theme)
            windows.set_theme(self.theme)
            redraw()

        def choose(group: str, key: str) -> None:
            self._preferences.set_choice(group, key)
            windows.show_choice(group, key)
            if group == "theme":
                choose_theme()
            elif group in ("editor", "start"):
                return  # read when an editor is opened, and at the next start
            elif group in of_pages:
                for page in tabs.documents:
                    self.apply_to_page(page)
            else:
                redraw()

        windows.on_each(show)
        windows.setting_chosen.connect(choose)
        self._desktop.connect(choose_theme)

    def disconnect(self) -> None:
        """Stop following changes of the desktop's settings."""
        self._desktop.disconnect()

    def _choose_theme(self) -> Theme:
        choice = self._preferences.choice("theme")
        return load_theme(self._desktop.choose_theme() if choice == "system" else choice)
