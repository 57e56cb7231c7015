"""The box of a rate: what it shows, and its list where the box itself has no room."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication, QMenu, QWidget

from stackglass_viewer.view.capture.rate_box import RateBox


def test_a_rate_that_is_not_offered_is_shown(qt: QApplication) -> None:
    box = RateBox("Wall rate", "", (0, 100))
    assert [box.itemText(place) for place in range(box.count())] == ["Off", "100 Hz"]
    box.show_rate(33)
    assert (box.currentText(), box.currentData()) == ("33 Hz", 33)
    box.show_rate(0)
    assert box.currentText() == "Off"


def test_the_list_of_a_hidden_box_is_a_menu(qt: QApplication) -> None:
    whole = QWidget()
    box = RateBox("Wall rate", "", (0, 100), whole)
    chosen: list[int] = []
    box.rate_chosen.connect(chosen.append)
    box.hide()
    box.open_list(whole)
    menu = whole.findChild(QMenu)
    assert isinstance(menu, QMenu)
    assert [action.text() for action in menu.actions()] == ["Wall rate Off", "Wall rate 100 Hz"]
    assert [action.isChecked() for action in menu.actions()] == [True, False]
    menu.actions()[1].trigger()
    assert chosen == [100]
    menu.close()
