"""Thread bar: a chip that names the threads to which the views are filtered."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QSizePolicy, QWidget

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.view.widgets.filter_chip import cut_chip, make_filter_chip
from stackglass_viewer.view.widgets.icons import load_icon
from stackglass_viewer.view.widgets.shown_text import escape_ampersands, make_tip
from stackglass_viewer.view.widgets.theme import Theme

_CHIP_PX = 220  # half the greatest width of the chip's text


class ThreadBar(QFrame):
    """A chip with the filter: a click drops it; its context menu also edits a filter by pattern.

    The bar is hidden while all threads are shown, and in views that the filter does not apply to.
    """

    dropped = Signal()
    edit_requested = Signal()

    def __init__(self, model: ThreadModel, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("footer")
        self._model = model
        self._applies = True
        # The chip of a long name must not make the window grow.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        title = QLabel("Threads", self)
        title.setObjectName("hint")
        self._chip = make_filter_chip(self.dropped.emit, self.make_menu, self)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(6)
        row.addWidget(title)
        row.addWidget(self._chip)
        row.addStretch(1)
        self.set_theme(theme)
        for changed in (model.chosen_changed, model.choice_made, model.modelReset):
            changed.connect(self._show_choice)
        model.dataChanged.connect(self._show_choice)  # a thread may have got its name
        self._show_choice()

    def make_menu(self) -> QMenu:
        """Make the chip's context menu: edit the pattern if there is one, and remove the filter."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        if self._model.named is not None:
            menu.addAction("&Edit the pattern…", self.edit_requested.emit)
        menu.addAction("&Remove", self.dropped.emit)
        return menu

    @property
    def has_filter(self) -> bool:
        """Whether the shown view is filtered by threads."""
        return self._applies and self._model.choice.has_filters

    def set_applies(self, applies: bool) -> None:
        """Set whether the shown view has separate values for threads; if not, hide the chip."""
        self._applies = applies
        self._show_choice()

    def _show_choice(self, *_: object) -> None:
        words = make_printable(self._model.summary)
        if self.has_filter:
            cut = cut_chip(words, _CHIP_PX, 1, self)
            self._chip.setText("\u200e" + escape_ampersands(cut))  # left to right, unlike the chip
            about = "Click to show all threads (Esc), right-click for more"
            self._chip.setToolTip(make_tip(f"Threads shown: {words}\n{about}"))
            self._chip.setAccessibleName(f"Show all threads, not only {words}")
        self.setVisible(self.has_filter)

    def set_theme(self, theme: Theme) -> None:
        self._chip.setIcon(load_icon("close", theme.muted))
