"""View switch: the buttons that choose a tab's view."""

from __future__ import annotations

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
)


class ViewSwitch(SegmentedControl):
    """One button a view, with its icon."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__([(name, text) for name, text, _ in _VIEWS], parent)
        self.set_tool_tips(
            {
                "sandwich": "A function with its callers above and its callees below",
                "heap": "Where the memory in use was allocated",
                "contention": "Waits for locks and the GIL: waiters, holders, durations",
            }
        )

    def set_theme(self, theme: Theme) -> None:
        self.set_icons({name: icon for name, _, icon in _VIEWS}, theme.muted)
