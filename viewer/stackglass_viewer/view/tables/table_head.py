"""Table head: what a row of a table is, and what is counted; it stands in the bar above."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.foldable_control import FoldableControl

_SPACING_PX = 8
_COUNT_PX = 60  # of a few words at least


class TableHead(QWidget):
    """Its choice of rows becomes a list where there is no room for buttons."""

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
        """Pixels that it needs as a list, with its count."""
        shown = [part for part in self._others if not part.isHidden()]
        others_px = sum(part.sizeHint().width() + _SPACING_PX for part in shown)
        return self.groupings.folded_px + _SPACING_PX + others_px + _COUNT_PX

    def fit(self, room_px: int) -> None:
        """Choose the shape for this width."""
        shown = [part for part in self._others if not part.isHidden()]
        others_px = sum(part.sizeHint().width() + _SPACING_PX for part in shown)
        self.groupings.set_folded(self.groupings.open_px + others_px + _COUNT_PX > room_px)
