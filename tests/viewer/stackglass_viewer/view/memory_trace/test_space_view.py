"""Arenas and mappings: which objects a click or a key asks for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from harness.traced_memory import read_trace
from stackglass_viewer.model.memory_trace.trace import MemoryTrace
from stackglass_viewer.presenter.memory_trace.address_space import CELLS, read_state
from stackglass_viewer.presenter.memory_trace.block_choice import MapCell
from stackglass_viewer.view.memory_trace.space_view import SpaceView
from stackglass_viewer.view.memory_trace.time_view import GUTTER_PX
from stackglass_viewer.view.widgets.elided_label import ElidedLabel
from stackglass_viewer.view.widgets.theme import load_theme

FULL, PINNED, SIZE = 0x1000000, 0x2000000, 1 << 20
LEFT = Qt.MouseButton.LeftButton


class Shown:
    """Two arenas, the one that an object pins on top, and what was asked for."""

    def __init__(self, folder: Path) -> None:
        lines = [f"0 span {start} {SIZE} domain=mmap" for start in (FULL, PINNED)]
        lines += [f"1 alloc {FULL} {SIZE}", f"1 alloc {PINNED} 64"]
        trace = MemoryTrace(read_trace("\n".join(lines)), "x", folder=folder)
        self.view = SpaceView(load_theme("light"))
        self.view.resize(GUTTER_PX + CELLS * 10 + 340, 200)
        self.asked: list[MapCell] = []
        self.view.show()
        self.view.area_chosen.connect(self.asked.append)
        self.view.show_state(read_state(trace, trace.index.end))
        trace.close()

    def take(self) -> tuple[int, int]:
        """Addresses that were asked for last."""
        cell = self.asked.pop()
        return cell.low, cell.high


@pytest.fixture
def shown(qt: QApplication, tmp_path: Path) -> Iterator[Shown]:
    made = Shown(tmp_path)
    yield made
    made.view.close()
    made.view.deleteLater()


def test_a_click_asks_for_a_pool_or_for_the_line(shown: Shown) -> None:
    pool = SIZE // CELLS
    QTest.mouseClick(shown.view.viewport(), LEFT, pos=QPoint(GUTTER_PX + 15, 5))
    assert shown.take() == (PINNED + pool, PINNED + 2 * pool)
    QTest.mouseClick(shown.view.viewport(), LEFT, pos=QPoint(GUTTER_PX + CELLS * 10 + 50, 20))
    assert shown.take() == (FULL, FULL + SIZE)
    QTest.mouseClick(shown.view.viewport(), LEFT, pos=QPoint(200, 190))  # below the last line
    assert not shown.asked


def test_keys_lead_through_the_lines(shown: Shown) -> None:
    QTest.keyClick(shown.view, Qt.Key.Key_Return)
    assert shown.take() == (PINNED, PINNED + SIZE)
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Down, Qt.Key.Key_Return):
        QTest.keyClick(shown.view, key)
    assert shown.take() == (FULL, FULL + SIZE)


def test_lines_are_read_out(shown: Shown) -> None:
    asked = QAccessible.queryAccessibleInterface(shown.view)
    texts = [asked.child(line).text(QAccessible.Text.Name) for line in range(asked.childCount())]
    assert texts == [f"0x{PINNED:x}", f"0x{FULL:x}"]
    assert "pinned" in asked.child(0).text(QAccessible.Text.Value)


def test_a_sentence_sums_all_lines_up(shown: Shown) -> None:
    (label,) = shown.view.findChildren(ElidedLabel)
    assert label.whole.startswith("2.00 MiB in arenas and mappings, 50.0% full; 1 pinned by 1 obj")
    assert label.geometry().bottom() < shown.view.viewport().y(), "above the lines"


def test_a_line_is_where_screen_readers_look_for_it(shown: Shown) -> None:
    asked = QAccessible.queryAccessibleInterface(shown.view)
    line = asked.child(1).rect()
    top_px = shown.view.viewport().mapToGlobal(QPoint(0, 14)).y()
    assert line.top() == top_px
