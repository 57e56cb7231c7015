"""Native switch: chooses how much C code is shown: none, a frame per library, or every function."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from stackglass_viewer.view.widgets.foldable_control import FoldableControl

_TEXTS = (("python", "Python"), ("libraries", "Libraries"), ("all", "C code"))


class NativeSwitch(FoldableControl):
    """A choice of three levels, hidden while the profile has no C code."""

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
        """Show ``python``, ``libraries`` or ``all`` as chosen; None = there is no C code."""
        self.setVisible(level is not None)
        if level is not None:
            self.choose(level)
