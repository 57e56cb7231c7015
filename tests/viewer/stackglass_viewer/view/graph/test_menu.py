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


def test_a_place_is_copied_only_if_the_file_is_known(qt: QApplication) -> None:
    window = QWidget()
    for has_file in (True, False):
        menu = FunctionMenu(0, window, has_transforms=False)
        menu.offer_place(has_file)
        states = {each.text(): each.isEnabled() for each in menu.actions()}
        assert states["Copy file and line"] is has_file
        assert states["Copy name"]
    window.deleteLater()
