"""Loading bar: the name and progress of a task such as reading a file, and a cancel button."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QWidget

from stackglass_viewer.presenter.settings.view_state import LoadProgress
from stackglass_viewer.view.widgets.elided_label import ElidedLabel

_STEPS = 1000


class LoadingBar(QFrame):
    """Hidden while there is no task."""

    cancel_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self._text = ElidedLabel(Qt.TextElideMode.ElideMiddle, self)
        self._progress = QProgressBar()
        self._progress.setTextVisible(False)
        self._progress.setRange(0, _STEPS)
        cancel = QPushButton("Cancel")
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(12)
        row.addWidget(self._text, 1)  # the bar does not move when another file is opened
        row.addWidget(self._progress, 2)
        row.addWidget(cancel)
        cancel.clicked.connect(self.cancel_requested)
        self.hide()

    def show_progress(self, progress: LoadProgress | None) -> None:
        """Show a task's progress; None = the task is over."""
        self.setVisible(progress is not None)
        if progress is None:
            return
        self._text.set_text(f"{progress.verb} {progress.name}")
        if progress.share is None:
            self._progress.setRange(0, 0)
        else:
            self._progress.setRange(0, _STEPS)
            self._progress.setValue(round(progress.share * _STEPS))
