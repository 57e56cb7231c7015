"""Buttons side by side, or a list in their place."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication, QWidget

from stackglass_viewer.view.widgets.foldable_control import FoldableControl


@pytest.fixture
def control(qt: QApplication) -> Iterator[FoldableControl]:
    window = QWidget()
    made = FoldableControl(
        "Rows", [("stacks", "Stacks"), ("locks", "Locks"), ("now", "Now")], window
    )
    made.choose("stacks")
    window.show()
    yield made
    window.close()
    window.deleteLater()


def list_shown(control: FoldableControl) -> list[str]:
    return [button.text() for button in control.buttons if button.isVisibleTo(control)]


def test_the_list_offers_what_the_buttons_do(control: FoldableControl) -> None:
    control.set_visible("now", False)
    control.set_enabled("locks", False)
    open_px = control.sizeHint().width()
    control.set_folded(True)
    assert list_shown(control) == []
    assert control._list.text() == "Stacks"
    control._fill()
    actions = control._list.menu().actions()
    assert [(each.text(), each.isChecked(), each.isEnabled()) for each in actions] == [
        ("Stacks", True, True),
        ("Locks", False, False),
    ]
    control.set_visible("now", True)
    assert list_shown(control) == []
    control.set_folded(False)
    assert list_shown(control) == ["Stacks", "Locks", "Now"]
    assert control.sizeHint().width() > open_px


def test_a_choice_in_the_list_is_one_among_the_buttons(control: FoldableControl) -> None:
    chosen: list[str] = []
    control.chosen.connect(chosen.append)
    control.set_folded(True)
    control._fill()
    control._list.menu().actions()[1].trigger()
    assert chosen == ["locks"]
    assert control._list.text() == "Locks"
    assert control.button("locks").isChecked()
