"""Transform bar: a chip for each transform that is applied to the profile before it is shown."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, SignalInstance
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QMenu,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from stackglass_viewer.model.profile.transforms import PATTERN_KINDS, Transform
from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.settings.transform_choices import (
    describe_transform,
    explain_transform,
    list_alternatives,
)
from stackglass_viewer.view.widgets.filter_chip import cut_chip, make_filter_chip
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.shown_text import escape_ampersands, make_tip
from stackglass_viewer.view.widgets.theme import Theme

_MAX_CHIPS = 5
_CHIP_PX = 220  # greatest width of a chip's text


class TransformBar(QFrame):
    """A click on a chip removes its transform; the chip's context menu changes or moves it.

    The bar is hidden while there are no transforms.
    """

    transform_dropped = Signal(object)  # Transform
    transform_changed = Signal(object, object)  # Transform: the old one, the new one
    transform_moved = Signal(object, int)  # Transform; −1 = earlier, 1 = later
    all_dropped = Signal()
    kind_requested = Signal(str)  # TransformKind's value: filter by the selected function
    pattern_requested = Signal(object)  # Transform to edit the pattern of; None = a new one
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
        self._chips = [self._make_chip(index) for index in range(_MAX_CHIPS)]
        self._more = QLabel(self)
        self._more.setObjectName("hint")
        undo = self._make_button("Undo", "Undo the last filter (Ctrl+Z)", self.undo_requested)
        clear = self._make_button("Clear", "Remove all filters (Esc)", self.all_dropped)
        clear.setAccessibleName("Clear filters")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(6)
        for widget in (title, *self._chips, self._more, undo, clear):
            row.addWidget(widget)
        row.addStretch(1)
        self.set_theme(theme)
        self.show_chosen(())

    def _make_chip(self, index: int) -> QToolButton:
        return make_filter_chip(
            lambda: self.transform_dropped.emit(self._chosen[index]),
            lambda: self.make_menu(index),
            self,
        )

    def make_menu(self, index: int) -> QMenu:
        """Make the context menu of the chip at ``index``."""
        step, menu = self._chosen[index], QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for other in list_alternatives(step):
            action = menu.addAction(_name_chip(self, other, 1))
            action.setCheckable(True)
            action.setChecked(other == step)
            action.triggered.connect(
                lambda _checked=False, other=other: self.transform_changed.emit(step, other)
            )
        if step.kind in PATTERN_KINDS:
            menu.addAction("&Edit the pattern…", lambda: self.pattern_requested.emit(step))
        menu.addSeparator()
        for text, by, can_move in (
            ("Apply &earlier", -1, index > 0),
            ("Apply &later", 1, index + 1 < len(self._chosen)),
        ):
            action = menu.addAction(text)
            action.setEnabled(can_move)
            action.triggered.connect(
                lambda _checked=False, by=by: self.transform_moved.emit(step, by)
            )
        menu.addSeparator()
        menu.addAction("&Remove", lambda: self.transform_dropped.emit(step))
        return menu

    def _make_button(self, text: str, about: str, signal: SignalInstance) -> QToolButton:
        button = QToolButton(self)
        button.setText(text)
        button.setToolTip(about)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(signal)
        return button

    @property
    def has_filters(self) -> bool:
        """Whether there are transforms."""
        return bool(self._chosen)

    def set_theme(self, theme: Theme) -> None:
        for chip in self._chips:
            chip.setIcon(load_icon("close", theme.muted))

    def show_chosen(self, chosen: tuple[Transform, ...]) -> None:
        """Show the transforms, in the order in which they are applied."""
        self._chosen = chosen
        for index, chip in enumerate(self._chips):
            chip.setVisible(index < len(chosen))
            if index < len(chosen):
                words = make_printable(describe_transform(chosen[index]))
                about = explain_transform(chosen[index])
                chip.setText(
                    f"\u200e{_name_chip(self, chosen[index], len(chosen))}"
                )  # left to right
                chip.setToolTip(make_tip(f"{about}\nClick to remove it, right-click to change it"))
                chip.setAccessibleName(f"Filter {words}")
        n_more = len(chosen) - _MAX_CHIPS
        self._more.setText(f"and {n_more} more" if n_more > 0 else "")
        self._more.setVisible(n_more > 0)
        self.setVisible(bool(chosen))


def _name_chip(widget: QWidget, transform: Transform, n_chips: int) -> str:
    """Return a transform in words, cut to the width of one of ``n_chips`` chips."""
    words = make_printable(describe_transform(transform))
    return escape_ampersands(cut_chip(words, _CHIP_PX, n_chips, widget))
