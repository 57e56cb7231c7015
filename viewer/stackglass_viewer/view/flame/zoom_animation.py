"""Animation of a flame graph's zoom and pan."""

from __future__ import annotations

from PySide6.QtCore import QObject, QVariantAnimation, Signal

from stackglass_viewer.presenter.document.navigation import View

_ZOOM_MS = 160


class ZoomAnimation(QObject):
    """Moves ``shown`` in 160 ms to the target of the last ``start``, and slows down on the way."""

    moved = Signal()

    def __init__(self, view: View, parent: QObject) -> None:
        super().__init__(parent)
        self.shown = self._origin = self._target = view
        self._animation = QVariantAnimation(self)
        self._animation.setStartValue(0.0)
        self._animation.setEndValue(1.0)
        self._animation.setDuration(_ZOOM_MS)
        self._animation.valueChanged.connect(self._on_animated)

    def start(self, target: View) -> None:
        """Begin to animate to ``target``."""
        self._animation.stop()
        self._origin, self._target = self.shown, target
        self._animation.start()

    def jump(self, target: View) -> None:
        """Show ``target`` without animation."""
        self._animation.stop()
        self.shown = target

    def _on_animated(self, progress: float) -> None:
        eased = 1 - (1 - progress) ** 3
        start, end = self._origin, self._target
        self.shown = end  # at the end, without rounding errors
        if eased < 1:
            self.shown = View(
                start.left + (end.left - start.left) * eased,
                start.right + (end.right - start.right) * eased,
                start.top_px + (end.top_px - start.top_px) * eased,
            )
        self.moved.emit()
