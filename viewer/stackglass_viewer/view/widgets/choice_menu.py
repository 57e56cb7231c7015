"""Choice menu: a submenu with a set of entries, one of which is ticked."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu, QWidget


class ChoiceMenu(QMenu):
    """A submenu that emits the key of the chosen entry."""

    chosen = Signal(str)  # key

    def __init__(self, title: str, choices: tuple[tuple[str, str], ...], parent: QWidget) -> None:
        """``choices``: (key, text) of each entry."""
        super().__init__(title, parent)
        only_one = QActionGroup(self)
        self._actions: dict[str, QAction] = {}
        for key, text in choices:
            action = self._actions[key] = self.addAction(text)
            action.setCheckable(True)
            only_one.addAction(action)
            action.triggered.connect(partial(self._on_triggered, key))

    def _on_triggered(self, key: str, _is_checked: bool = True) -> None:
        self.chosen.emit(key)

    @property
    def choice(self) -> str:
        """The key of the ticked entry; "" = none yet."""
        return next((key for key, each in self._actions.items() if each.isChecked()), "")

    def show_choice(self, key: str) -> None:
        """Tick an entry without a signal."""
        self._actions[key].setChecked(True)

    def choose(self, key: str) -> None:
        """Choose an entry, as a click does."""
        self._actions[key].trigger()

    def choose_next(self) -> None:
        """Choose the entry after the ticked one; after the last, the first."""
        keys = list(self._actions)
        self.choose(keys[(keys.index(self.choice) + 1) % len(keys)])
