"""Themes: colours and style sheet of the application, and its fixed-width font."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from string import Template

from PySide6.QtGui import QColor, QFont, QFontDatabase, QPalette
from PySide6.QtWidgets import QApplication, QWidget

from stackglass_resources import FOLDER
from stackglass_viewer.view.widgets.icons import icon_file

THEMES = ("dark", "light", "contrast-dark", "contrast-light")
_FOLDER = FOLDER / "themes"


@dataclass(frozen=True, slots=True)
class Theme:
    """The colours of a theme as ``#rrggbb``, named by their use."""

    name: str
    is_dark: bool
    is_high_contrast: bool
    window: str
    surface: str
    raised: str
    hover: str
    border: str
    strong_border: str
    text: str
    muted: str
    faint: str
    accent: str
    accent_text: str
    accent_soft: str
    danger: str
    danger_soft: str
    warning: str
    warning_soft: str
    ok: str
    ok_soft: str
    flame_background: str
    selection: str
    label: str
    chosen: str
    chosen_change: str  # in a difference, where chosen looks like less
    grown: str
    shrunk: str


def load_theme(name: str) -> Theme:
    """Load one of ``THEMES``."""
    return Theme(**json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8")))


def fixed_font() -> QFont:
    """Return the fixed-width font of labels and numbers.

    Qt shapes each text anew, which is two thirds of what drawing a name costs. Scripts that need
    shaping get it all the same.
    """
    font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    font.setPixelSize(12)
    font.setStyleHint(QFont.StyleHint.Monospace)
    font.setStyleStrategy(QFont.StyleStrategy.PreferNoShaping)
    font.setKerning(False)
    return font


def set_style(widget: QWidget, name: str) -> None:
    """Give a widget the object name that selects its rule of the style sheet, if it has another."""
    if widget.objectName() != name:
        widget.setObjectName(name)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def _palette(theme: Theme) -> QPalette:
    palette = QPalette()
    roles = QPalette.ColorRole
    for role, colour in (
        (roles.Window, theme.window),
        (roles.WindowText, theme.text),
        (roles.Base, theme.window),
        (roles.AlternateBase, theme.surface),
        (roles.Text, theme.text),
        (roles.PlaceholderText, theme.muted),
        (roles.Button, theme.raised),
        (roles.ButtonText, theme.text),
        (roles.BrightText, theme.danger),
        (roles.Highlight, theme.accent),
        (roles.HighlightedText, theme.accent_text),
        (roles.ToolTipBase, theme.raised),
        (roles.ToolTipText, theme.text),
        (roles.Link, theme.accent),
    ):
        palette.setColor(role, QColor(colour))
    for role in (roles.WindowText, roles.Text, roles.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(theme.faint))
    return palette


def apply_theme(application: QApplication, theme: Theme) -> None:
    """Set the style sheet and palette of the application, whose style must be Fusion.

    Widgets that paint themselves get the theme by their ``set_theme``. A theme that is in force is
    not applied again, since Qt would lay out every widget anew.
    """
    sheet, palette = _fill_sheet(theme), _palette(theme)
    if application.styleSheet() == sheet and application.palette() == palette:
        return
    if application.styleSheet():
        # A new style. With the old one Qt polishes each object anew that had a rule, also one that
        # is gone: that crashed. The first time there is none, and PySide would take time for it.
        application.setStyle("Fusion")
    application.setPalette(palette)
    application.setStyleSheet(sheet)


def _fill_sheet(theme: Theme) -> str:
    sheet = Template((_FOLDER / "window.qss").read_text(encoding="utf-8"))
    colours = {
        "chevron": theme.muted,
        "close": theme.muted,
        "up": theme.text,
        "back": theme.text,
        "forward": theme.text,
        "check": theme.accent_text,
        "dash": theme.accent_text,
        "dot": theme.accent_text,
    }
    files = {name: icon_file(name, colour).as_posix() for name, colour in colours.items()}
    return sheet.substitute(asdict(theme), **files)
