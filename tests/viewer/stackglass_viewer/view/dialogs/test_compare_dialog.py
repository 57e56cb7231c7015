"""The dialog that compares two profiles: names are shown safely, and keys stay as they are."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QWidget

from stackglass_viewer.view.dialogs.compare_dialog import CompareDialog


def test_an_odd_name_of_a_file_is_shown_safely(qt: QApplication) -> None:
    parent, key = QWidget(), "/tmp/a\nb.pb"
    dialog = CompareDialog(((key, "a\nb.pb"), ("/tmp/c.pb", "c.pb")), (key, "/tmp/c.pb"), parent)
    assert dialog._lists[0].currentText() == "a\ufffdb.pb"
    assert dialog.chosen == (key, "/tmp/c.pb")
    parent.deleteLater()
