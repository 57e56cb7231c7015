"""The combo box that is filled when it is opened."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QWidget

from stackglass_viewer.view.widgets.lazy_combo import LazyCombo


def test_an_odd_name_is_shown_safely(qt: QApplication) -> None:
    parent = QWidget()
    box = LazyCombo("Lock", "Show one lock", 120, parent)
    box.offer([(-1, "All locks"), (7, "a\nb\u202e")], 7)
    assert (box.currentText(), box.currentData()) == ("a\ufffdb\ufffd", 7)
    assert box.toolTip() == "Show one lock\nNow: a\ufffdb\ufffd"
    box._fill()
    assert [box.itemText(row) for row in range(2)] == ["All locks", "a\ufffdb\ufffd"]
    parent.deleteLater()
