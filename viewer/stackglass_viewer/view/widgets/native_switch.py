"""Native switch: how much of C code is shown between the Python functions that it runs under."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from stackglass_viewer.view.widgets.foldable_control import FoldableControl

_TEXTS = (("python", "Python"), ("libraries", "Libraries"), ("all", "C code"))


class NativeSwitch(FoldableControl):
    """Hidden where there is no C code; a list where there is no room for its buttons."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("C code", _TEXTS, parent)
        self.setAccessibleName("C code")
        self.set_tool_tips(
            {
                "python": "Python functions only: C code counts as its caller (X)",
                "libraries": "One frame for each C library that was called (X)",
                "all": "Every C function (X)",
            }
        )
        self.hide()

    def show_level(self, level: str | None) -> None:
        """None: the profile has no C code."""
        self.setVisible(level is not None)
        if level is not None:
            self.choose(level)
