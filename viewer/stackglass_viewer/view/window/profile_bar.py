"""Bar over a profile: view, history, sample type, search."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from stackglass_viewer.presenter.settings.view_state import DocumentInfo
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.graph_tools import GraphTools
from stackglass_viewer.view.widgets.search_bar import SearchBar
from stackglass_viewer.view.widgets.theme import Theme
from stackglass_viewer.view.widgets.view_switch import ViewSwitch

_LEAST_PX = 720


class ProfileBar(QFrame):
    """Says what is wanted; what that means is the page's business."""

    view_chosen = Signal(str)  # flame, both, top, sandwich, heap, contention
    type_chosen = Signal(int)  # entry of the list
    step_requested = Signal(int)  # -1 = back, 1 = forward
    reset_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self.search = SearchBar(theme, self)
        self._views = ViewSwitch(self)
        self._tools = GraphTools(self)
        self.types = ChoiceBox(self)
        self.types.setToolTip("Choose the sample type (F4)")
        self.types.setAccessibleName("Sample type")
        self.types.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToContents)
        self._about = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        self._saved_px = 0  # by icons without words
        # Or the longest names of views would make the window grow: see _fit.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(_LEAST_PX)
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(4)
        row.addWidget(self._views)
        row.addSpacing(6)
        row.addWidget(self._tools)
        row.addSpacing(6)
        row.addWidget(self.types)
        row.addSpacing(8)
        row.addWidget(self._about, 1)
        row.addWidget(self.search)
        self._views.chosen.connect(self.view_chosen)
        self.types.activated.connect(self.type_chosen)
        self._tools.step_requested.connect(self.step_requested)
        self._tools.reset_requested.connect(self.reset_requested)
        self._dress(theme)

    def event(self, event: QEvent) -> bool:
        is_done = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._fit()
        return is_done

    def _fit(self) -> None:
        """Views lose their words when there is no room for them, and have them back. What belongs
        to other views counts too: nothing moves when another view is chosen."""
        wanted_px = self._row.sizeHint().width() + self._measure_hidden()
        if not self._views.is_compact and wanted_px > self.width():
            self._views.set_compact(True)
            self._row.invalidate()
            self._saved_px = wanted_px - self._row.sizeHint().width() - self._measure_hidden()
        elif self._views.is_compact and wanted_px + self._saved_px <= self.width():
            self._views.set_compact(False)
            self._row.invalidate()

    def _measure_hidden(self) -> int:
        """Pixels that tools and search would take in a view that has them."""
        hidden = [part for part in (self._tools, self.search) if part.isHidden()]
        return sum(part.sizeHint().width() + self._row.spacing() for part in hidden)

    def set_theme(self, theme: Theme) -> None:
        self.search.set_theme(theme)
        self._dress(theme)

    def _dress(self, theme: Theme) -> None:
        self._views.set_theme(theme)
        self._tools.set_theme(theme)

    def show_info(self, info: DocumentInfo) -> None:
        """What the profile is, and what there is to count in it."""
        self._about.set_text(info.description)
        wanted = list(info.choice.entries)
        if [self.types.itemText(i) for i in range(self.types.count())] != wanted:
            self.types.clear()
            self.types.addItems(wanted)
        self.types.setCurrentIndex(info.choice.entry)
        self.types.setVisible(len(wanted) > 1)

    def name_type(self, entry: int) -> str:
        """What an entry of the list says."""
        return self.types.itemText(entry)

    def show_view(self, name: str) -> None:
        self._views.choose(name)

    def offer_view(self, name: str, is_there: bool) -> None:
        """Whether a view can be chosen."""
        self._views.set_visible(name, is_there)

    def show_tools(self, is_shown: bool) -> None:
        """What belongs to a graph is there with one."""
        self._tools.setVisible(is_shown)
        self.search.setVisible(is_shown)

    def show_history(self, may_go_back: bool, may_go_forward: bool) -> None:
        self._tools.show_history(may_go_back, may_go_forward)
