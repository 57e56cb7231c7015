"""Text fitter: cuts texts to a width; most of them by counting letters, without measuring."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF

from stackglass_viewer.model.units import make_printable

_SIGNS = "…–−µ≤≥\u00a0\u202f"  # that are in numbers and cut texts
_SAME_PX = 1 / 64  # widths that differ by less are equal: Qt counts in 64ths of a pixel


class TextFitter:
    """Measures and cuts texts in one fixed-width font."""

    def __init__(self, font: QFont) -> None:
        self.metrics = QFontMetricsF(font)
        self.char_px = self.metrics.horizontalAdvance("M" * 64) / 64
        widths_px = {sign: self.metrics.horizontalAdvance(sign) for sign in _SIGNS}
        even = [sign for sign in _SIGNS if abs(widths_px[sign] - self.char_px) < _SAME_PX]
        self._even = frozenset([*map(chr, range(128)), *even])

    def measure(self, text: str) -> float:
        """Return the width of a text in pixels."""
        if text.isascii() or self._even.issuperset(text):
            return len(text) * self.char_px
        return self.metrics.horizontalAdvance(text)

    def fit(self, text: str, width_px: float, keeps_end: bool) -> str:
        """Return as much of ``text`` as fits into ``width_px``, with ``…`` in place of the rest.

        ``keeps_end``: the beginning is cut, not the end.
        """
        text = make_printable(text)
        if not text.isascii():  # some letters are wider than others
            mode = Qt.TextElideMode.ElideLeft if keeps_end else Qt.TextElideMode.ElideRight
            return self.metrics.elidedText(text, mode, width_px)
        n_chars = int(width_px / self.char_px)
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
