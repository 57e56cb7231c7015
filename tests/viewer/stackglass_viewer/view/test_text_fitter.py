"""Text in cells that are too narrow for it."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.text_fitter import TextFitter
from stackglass_viewer.view.theme import fixed_font


def test_the_end_or_the_beginning_is_cut(qt: QApplication) -> None:
    fitter = TextFitter(fixed_font())
    char_px = fitter.metrics.horizontalAdvance("M" * 64) / 64
    width_px = 6 * char_px + 0.5
    assert fitter.fit("memory", width_px, keeps_end=False) == "memory"
    assert fitter.fit("memories", width_px, keeps_end=False) == "memor…"
    assert fitter.fit("memories", width_px, keeps_end=True) == "…ories"
    assert fitter.fit("memories", char_px, keeps_end=True) == ""
    assert fitter.fit("mémoires", width_px, keeps_end=True).startswith("…")
