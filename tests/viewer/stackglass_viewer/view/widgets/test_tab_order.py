"""Tab order: part by part, with the stops that Tab reaches and no others."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from stackglass_viewer.view.widgets.tab_order import order_tabs


@pytest.fixture
def window(qt: QApplication) -> Iterator[QWidget]:
    made = QWidget()
    yield made
    made.deleteLater()


def add(parent: QWidget, name: str, policy: Qt.FocusPolicy = Qt.FocusPolicy.TabFocus) -> QWidget:
    made = QWidget(parent)
    made.setObjectName(name)
    made.setFocusPolicy(policy)
    return made


def list_order(window: QWidget) -> list[str]:
    """The names of all but the window, from the one after it."""
    chain = [window]
    while (after := chain[-1].nextInFocusChain()) is not None and after is not window:
        chain.append(after)
    return [each.objectName() for each in chain[1:] if each.objectName()]


def test_parts_come_in_turn_with_what_was_made_late(window: QWidget) -> None:
    first, second = QWidget(window), QWidget(window)
    policy = Qt.FocusPolicy
    add(second, "strong", policy.StrongFocus)
    add(first, "tab")
    add(second, "wheel", policy.WheelFocus)
    add(first, "late")
    add(first, "clicked", policy.ClickFocus)
    order_tabs(first, add(window, "alone"), second)
    assert list_order(window)[:5] == ["tab", "late", "alone", "strong", "wheel"]


def test_a_part_is_gone_through_as_it_is_laid_out(window: QWidget) -> None:
    """Through layouts and splitters in its layout. What is in none comes last."""
    part = QWidget(window)
    rows, row = QVBoxLayout(part), QHBoxLayout()
    add(part, "in no layout")
    bar = QWidget(part)
    in_bar = QHBoxLayout(bar)
    for name in ("right", "left"):
        in_bar.insertWidget(0, add(bar, name))
    below = add(part, "below")
    row.addSpacing(4)
    row.addWidget(add(part, "middle"))
    rows.addLayout(row)
    rows.addWidget(below)
    rows.insertWidget(0, bar)
    splitter = QSplitter(below)
    for name in ("first", "last"):  # Qt has them in the reverse order among its children
        add(splitter, name)
    order_tabs(part)
    order = [name for name in list_order(window) if not name.startswith("qt_")]
    start = order.index("left")  # where a round begins is Qt's
    assert order[start:] + order[:start] == [
        *("left", "right", "middle", "below", "first", "last", "in no layout")
    ]


def test_a_list_that_pops_up_is_not_in_the_order(window: QWidget) -> None:
    part = QWidget(window)
    add(part, "first")
    popup = QWidget(part, Qt.WindowType.Popup)
    add(popup, "in the list")
    add(part, "second")
    order_tabs(part)
    assert list_order(window) == ["first", "second"]
