"""View menu: the choice of view, moves in history and graph, and settings of the appearance."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QWidget

from stackglass_viewer.presenter.settings.missing_views import explain_missing
from stackglass_viewer.presenter.settings.view_layout import DETAILS
from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.view.widgets.choice_menu import ChoiceMenu
from stackglass_viewer.view.window.pane_menu import PaneMenu

if TYPE_CHECKING:  # for start-up time: a page imports all views
    from stackglass_viewer.view.window.profile_page import ProfilePage

_VIEWS = (
    ("&Flame graph", "flame", "1"),
    ("&Both", "both", "2"),
    ("&Table", "top", "3"),
    ("C&all tree", "tree", "Y"),
    ("Trac&es", "traces", "R"),
    ("S&ites or waits", DETAILS, "4"),
    ("&Sandwich", "sandwich", "5"),
    ("So&urce", "source", "6"),
    ("&Labels", "labels", "7"),
    ("Su&mmary", "summary", "8"),
    ("&Call graph", "graph", "9"),
    ("&Over time", "time", "O"),
)
_GRAPH_CHOICES = (
    (
        "&C code",
        "native",
        (
            ("all", "&Every function"),
            ("libraries", "&One frame for each library"),
            ("python", "&None: Python only"),
        ),
    ),
    (
        "First &row",
        "tree",
        (("callers", "&Callers first"), ("callees", "Callees first (&inverted)")),
    ),
    (
        "&Shape",
        "shape",
        (("icicle", "Root on &top (icicle)"), ("flame", "Root at the &bottom (flame)")),
    ),
    (
        "&Names",
        "names",
        (("whole", "&Whole"), ("short", "&Short: without package and module")),
    ),
    (
        "Small &boxes",
        "least",
        (
            ("0", "&All"),
            ("0.1", "&Leave out below 0.1%"),
            ("0.5", "L&eave out below 0.5%"),
            ("1", "Lea&ve out below 1%"),
        ),
    ),
    ("&Minimap", "minimap", (("zoomed", "&While zoomed"), ("never", "&Never"))),
    (
        "&Order of frames",
        "order",
        (("cost", "By &cost"), ("name", "By &name"), ("time", "By &time (first seen)")),
    ),
)
_COLOUR_CHOICES = (
    (
        "&Theme",
        "theme",
        (
            ("system", "&Follow the desktop"),
            ("dark", "&Dark"),
            ("light", "&Light"),
            ("contrast-dark", "High contrast, d&ark"),
            ("contrast-light", "High contrast, l&ight"),
        ),
    ),
    (
        "&Colours",
        "hue",
        (("package", "By &package"), ("module", "By &module"), ("file", "By &file")),
    ),
    ("&Palette", "palette", (("module", "&Usual"), ("safe", "Colour-blind &safe"))),
)
_NO_MINIMAP = (
    "The minimap stands over a flame graph that is zoomed, unless View ▸ Graph ▸ Minimap is Never."
)
_NO_TYPES = "There is no other sample type to choose."


class ViewMenu(QMenu):
    """Acts on the page in front. Views that the page has no data for are disabled, and their keys
    show why."""

    setting_chosen = Signal(str, str)  # setting (theme, palette, hue, order, shape …), its value

    def __init__(self, find_page: Callable[[], ProfilePage | None], parent: QWidget) -> None:
        super().__init__("&View", parent)
        self._find_page = find_page
        self.choices: dict[str, ChoiceMenu] = {}
        self.views = {name: self._add_view(text, name, keys) for text, name, keys in _VIEWS}
        self._refusals = {name: self._refuse(name, keys, parent) for _, name, keys in _VIEWS}
        self.panes = PaneMenu(tuple(view for view in _VIEWS if view[1] != "both"), find_page, self)
        self.addMenu(self.panes)
        self.addSeparator()
        self.moves = [
            self._add(text, act, keys)
            for text, act, keys in (
                ("Bac&k", lambda page: page.step_requested.emit(-1), "Alt+Left"),
                ("Forwar&d", lambda page: page.step_requested.emit(1), "Alt+Right"),
                ("Sho&w everything", lambda page: page.graphs.reset_zoom(), "Ctrl+0"),
                ("Go to the mi&nimap", _go_to_minimap, "M"),
                ("Sample t&ype…", _open_types, "F4"),
            )
        ]
        self.addSeparator()
        self._labels = []
        for title, choices, by_label in (
            ("&Graph", _GRAPH_CHOICES, "Split by a &label…"),
            ("Colou&rs", _COLOUR_CHOICES, "Boxes by a &label…"),
        ):
            group = self.addMenu(title)
            for text, name, entries in choices:
                menu = self.choices[name] = ChoiceMenu(text, entries, group)
                menu.chosen.connect(partial(self.setting_chosen.emit, name))
                group.addMenu(menu)
            self._labels.append(self._add_label_choice(by_label, group))

    def _add_label_choice(self, text: str, menu: QMenu) -> QAction:
        """Add an entry that leads to the view whose bar has this choice, label by label."""
        added = menu.addAction(text)
        added.triggered.connect(lambda: self._act(lambda page: page.show_view("labels")))
        return added

    def _add_view(self, text: str, name: str, keys: str) -> QAction:
        return self._add(text, lambda page: page.show_view(name), keys)

    def _refuse(self, name: str, keys: str, window: QWidget) -> QShortcut:
        """Return a shortcut for the key of a missing view: that of a disabled action is silent."""
        refusal = QShortcut(QKeySequence(keys), window)
        refusal.setEnabled(False)
        refusal.activated.connect(lambda: self._act(lambda page: _explain(page, name)))
        return refusal

    def _add(self, text: str, act: Callable[[ProfilePage], object], keys: str) -> QAction:
        added = self.addAction(text)
        added.setShortcut(QKeySequence(keys))
        added.triggered.connect(lambda: self._act(act))
        return added

    def _act(self, act: Callable[[ProfilePage], object]) -> None:
        page = self._find_page()
        if page is not None:
            act(page)

    def show_page(self) -> None:
        """Enable the entries that the page in front has data for."""
        page = self._find_page()
        for action in self.moves:
            action.setEnabled(page is not None)
        for name, action in self.views.items():
            is_missing = page is not None and name in page.missing
            action.setEnabled(page is not None and not is_missing)
            self._refusals[name].setEnabled(is_missing)
        for action in self._labels:
            action.setEnabled(self.views["labels"].isEnabled())
        self.panes.show_page()


def _explain(page: ProfilePage, view: str) -> None:
    has = page.tables.has
    text = explain_missing(
        view,
        has_heap=has("heap"),
        has_contention=has("contention"),
        is_live=page.live is not None,
    )
    _answer(page, text)


def _go_to_minimap(page: ProfilePage) -> None:
    if page.flame.minimap is not None and page.flame.minimap.isVisible():
        page.flame.minimap.setFocus()
    else:
        _answer(page, _NO_MINIMAP)


def _open_types(page: ProfilePage) -> None:
    if page.types.isVisible():
        page.types.showPopup()
    elif page.types.count() < 2:
        _answer(page, _NO_TYPES)


def _answer(page: ProfilePage, text: str) -> None:
    """Say why a command does nothing."""
    page.message.show_answer(Notice("info", text))
