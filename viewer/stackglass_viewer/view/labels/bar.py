"""Label bar: a chip for each filter by a label, and one for the label the graph is split by."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QSizePolicy, QToolButton, QWidget

from stackglass_viewer.model.profile.label_table import LabelFilter
from stackglass_viewer.model.units import format_count, make_printable
from stackglass_viewer.presenter.settings.label_choices import (
    describe_label,
    list_label_alternatives,
)
from stackglass_viewer.view.widgets.filter_chip import cut_chip, make_filter_chip
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.shown_text import escape_ampersands, make_tip
from stackglass_viewer.view.widgets.theme import Theme

_MAX_CHIPS = 4
_CHIP_PX = 190  # width of a chip's text, at most


class LabelBar(QFrame):
    """A click on a chip removes its filter; the chip's context menu changes it.

    The bar is hidden while neither a filter nor a split has an effect on the shown view.
    """

    label_dropped = Signal(object)  # LabelFilter
    label_changed = Signal(object, object)  # LabelFilter: the old one, the new one
    edit_requested = Signal(object)  # LabelFilter
    all_dropped = Signal()
    split_dropped = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("footer")
        self._theme = theme
        # Chosen filters: all, and those with an effect on the shown view.
        self._all: tuple[LabelFilter, ...] = ()
        self._chosen: tuple[LabelFilter, ...] = ()
        # See ``set_applies``.
        self._idle_keys: frozenset[str] = frozenset()
        self._applies = True
        self._can_split = False
        # The chips of long labels must not make the window grow.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._title = QLabel("Only", self)
        self._title.setObjectName("hint")
        self._split_key = ""
        self._split = make_filter_chip(self.split_dropped.emit, None, self)
        self._chips = [self._make_chip(index) for index in range(_MAX_CHIPS)]
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
        for widget in (self._title, *self._chips, self._more, self._clear, self._split):
            row.addWidget(widget)
        row.addStretch(1)
        self.set_theme(theme)
        self._show_parts()

    def _make_chip(self, index: int) -> QToolButton:
        return make_filter_chip(
            lambda: self.label_dropped.emit(self._chosen[index]),
            lambda: self.make_menu(index),
            self,
        )

    def make_menu(self, index: int) -> QMenu:
        """Make a chip's context menu: other values for its filter, edit, remove."""
        chosen, menu = self._chosen[index], QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for other in list_label_alternatives(chosen):
            words = make_printable(describe_label(other))
            action = menu.addAction(escape_ampersands(self._cut(words)))
            action.setCheckable(True)
            action.setChecked(other == chosen)
            action.triggered.connect(
                lambda _checked=False, other=other: self.label_changed.emit(chosen, other)
            )
        menu.addAction("&Edit the filter…", lambda: self.edit_requested.emit(chosen))
        menu.addSeparator()
        menu.addAction("&Remove", lambda: self.label_dropped.emit(chosen))
        return menu

    def _cut(self, words: str) -> str:
        return self.fontMetrics().elidedText(words, Qt.TextElideMode.ElideMiddle, _CHIP_PX)

    @property
    def has_filters(self) -> bool:
        """Whether a filter has an effect on the shown view."""
        return self._applies and bool(self._chosen)

    def set_applies(
        self, applies: bool, idle_keys: frozenset[str] = frozenset(), can_split: bool = False
    ) -> None:
        """Set which filters have an effect on the shown view.

        ``applies``: whether the view has labels; without them, no filter has an effect.
        ``idle_keys``: keys whose filters have no effect; their chips are hidden.
        ``can_split``: whether the view can be split by thread even without labels.
        """
        self._applies, self._idle_keys, self._can_split = applies, idle_keys, can_split
        self.show_chosen(self._all)

    def show_split(self, key: str) -> None:
        """Show the key of the label that the graph is split by; "" = none."""
        self._split_key = key
        words = make_printable(key)
        self._split.setText(f"\u200eSplit by {escape_ampersands(self._cut(words))}")
        self._split.setToolTip(
            make_tip(f"The flame graph is split by {words}\nClick to merge it again")
        )
        self._split.setAccessibleName(f"Split by {words}")
        self._show_parts()

    def _show_parts(self) -> None:
        for index, chip in enumerate(self._chips):
            chip.setVisible(index < len(self._chosen))
        self._title.setVisible(bool(self._chosen))
        self._more.setVisible(bool(self._more.text()))
        self._clear.setVisible(bool(self._chosen))
        is_split = bool(self._split_key) and self._split_key not in self._idle_keys
        self._split.setVisible(is_split)
        self.setVisible(self.has_filters or (is_split and (self._applies or self._can_split)))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for chip in (*self._chips, self._split):
            chip.setIcon(load_icon("close", theme.muted))

    def show_chosen(self, chosen: tuple[LabelFilter, ...]) -> None:
        """Show a chip for each chosen filter."""
        self._all = chosen
        shown = self._chosen = tuple(each for each in chosen if each[0] not in self._idle_keys)
        for chip, label in zip(self._chips, shown, strict=False):
            words = make_printable(describe_label(label))
            text = escape_ampersands(cut_chip(words, _CHIP_PX, len(shown), self))
            chip.setText(f"\u200e{text}")  # left to right, though the chip's layout is not
            chip.setToolTip(make_tip(f"{words}\nClick to remove it, right-click to change it"))
            chip.setAccessibleName(f"Filter {words}")
        n_more = len(shown) - _MAX_CHIPS
        self._more.setText(f"and {format_count(n_more)} more" if n_more > 0 else "")
        self._show_parts()
