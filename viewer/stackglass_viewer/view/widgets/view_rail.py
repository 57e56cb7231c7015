"""View switch: the buttons that choose a tab's view."""

from __future__ import annotations

from enum import Enum

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton, QWidget

from stackglass_viewer.view.widgets.segmented_control import SegmentedControl
from stackglass_viewer.view.widgets.theme import Theme

DETAILS = "details"
"""The table of what the sample type has besides stacks: sites of the heap, waits of contention."""

_VIEWS = (
    ("flame", "Flame graph", "flame"),
    ("both", "Both", "split"),
    ("top", "Table", "table"),
    (DETAILS, "Sites", "heap"),
    ("sandwich", "Sandwich", "sandwich"),
    ("source", "Source", "source"),
    ("labels", "Labels", "labels"),
    ("summary", "Summary", "summary"),
)
_DETAILS = {
    "heap": ("Sites", "heap", "Sites: where the memory in use was allocated (4)"),
    "contention": (
        "Waits",
        "contention",
        "Waits: for locks and the GIL, with holders and durations (4)",
    ),
    "": (
        "Sites",
        "heap",
        "Sites of the heap, or waits: choose heap or contention as sample type (F4) to see them",
    ),
}


class Shape(Enum):
    """How the buttons look, the widest first."""

    FULL = Qt.ToolButtonStyle.ToolButtonTextBesideIcon
    WORDS = Qt.ToolButtonStyle.ToolButtonTextOnly
    ICONS = Qt.ToolButtonStyle.ToolButtonIconOnly


class ViewSwitch(SegmentedControl):
    """One button a view, with its icon."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__([(name, text) for name, text, _ in _VIEWS], parent)
        self._shape = Shape.FULL
        self._details = ""
        self._widths_px: dict[Shape, int] = {}  # measured
        self._theme: Theme | None = None
        self.set_tool_tips(
            {
                "flame": "Flame graph (1)",
                "both": "Flame graph and table (2)",
                "top": "Table of functions (3)",
                "sandwich": "Sandwich: a function with its callers above and its callees below (5)",
                "source": "Source: the file of a function, with what each line costs (6)",
                "labels": "Labels: what each value of a label costs; a click filters (7)",
                "summary": "Summary: what stands out, in words (8)",
            }
        )

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.set_icons({name: icon for name, _, icon in _VIEWS}, theme.muted)
        self._show_details()
        self._widths_px.clear()
        self._apply_shape()

    def show_details(self, view: str) -> None:
        """``heap`` or ``contention``: which of these the details are; "" = there are none."""
        if view == self._details:
            return
        self._details = view
        self._show_details()
        self._apply_shape()

    def _show_details(self) -> None:
        text, icon, tool_tip = _DETAILS[self._details]
        self.set_text(DETAILS, text)
        self.set_tool_tips({DETAILS: tool_tip})
        self.set_enabled(DETAILS, bool(self._details))
        if self._theme is not None:
            self.set_icons({DETAILS: icon}, self._theme.muted)

    def set_visible(self, key: str, is_visible: bool) -> None:
        if self.button(key).isHidden() == is_visible:
            self._widths_px.clear()
        super().set_visible(key, is_visible)

    @property
    def shape(self) -> Shape:
        """How the buttons look now."""
        return self._shape

    def set_shape(self, shape: Shape) -> None:
        """Where there is no room for all, words alone, then icons; their tips say the names."""
        if shape is not self._shape:
            self._shape = shape
            self._apply_shape()

    def measure(self, shape: Shape) -> int:
        """Pixels that it needs in a shape."""
        if shape not in self._widths_px:
            now = self._shape
            self.set_shape(shape)
            self._row.invalidate()
            self._widths_px[shape] = self.sizeHint().width()
            self.set_shape(now)
        return self._widths_px[shape]

    def _set_narrow(self, button: QToolButton) -> None:
        """Icons without words stand closer together."""
        is_narrow = self._shape is Shape.ICONS
        if bool(button.property("narrow")) != is_narrow:
            button.setProperty("narrow", is_narrow)
            button.style().unpolish(button)
            button.style().polish(button)

    def _apply_shape(self) -> None:
        gap = " " if self._shape is Shape.FULL else ""  # between the icon and the word
        for button in self.buttons:
            button.setToolButtonStyle(self._shape.value)
            self._set_narrow(button)
            button.setText(gap + button.text().strip())
        # As wide as its longest word, so that the buttons beside it stay where they are.
        details = self.button(DETAILS)
        text, widest_px = details.text(), 0
        for words, *_ in _DETAILS.values():
            details.setText(gap + words)
            widest_px = max(widest_px, details.sizeHint().width())
        details.setText(text)
        details.setMinimumWidth(widest_px)
        self.updateGeometry()  # at once: Qt would ask for the new size only at the next event
