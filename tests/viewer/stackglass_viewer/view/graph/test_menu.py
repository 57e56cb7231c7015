"""The menu of a function names only keys that do what it does."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QWidget

from stackglass_viewer.view.graph.menu import FunctionMenu


def test_ctrl_c_stands_beside_the_name_only_where_it_copies_it(qt: QApplication) -> None:
    window = QWidget()
    for has_copy_key, text in ((True, "Copy name\tCtrl+C"), (False, "Copy name")):
        menu = FunctionMenu(0, window, has_transforms=False, has_copy_key=has_copy_key)
        assert [each.text() for each in menu.actions() if "name" in each.text()] == [text]
    window.deleteLater()
