"""View switch: the buttons that choose a tab's view."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from stackglass_viewer.view.widgets.segmented_control import SegmentedControl
from stackglass_viewer.view.widgets.theme import Theme

_VIEWS = (
    ("flame", "Flame graph", "flame"),
    ("both", "Both", "split"),
    ("top", "Table", "table"),
    ("sandwich", "Sandwich", "sandwich"),
    ("heap", "Heap", "heap"),
    ("contention", "Contention", "contention"),
    ("labels", "Labels", "labels"),
)


class ViewSwitch(SegmentedControl):
    """One button a view, with its icon."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__([(name, text) for name, text, _ in _VIEWS], parent)
        self._is_compact = False
        self.set_tool_tips(
            {
                "flame": "Flame graph",
                "both": "Flame graph and table",
                "top": "Table of functions",
                "sandwich": "Sandwich: a function with its callers above and its callees below",
                "heap": "Heap: where the memory in use was allocated",
                "contention": "Contention: waits for locks and the GIL, holders, durations",
                "labels": "Labels: what each value of a label costs; a click filters",
            }
        )

    def set_theme(self, theme: Theme) -> None:
        self.set_icons({name: icon for name, _, icon in _VIEWS}, theme.muted)
        self._dress()

    @property
    def is_compact(self) -> bool:
        """Whether icons stand without words."""
        return self._is_compact

    def set_compact(self, is_compact: bool) -> None:
        """Where there is no room for words, icons alone; their tool tips say the names."""
        self._is_compact = is_compact
        self._dress()

    def _dress(self) -> None:
        style = Qt.ToolButtonStyle
        wanted = style.ToolButtonIconOnly if self._is_compact else style.ToolButtonTextBesideIcon
        for button in self.buttons:
            button.setToolButtonStyle(wanted)
        self.updateGeometry()  # at once: Qt would ask for the new size only at the next event
