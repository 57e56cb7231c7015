"""Filter sets menu: save the filters of a tab under a name, use them in another tab."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QWidget

from stackglass_viewer.model.units import make_printable


class FilterMenu(QMenu):
    """Lists the sets that there are."""

    save_requested = Signal()
    set_chosen = Signal(str)  # name
    removal_requested = Signal(str)  # name

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Filter &sets", parent)
        self.show_sets(())

    def show_sets(self, names: tuple[str, ...]) -> None:
        """What can be chosen."""
        self.clear()
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
        removal = self.addMenu("&Remove a set")
        for name in names:
            removal.addAction(_write(name)).triggered.connect(
                lambda _checked=False, name=name: self.removal_requested.emit(name)
            )


def _write(name: str) -> str:
    return make_printable(name).replace("&", "&&")
