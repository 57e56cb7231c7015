"""Compare bar: names the two compared profiles, and offers ways to compare them."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QColor, QPixmap
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from stackglass_viewer.model.graph.palette import Palette
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.segmented_control import SegmentedControl
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.widgets.tool_button import make_tool_button

_SQUARE = QSize(12, 12)
_SHOWN = (("all", "Everything"), ("changes", "Changes"))
_TIPS = {
    "all": "Boxes are as wide as both profiles together.\n"
    "Shares are of the base's total, as in pprof -diff_base.",
    "changes": "Boxes are as wide as what changed.\nShares are of all changes, as in pprof -base.",
}


class CompareBar(QFrame):
    """Shows how the profiles are compared, and emits the user's choices."""

    shown_chosen = Signal(str)  # all, changes
    scale_toggled = Signal(bool)
    swap_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        # Long names of files must not make the window grow.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._names = ElidedLabel(Qt.TextElideMode.ElideMiddle, self)
        self._names.setAccessibleName("Compared profiles")
        self._swap = make_tool_button("Swap", "Make the other profile the base", self)
        self._scale = QCheckBox("Scale to the base", self)
        self._scale.setToolTip(
            "Scale the profile to the base's total first: shares are compared, not amounts\n"
            "(pprof -normalize)"
        )
        self._scale.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._shown = SegmentedControl(_SHOWN, self)
        self._shown.set_tool_tips(_TIPS)
        self._shown.choose("all")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(6)
        row.addWidget(self._names, 1)
        self._squares = [self._add_square(row, text) for text in ("+ more", "− less")]
        row.addSpacing(6)
        for widget in (self._shown, self._scale, self._swap):
            row.addWidget(widget)
        self._shown.chosen.connect(self.shown_chosen)
        self._scale.toggled.connect(self.scale_toggled)
        self._swap.clicked.connect(self.swap_requested)
        self.set_theme(theme)

    def _add_square(self, row: QHBoxLayout, text: str) -> QLabel:
        """Add a square and the meaning of its colour. Return the square, still without colour."""
        square, words = QLabel(self), QLabel(text, self)
        words.setObjectName("hint")
        row.addWidget(square)
        row.addWidget(words)
        return square

    def set_theme(self, theme: Theme) -> None:
        self._swap.setIcon(load_icon("swap", theme.text, theme.faint))

    def show_choice(self, shown: str, is_scaled: bool) -> None:
        """Show how the profiles are compared, without a signal."""
        self._shown.choose(shown)
        self._scale.blockSignals(True)
        self._scale.setChecked(is_scaled)
        self._scale.blockSignals(False)

    def show_sides(self, base: str, other: str) -> None:
        """Show the names of both profiles."""
        base, other = make_printable(base), make_printable(other)
        self._names.set_text(f"{base} → {other}", f"Base: {base}\nCompared with it: {other}")

    def show_palette(self, palette: Palette) -> None:
        """Paint the squares in the graph's colours."""
        for square, colour in zip(self._squares, (palette.grown, palette.shrunk), strict=True):
            pixels = QPixmap(_SQUARE)
            pixels.fill(QColor.fromRgba(colour))
            square.setPixmap(pixels)
