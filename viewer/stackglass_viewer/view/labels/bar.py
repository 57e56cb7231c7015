"""Label bar: one chip for each label that is filtered for."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from stackglass_viewer.model.profile.label_table import Label
from stackglass_viewer.model.units import format_count
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.theme import Theme

_MAX_CHIPS = 4
_CHIP_PX = 190  # of its words, at most


class LabelBar(QFrame):
    """Hidden while nothing is filtered. A click on a chip takes its label away."""

    label_dropped = Signal(object)  # Label
    all_dropped = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self._theme = theme
        self._chosen: tuple[Label, ...] = ()
        self._applies = True  # until data say otherwise
        # The chips of long labels must not make the window grow.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        title = QLabel("Only", self)
        title.setObjectName("hint")
        self._chips = [self._make_chip(place) for place in range(_MAX_CHIPS)]
        self._more = QLabel(self)
        self._more.setObjectName("hint")
        self._clear = QToolButton(self)
        self._clear.setText("Clear")
        self._clear.setToolTip("Show all samples again (Esc)")
        self._clear.setAccessibleName("Clear label filter")
        self._clear.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._clear.clicked.connect(self.all_dropped)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(6)
        for widget in (title, *self._chips, self._more, self._clear):
            row.addWidget(widget)
        row.addStretch(1)
        self.set_theme(theme)
        self.hide()

    def _make_chip(self, place: int) -> QToolButton:
        chip = QToolButton(self)
        chip.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the cross stands behind the words
        chip.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        chip.clicked.connect(lambda: self.label_dropped.emit(self._chosen[place]))
        return chip

    @property
    def has_filters(self) -> bool:
        """Whether what is shown is filtered."""
        return self._applies and bool(self._chosen)

    def set_applies(self, applies: bool) -> None:
        """Whether what is shown has labels: nothing else is filtered by them."""
        self._applies = applies
        self.setVisible(self.has_filters)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for chip in self._chips:
            chip.setIcon(load_icon("close", theme.muted))

    def show_chosen(self, chosen: tuple[Label, ...]) -> None:
        """What is filtered for now."""
        self._chosen = chosen
        for chip, label in zip(self._chips, chosen, strict=False):
            words = " = ".join(label)
            cut = self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, _CHIP_PX)
            chip.setText(f"\u200e{cut}".replace("&", "&&"))  # read from the left for all that
            chip.setToolTip(f"{words}\nClick to take this filter away")
            chip.setAccessibleName(f"Filter {words}")
        for place, chip in enumerate(self._chips):
            chip.setVisible(place < len(chosen))
        n_more = len(chosen) - _MAX_CHIPS
        self._more.setText(f"and {format_count(n_more)} more" if n_more > 0 else "")
        self._more.setVisible(n_more > 0)
        self.setVisible(self.has_filters)
