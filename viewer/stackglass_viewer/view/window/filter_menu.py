"""Filter menu: saves a tab's filters as a set with a name, and applies a set to another tab."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.view.widgets.shown_text import escape_ampersands


class FilterMenu(QMenu):
    """Lists the saved sets, to apply or to remove one."""

    save_requested = Signal()
    set_chosen = Signal(str)  # name
    removal_requested = Signal(str)  # name

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Filter &sets", parent)
        self._removal: QMenu | None = None
        self.show_sets(())

    def show_sets(self, names: tuple[str, ...]) -> None:
        """Fill the menu with the sets of these names."""
        self.clear()
        if self._removal is not None:
            self._removal.deleteLater()  # ``clear`` takes away only its action
            self._removal = None
        self.addAction("&Save the filters as a set…").triggered.connect(
            lambda: self.save_requested.emit()
        )
        if not names:
            return
        self.addSeparator()
        for name in names:
            self.addAction(_write(name)).triggered.connect(
                lambda _checked=False, name=name: self.set_chosen.emit(name)
            )
        self.addSeparator()
        removal = self._removal = self.addMenu("&Remove a set")
        for name in names:
            removal.addAction(_write(name)).triggered.connect(
                lambda _checked=False, name=name: self.removal_requested.emit(name)
            )


def _write(name: str) -> str:
    return escape_ampersands(make_printable(name))
