"""Text fitter: cuts texts to a width, by counting letters where all of them have one width."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF

from stackglass_viewer.model.units import make_printable


class TextFitter:
    """Measures and cuts texts in one fixed-width font."""

    def __init__(self, font: QFont) -> None:
        self.metrics = QFontMetricsF(font)
        self._char_px = self.metrics.horizontalAdvance("M" * 64) / 64

    def measure(self, text: str) -> float:
        """Return the width of a text in pixels."""
        return len(text) * self._char_px if text.isascii() else self.metrics.horizontalAdvance(text)

    def fit(self, text: str, width_px: float, keeps_end: bool) -> str:
        """Return as much of ``text`` as fits into ``width_px``, with ``…`` in place of the rest.

        ``keeps_end``: the beginning is cut, not the end.
        """
        text = make_printable(text)
        if not text.isascii():  # some letters are wider than others
            mode = Qt.TextElideMode.ElideLeft if keeps_end else Qt.TextElideMode.ElideRight
            return self.metrics.elidedText(text, mode, width_px)
        n_chars = int(width_px / self._char_px)
        if len(text) <= n_chars:
            return text
        if n_chars < 2:
            return ""
        return _keep_end(text, n_chars) if keeps_end else text[: n_chars - 1] + "…"


def _keep_end(text: str, n_chars: int) -> str:
    """Return the end of a text in ``n_chars`` letters.

    A path is cut between folders, or to its file name: ``…/logging/handlers.py``.
    """
    tail = text[1 - n_chars :]
    folder = tail.find("/")
    if folder >= 0:
        return "…" + tail[folder:]
    file = text[text.rfind("/") + 1 :]
    return file if len(file) <= n_chars else "…" + tail
