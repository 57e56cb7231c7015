"""Transform bar: one chip for each step between the profile and what is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from stackglass_viewer.model.profile.transforms import Transform
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.settings.transform_choices import describe_transform
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.theme import Theme

_MAX_CHIPS = 5
_CHIP_PX = 220  # of its words, at most


class TransformBar(QFrame):
    """Hidden while there are no steps. A click on a chip takes its step away."""

    transform_dropped = Signal(object)  # Transform
    all_dropped = Signal()
    undo_requested = Signal()
    redo_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("footer")
        self._chosen: tuple[Transform, ...] = ()
        # The chips of long names must not make the window grow.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        title = QLabel("Filters", self)
        title.setObjectName("hint")
        self._chips = [self._make_chip(place) for place in range(_MAX_CHIPS)]
        self._more = QLabel(self)
        self._more.setObjectName("hint")
        undo = self._make_button("Undo", "Take back the last change (Ctrl+Z)", self.undo_requested)
        clear = self._make_button("Clear", "Take all filters away (Esc)", self.all_dropped)
        clear.setAccessibleName("Clear filters")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(6)
        for widget in (title, *self._chips, self._more, undo, clear):
            row.addWidget(widget)
        row.addStretch(1)
        self.set_theme(theme)
        self.show_chosen(())

    def _make_chip(self, place: int) -> QToolButton:
        chip = QToolButton(self)
        chip.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        chip.setLayoutDirection(Qt.LayoutDirection.RightToLeft)  # the cross stands behind the words
        chip.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        chip.clicked.connect(lambda: self.transform_dropped.emit(self._chosen[place]))
        return chip

    def _make_button(self, text: str, about: str, signal: SignalInstance) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(about)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(signal)
        return button

    @property
    def has_filters(self) -> bool:
        """Whether there are steps."""
        return bool(self._chosen)

    def set_theme(self, theme: Theme) -> None:
        for chip in self._chips:
            chip.setIcon(load_icon("close", theme.muted))

    def show_chosen(self, chosen: tuple[Transform, ...]) -> None:
        """The steps now, in the order in which they are applied."""
        self._chosen = chosen
        for place, chip in enumerate(self._chips):
            chip.setVisible(place < len(chosen))
            if place < len(chosen):
                words = make_printable(describe_transform(chosen[place]))
                cut = self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, _CHIP_PX)
                chip.setText(f"\u200e{cut}".replace("&", "&&"))  # read from the left for all that
                chip.setToolTip(f"{words}\nClick to take this filter away")
                chip.setAccessibleName(f"Filter {words}")
        n_more = len(chosen) - _MAX_CHIPS
        self._more.setText(f"and {n_more} more" if n_more > 0 else "")
        self._more.setVisible(n_more > 0)
        self.setVisible(bool(chosen))
