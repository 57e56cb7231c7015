"""Profile bar: the bar over the views, with the sample type, its choosers and the search."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QWidget

from stackglass_viewer.model.units import make_printable
from stackglass_viewer.presenter.settings.view_state import DocumentInfo
from stackglass_viewer.view.contention.bar import ContentionBar
from stackglass_viewer.view.heap.bar import HeapBar
from stackglass_viewer.view.tables.table_head import TableHead
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.elided_label import FiguresLabel
from stackglass_viewer.view.widgets.graph_tools import GraphTools
from stackglass_viewer.view.widgets.native_switch import NativeSwitch
from stackglass_viewer.view.widgets.search_bar import SearchBar
from stackglass_viewer.view.widgets.theme import Theme

_LEAST_PX, _HEIGHT_PX = 720, 46
_SIDE_PX, _SPACING_PX = 12, 6
_MOST_TYPE_PX = 280


class ProfileBar(QFrame):
    """Emits the user's choices, which the page carries out.

    ::

        sample type · its choosers · head of a table · about … C code · search · tools of a graph

    The parts at the left keep their places whatever is chosen.
    """

    type_chosen = Signal(int)  # entry of the list
    step_requested = Signal(int)  # -1 = back, 1 = forward
    reset_requested = Signal()
    native_chosen = Signal(str)  # one of NATIVE_LEVELS

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self.types = ChoiceBox(self)
        self.types.setToolTip("Choose the sample type (F4)")
        self.types.setAccessibleName("Sample type")
        self.types.setSizeAdjustPolicy(ChoiceBox.SizeAdjustPolicy.AdjustToContents)
        # Fixed: other lists, which mark a cut text, become narrower first.
        self.types.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.types.setMaximumWidth(_MOST_TYPE_PX)
        self.heap = HeapBar(theme, self)
        self.contention = ContentionBar(theme, self)
        for switches in (self.heap, self.contention):
            switches.hide()
        self._heads: list[TableHead] = []
        self._about = FiguresLabel(self)
        self._texts = ("", "", "")  # description, figures, tool tip of the figures
        self.search = SearchBar(theme, self)
        self._native = NativeSwitch(self)
        self._tools = GraphTools(self)
        # Ignored, or the longest names of sample types would make the window grow.
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(_LEAST_PX)
        self.setFixedHeight(_HEIGHT_PX)  # the same for all contents
        row = self._row = QHBoxLayout(self)
        row.setContentsMargins(_SIDE_PX, 6, _SIDE_PX, 6)
        row.setSpacing(_SPACING_PX)
        for part in (self.types, self.heap, self.contention):
            row.addWidget(part)
        row.addWidget(self._about, 1)
        row.addWidget(self._native)
        row.addWidget(self.search)
        row.addWidget(self._tools)
        self.types.activated.connect(self.type_chosen)
        self._tools.step_requested.connect(self.step_requested)
        self._tools.reset_requested.connect(self.reset_requested)
        self._native.chosen.connect(self.native_chosen)
        self._tools.set_theme(theme)

    def add_head(self, head: TableHead) -> None:
        """Add the head of a table view. The caller shows it while the view is focused."""
        self._heads.append(head)
        self._row.insertWidget(self._row.indexOf(self._about), head, 1)

    def event(self, event: QEvent) -> bool:
        is_done = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._fit()
        return is_done

    def _fit(self) -> None:
        """Fold the parts to the width: first the native switch, or else lists would be cut."""
        self._native.set_folded(self._measure_needed() > self.width())
        for head in self._heads:
            if not head.isHidden():
                head.fit(self._measure_head())

    def _measure_needed(self) -> int:
        """Return the width in pixels that all shown parts need with the native switch unfolded."""
        left = (self.types, self.heap, self.contention)
        shown = [part for part in (*left, self.search, self._tools) if not part.isHidden()]
        needed_px = sum(part.sizeHint().width() + _SPACING_PX for part in shown)
        heads_px = sum(head.least_px + _SPACING_PX for head in self._heads if not head.isHidden())
        return 2 * _SIDE_PX + needed_px + heads_px + self._native.open_px + _SPACING_PX

    def _measure_head(self) -> int:
        """Return the width in pixels that is left for the head of a table."""
        left, right = (self.types, self.heap, self.contention), (self._native, self._tools)
        parts: tuple[QWidget, ...] = (*left, *right)
        taken_px = sum(
            part.sizeHint().width() + _SPACING_PX for part in parts if not part.isHidden()
        )
        return self.width() - 2 * _SIDE_PX - taken_px - _SPACING_PX

    def set_theme(self, theme: Theme) -> None:
        self.search.set_theme(theme)
        self.heap.set_theme(theme)
        self.contention.set_theme(theme)
        self._tools.set_theme(theme)

    def show_info(self, info: DocumentInfo) -> None:
        """Show the profile's description, its sample types, and the parts of the chosen type."""
        _, figures, about = self._texts
        choice = info.choice
        if choice.heap is None and choice.contention is None:
            figures = about = ""
        self._show_about(info.description, figures, about)
        wanted = list(map(make_printable, choice.entries))
        if [self.types.itemText(i) for i in range(self.types.count())] != wanted:
            self.types.clear()
            self.types.addItems(wanted)
        self.types.setCurrentIndex(choice.entry)
        self.types.setVisible(len(wanted) > 1)
        self._native.show_level(info.native)
        self.heap.setVisible(choice.heap is not None)
        self.contention.setVisible(choice.contention is not None)

    def show_figures(self, figures: str, about: str) -> None:
        """Show numbers beside the description; ``about``: the tool tip that explains them."""
        self._show_about(self._texts[0], figures, about)

    def _show_about(self, *texts: str) -> None:
        self._texts = (texts[0], texts[1], texts[2])
        self._about.set_text("  ·  ".join(filter(None, texts[:2])), texts[2])

    def name_type(self, entry: int) -> str:
        """Return the text of an entry in the list of sample types."""
        return self.types.itemText(entry)

    def show_tools(self, is_shown: bool) -> None:
        """Show or hide the tools, which act on a graph."""
        self._tools.setVisible(is_shown)

    def show_search(self, is_shown: bool) -> None:
        """Show or hide the search, for views that highlight its matches."""
        self.search.setVisible(is_shown)

    def show_history(self, may_go_back: bool, may_go_forward: bool) -> None:
        self._tools.show_history(may_go_back, may_go_forward)
