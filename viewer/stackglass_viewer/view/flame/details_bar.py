"""Details bar below the graph: name, place and values of the frame under the pointer."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from stackglass_viewer.model.units import format_change, format_share, format_value
from stackglass_viewer.presenter.document.flame_scene import FrameDetails
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.theme import fixed_font

_FIELDS = ("Flat", "Cum", "Of total", "Of caller")
_FIELD_PX = 92


class DetailsBar(QFrame):
    """The bar has a fixed height, so that nothing jumps while the pointer moves."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("details")
        self.setFixedHeight(46)
        self._name = ElidedLabel(Qt.TextElideMode.ElideMiddle, self)
        self._name.setObjectName("name")
        self._place = ElidedLabel(Qt.TextElideMode.ElideLeft, self)
        self._place.setObjectName("place")
        self._values = [QLabel(self) for _ in _FIELDS]
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 4, 12, 4)
        row.setSpacing(14)
        words = QVBoxLayout()
        words.setSpacing(0)
        words.addStretch()
        words.addWidget(self._name)
        words.addWidget(self._place)
        words.addStretch()
        row.addLayout(words, 1)
        for caption, value in zip(_FIELDS, self._values, strict=True):
            value.setObjectName("value")
            value.setFont(fixed_font())
            above = QLabel(caption, self)
            above.setObjectName("caption")
            self._relation = above  # in the end, the caption of the last field
            column = QVBoxLayout()
            column.setSpacing(0)
            for label in (above, value):
                label.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
                label.setMinimumWidth(_FIELD_PX)
                label.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Preferred)
                column.addWidget(label)
            row.addLayout(column)

    def show_details(self, details: FrameDetails | None) -> None:
        """Show a frame's details; None empties the bar."""
        if details is None:
            self._name.set_text("")
            self._place.set_text("")
            for value in self._values:
                value.setText("")
            return
        self._name.set_text(details.name)
        self._place.set_text(details.place)
        self._place.setVisible(bool(details.place))
        is_compared = details.before is not None
        self._relation.setText("Cum before" if is_compared else details.relation)
        shares = (details.share, details.parent_share)
        if details.is_change:  # without a sign, as in the table: the values have one
            shares = (abs(details.share), abs(details.parent_share))
        last = format_share(shares[1]) if details.relation else ""
        if details.before is not None:
            last = format_value(details.before, details.unit)
        say = format_change if details.is_change else format_value
        for value, text in zip(
            self._values,
            (
                say(details.own, details.unit),
                say(details.total, details.unit),
                format_share(shares[0]),
                last,
            ),
            strict=True,
        ):
            value.setText(text)
