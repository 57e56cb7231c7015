"""The tab of a memory trace: what it builds for what its user wants."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from harness.shop_trace import ARENA, MS, PEAK_NS, open_shop
from stackglass_viewer.presenter.memory_trace.block_choice import MapCell, ShownBlock
from stackglass_viewer.presenter.memory_trace.document import TraceDocument
from stackglass_viewer.presenter.memory_trace.subject import Brush, SubjectKind
from stackglass_viewer.presenter.settings.palettes import GraphStyle, choose_palette

WaitUntil = Callable[[Callable[[], bool]], None]
STYLE = GraphStyle("cost", choose_palette("module", True))


class Tab:
    """A document that has shown the peak, and what it said."""

    def __init__(self, folder: Path, wait_until: WaitUntil) -> None:
        self._wait_until = wait_until
        self.document = TraceDocument(open_shop(folder), "shop.sgm", STYLE)
        self.texts: list[str] = []
        self.blocks: list[ShownBlock | None] = []
        self.document.subject_changed.connect(self.texts.append)
        self.document.blocks.shown.connect(self.blocks.append)
        self.document.start()
        self.wait_for("Live at the peak")

    def wait_for(self, words: str) -> None:
        self._wait_until(lambda: bool(self.texts) and words in self.texts[-1])

    @property
    def total(self) -> int:
        scene = self.document.scene
        assert scene is not None
        return scene.total


@pytest.fixture
def tab(qt: QApplication, tmp_path: Path, wait_until: WaitUntil) -> Iterator[Tab]:
    made = Tab(tmp_path, wait_until)
    yield made
    made.document.leave()
    made.document.wait()


def test_it_begins_with_the_peak(tab: Tab) -> None:
    assert tab.total == tab.document.trace.index.peak_bytes
    assert tab.document.cursor.time_ns == PEAK_NS


def test_a_moved_cursor_shows_that_moment(tab: Tab) -> None:
    tab.document.move_cursor(7 * MS)
    tab.wait_for("Live at 7.000 ms")
    assert tab.total == 4000
    tab.document.choose_kind(SubjectKind.PEAK)
    tab.wait_for("Live at the peak")
    assert tab.document.cursor.time_ns == PEAK_NS


def test_a_brush_shows_what_was_allocated_in_it(tab: Tab) -> None:
    tab.document.choose_brush(Brush(6 * MS, 7 * MS))
    tab.wait_for("Allocated from")
    assert tab.document.shown_type.name == "alloc_space"
    assert tab.total == 3000
    tab.document.choose_kind(SubjectKind.LEAKS)
    tab.wait_for("and live at the end of the trace")
    assert tab.document.shown_type.name == "inuse_space"
    tab.document.choose_brush(None)
    tab.wait_for("in the trace and live at its end")
    assert tab.total == 3100


@pytest.mark.parametrize("kind", [SubjectKind.LEAKS, SubjectKind.SPAN])
def test_a_span_that_is_chosen_while_the_trace_plays_ends_playing(
    tab: Tab, kind: SubjectKind
) -> None:
    """The next tick of the cursor showed a moment again."""
    document = tab.document
    document.move_cursor(1 * MS)
    document.cursor.play(True)
    document.choose_kind(kind)
    assert not document.cursor.is_playing
    assert document.wish.kind is kind


def test_a_brush_that_is_drawn_while_the_trace_plays_ends_playing(tab: Tab) -> None:
    document = tab.document
    document.move_cursor(1 * MS)
    document.cursor.play(True)
    document.choose_kind(SubjectKind.MOMENT)
    assert document.cursor.is_playing
    document.choose_brush(Brush(6 * MS, 7 * MS))
    assert not document.cursor.is_playing
    assert document.wish.kind is SubjectKind.SPAN


def test_a_value_that_the_user_chose_stays_as_the_cursor_moves(tab: Tab) -> None:
    tab.document.heap.choose_measure(is_in_use=False, is_space=False)
    tab.document.move_cursor(7 * MS)
    tab.wait_for("Live at 7.000 ms")
    assert tab.document.shown_type.name == "alloc_objects"
    assert tab.total == 3


def test_a_click_lists_the_blocks_of_a_cell(tab: Tab, wait_until: WaitUntil) -> None:
    tab.document.choose_cell(MapCell(ARENA + 0x4000, ARENA + 0x5000, 2 * MS))
    wait_until(lambda: bool(tab.blocks))
    (shown,) = tab.blocks
    assert shown is not None
    assert shown.facts.type_name == "builtins.bytes"
    assert [frame.function for frame in shown.frames] == ["parse", "load", "main"]
    assert tab.document.wish.kind is SubjectKind.MOMENT


def test_a_cell_without_blocks_shows_none(tab: Tab, wait_until: WaitUntil) -> None:
    tab.document.choose_cell(MapCell(ARENA + 0x4000, ARENA + 0x5000, 7 * MS))
    wait_until(lambda: bool(tab.blocks))
    assert tab.blocks == [None]
    assert tab.document.blocks.model.rowCount() == 0


def test_arenas_are_read_only_while_they_are_looked_at(tab: Tab, wait_until: WaitUntil) -> None:
    state = tab.document.state
    assert state.state is None
    state.watch(True)
    wait_until(lambda: state.state is not None)
    tab.document.move_cursor(7 * MS)
    wait_until(lambda: state.state is not None and state.state.live_bytes == 4000)


def test_statistics_fill_the_tables(tab: Tab, wait_until: WaitUntil) -> None:
    wait_until(lambda: tab.document.statistics.value is not None)
    assert tab.document.garbage.rowCount() == 1
    assert tab.document.survivors.rowCount() == 1


def test_the_map_is_drawn_while_its_tab_is_in_front(tab: Tab, wait_until: WaitUntil) -> None:
    pictures: list[object] = []
    tab.document.drawer.picture_changed.connect(pictures.append)
    tab.document.map.set_shape(40, 80)
    assert not pictures
    tab.document.set_front(True)
    wait_until(lambda: bool(pictures))


def test_closing_gives_the_file_back(tmp_path: Path, qt: QApplication) -> None:
    trace = open_shop(tmp_path)
    document = TraceDocument(trace, "shop.sgm", STYLE)
    document.leave()
    document.wait()
    assert trace._source.is_closed  # type: ignore[attr-defined]
