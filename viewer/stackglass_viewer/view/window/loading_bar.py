"""Loading bar: the name and progress of a task such as reading a file, and a cancel button."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QPushButton, QWidget

from stackglass_viewer.presenter.settings.view_state import LoadProgress
from stackglass_viewer.view.widgets.elided_label import ElidedLabel

_STEPS = 1000


class LoadingBar(QFrame):
    """A bar that is hidden while there is no task."""

    cancel_requested = Signal()

    def __init__(self, parent: QWidget, over: QWidget | None = None) -> None:
        """``over``: lie on the lower edge of this sibling, so that views do not change their size
        at each file that is opened; None = the caller puts the bar into a layout."""
        super().__init__(parent)
        self.setObjectName("footer")
        self._over = over
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
        if over is not None:
            over.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay on the lower edge of the widget below."""
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move) and watched is self._over:
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        if self._over is not None:
            below, height_px = self._over.geometry(), self.sizeHint().height()
            self.setGeometry(below.x(), below.bottom() + 1 - height_px, below.width(), height_px)

    def show_progress(self, progress: LoadProgress | None) -> None:
        """Show a task's progress; None = the task is over."""
        if progress is None:
            self.hide()
            return
        if self.isHidden():
            self._place()
            self.raise_()
            self.show()
        self._text.set_text(f"{progress.verb} {progress.name}")
        if progress.share is None:
            self._progress.setRange(0, 0)
        else:
            self._progress.setRange(0, _STEPS)
            self._progress.setValue(round(progress.share * _STEPS))
