"""Table head: the choice of a table's kind of rows, and their count, for the bar above."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.foldable_control import FoldableControl

_SPACING_PX = 8
_COUNT_PX = 60  # least width of the count, a few words


class TableHead(QWidget):
    """The choice of rows is a row of buttons, or a list where there is no room for buttons."""

    def __init__(
        self, name: str, choices: Sequence[tuple[str, str]], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.groupings = FoldableControl(name, choices, self)
        self.count = ElidedLabel(Qt.TextElideMode.ElideRight, self)
        self.count.setObjectName("hint")
        self.count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._others: list[QWidget] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(_SPACING_PX)
        self._row.addWidget(self.groupings)
        self._row.addWidget(self.count, 1)

    def add(self, widget: QWidget) -> None:
        """Add a widget between the choice and the count."""
        self._row.insertWidget(self._row.count() - 1, widget)
        self._others.append(widget)

    @property
    def least_px(self) -> int:
        """Width in pixels that the head needs if its choice is a list."""
        return self.groupings.folded_px + _SPACING_PX + self._others_px + _COUNT_PX

    def fit(self, room_px: int) -> None:
        """Show the choice as buttons if ``room_px`` has room for them, else as a list."""
        self.groupings.set_folded(self.groupings.open_px + self._others_px + _COUNT_PX > room_px)

    @property
    def _others_px(self) -> int:
        shown = [part for part in self._others if not part.isHidden()]
        return sum(part.sizeHint().width() + _SPACING_PX for part in shown)
