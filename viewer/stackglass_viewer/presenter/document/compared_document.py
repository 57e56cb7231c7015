"""Document of a comparison: two profiles, and how they are compared."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from stackglass_viewer.presenter.document.comparison import ComparedSource
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.settings.compare_choice import CompareChoice, Shown
from stackglass_viewer.presenter.settings.palettes import GraphStyle


class ComparedDocument(Document):
    """The tab of a ``ComparedSource``. GUI thread, like every document."""

    sides_changed = Signal(str, str)  # names of the base and of the profile compared with it

    def __init__(
        self, source: ComparedSource, style: GraphStyle, parent: QObject | None = None
    ) -> None:
        self._compared = source
        super().__init__(source, style, parent)

    @property
    def title(self) -> str:
        """``before.pb.gz → after.pb.gz``."""
        return " → ".join(self._compared.names)

    @property
    def choice(self) -> CompareChoice:
        """How the two are compared."""
        return self._compared.choice

    def start(self) -> None:
        """Show the difference."""
        self.sides_changed.emit(*self._compared.names)
        self.style_changed.emit(self._style.palette)
        self.build()

    def show(self, shown: Shown) -> None:
        """Show all samples of both profiles, or only the changes."""
        self._choose(replace(self._compared.choice, shown=shown))

    def scale(self, is_scaled: bool) -> None:
        """Set whether the profile is scaled to the sums of the base, to compare shares."""
        self._choose(replace(self._compared.choice, is_scaled=is_scaled))

    def swap(self) -> None:
        """Exchange the base and the profile that is compared with it."""
        choice = self._compared.choice
        self._choose(replace(choice, is_swapped=not choice.is_swapped))
        self.sides_changed.emit(*self._compared.names)

    def _choose(self, choice: CompareChoice) -> None:
        self._compared.choice = choice
        self.build()
