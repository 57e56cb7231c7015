"""Text that scrolls: as high as a few lines, never higher than the limit."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QHBoxLayout, QLabel, QWidget

from stackglass_viewer.view.widgets.scrolled_text import ScrolledText


def test_many_lines_are_scrolled(qt: QApplication) -> None:
    window = QWidget()
    text = ScrolledText(5, window)
    QHBoxLayout(window).addWidget(text)
    window.resize(400, 300)
    window.show()
    text.set_text("one")
    QApplication.processEvents()
    line_px = text.height()
    assert text.focusPolicy() == Qt.FocusPolicy.NoFocus
    text.set_text("\n".join("abcdef"))
    QApplication.processEvents()
    assert 4 * line_px < text.height() <= 5 * line_px + 5
    assert text.verticalScrollBar().maximum() > 0
    assert text.focusPolicy() == Qt.FocusPolicy.TabFocus  # the keyboard reaches the rest
    text.set_text("one")
    QApplication.processEvents()
    assert text.height() == line_px
    text.set_text("word " * 20)  # which wraps
    QApplication.processEvents()
    assert text.height() > line_px
    window.close()


def test_no_line_ends_between_a_value_and_its_unit(qt: QApplication) -> None:
    text = ScrolledText(9)
    text.set_text("It took 9.282 ms")
    label = text.findChild(QLabel)
    assert label is not None
    assert label.text() == "It took 9.282\u00a0ms"
    assert text.text == "It took 9.282 ms"
    text.deleteLater()
