"""Text in cells that are too narrow for it."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.widgets.text_fitter import TextFitter
from stackglass_viewer.view.widgets.theme import fixed_font


def test_the_end_or_the_beginning_is_cut(qt: QApplication) -> None:
    fitter = TextFitter(fixed_font())
    char_px = fitter.metrics.horizontalAdvance("M" * 64) / 64
    width_px = 6 * char_px + 0.5
    assert fitter.fit("memory", width_px, keeps_end=False) == "memory"
    assert fitter.fit("memories", width_px, keeps_end=False) == "memor…"
    assert fitter.fit("memories", width_px, keeps_end=True) == "…ories"
    assert fitter.fit("memories", char_px, keeps_end=True) == ""
    assert fitter.fit("mémoires", width_px, keeps_end=True).startswith("…")


def test_of_a_path_whole_folders_go(qt: QApplication) -> None:
    fitter = TextFitter(fixed_font())
    char_px = fitter.metrics.horizontalAdvance("M" * 64) / 64
    path = "/usr/lib/logging/handlers.py:74"
    for n_chars, text in (
        (31, path),
        (24, "…/logging/handlers.py:74"),
        (23, "…/handlers.py:74"),
        (14, "handlers.py:74"),
        (8, "…s.py:74"),
    ):
        assert fitter.fit(path, n_chars * char_px + 0.5, keeps_end=True) == text


def test_signs_of_numbers_are_measured_as_the_font_has_them(qt: QApplication) -> None:
    fitter = TextFitter(fixed_font())
    for text in (
        "1\u202f234\u202f567",
        "≤ 12.3\u00a0µs",
        "−5 MiB",
        "–",
        "…views.py",
        "機能",
        "Ångström",
    ):
        assert abs(fitter.measure(text) - fitter.metrics.horizontalAdvance(text)) < 0.5, text
