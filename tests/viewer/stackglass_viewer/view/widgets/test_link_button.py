"""A button with a text that may be longer than its place."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from stackglass_viewer.view.widgets.link_button import LinkButton


def test_a_text_is_cut_to_the_width_and_signs_are_shown(qt: QApplication) -> None:
    button = LinkButton("this & that.prof")
    button.resize(400, 24)
    button.show()
    assert button.text() == "this && that.prof"  # Qt shows one of the two
    button.resize(80, 24)
    qt.processEvents()
    assert button.text().endswith("…")
    button.hide()
    button.deleteLater()
