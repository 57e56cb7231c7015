"""View and sample type, chosen independently, in one row; what appears late moves nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.presenter.live.source import LIVE_TYPES
from stackglass_viewer.presenter.settings.contention_texts import ContentionBarState
from stackglass_viewer.presenter.settings.heap_texts import HeapBarState
from stackglass_viewer.presenter.settings.sample_choice import (
    HEAP,
    ContentionChoice,
    arrange,
    find_contention_type,
)
from stackglass_viewer.presenter.settings.view_layout import DETAILS
from stackglass_viewer.presenter.settings.view_state import DocumentInfo, Notice
from stackglass_viewer.presenter.tables.contention_model import ContentionModel
from stackglass_viewer.presenter.tables.heap_model import HeapModel
from stackglass_viewer.presenter.tables.now_model import NowModel
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.presenter.tables.top_model import TopModel
from stackglass_viewer.presenter.tables.waits_model import WaitsModel
from stackglass_viewer.presenter.worker import Worker
from stackglass_viewer.view.widgets.theme import apply_theme, load_theme
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
CPU_ENTRY = 0
ENTRIES = arrange(LIVE_TYPES, 0).entries
HEAP_ENTRY, CONTENTION_ENTRY = ENTRIES.index(HEAP), len(ENTRIES) - 1


class Page(ProfilePage):
    """Answers a choice of a sample type as the document of a process does."""

    def answer(self, entry: int) -> None:
        type_index = entry
        if entry == CONTENTION_ENTRY:
            type_index = find_contention_type(LIVE_TYPES, ContentionChoice())
        choice = arrange(LIVE_TYPES, type_index)
        self.show_info(DocumentInfo("t", "3 s", choice, True, True, True, True, None, True))
        if choice.heap is not None:
            self.show_heap_state(HeapBarState(True, True, is_live=True, full_text="Last"))
        if choice.contention is not None:
            kind = choice.contention.kind
            assert kind is not None
            self.show_contention_state(ContentionBarState(kind, True, (kind,)))


@pytest.fixture(scope="module", autouse=True)
def themed(qt: QApplication) -> None:
    """Its margins count."""
    apply_theme(qt, load_theme("light"))


@pytest.fixture
def page(qt: QApplication) -> Iterator[Page]:
    worker = Worker("page")
    made = Page(TopModel(worker), HeapModel(), load_theme("light"))
    made.tables.add_contention(ContentionModel(made), (WaitsModel(made), NowModel(made)))
    made.add_live_controls(ThreadModel())
    made.type_chosen.connect(made.answer)
    made.resize(1366, 700)
    made.show()
    made.show_view("flame")
    made.answer(CPU_ENTRY)
    yield made
    made.close()
    made.deleteLater()
    worker.stop()


def choose_type(page: Page, entry: int) -> None:
    page.types.setCurrentIndex(entry)
    page.types.activated.emit(entry)


@pytest.mark.parametrize("view", ["flame", "both", "top", "sandwich"])
def test_another_sample_type_leaves_the_view(page: Page, view: str) -> None:
    page.show_view(view)
    for entry in (HEAP_ENTRY, CONTENTION_ENTRY, CPU_ENTRY):
        choose_type(page, entry)
        assert page.view == view


def test_another_view_leaves_the_sample_type(page: Page) -> None:
    asked: list[int] = []
    page.type_chosen.connect(asked.append)
    details = page._rail.button(DETAILS)
    assert not details.isEnabled()
    page.show_view(DETAILS)  # of the CPU there are none
    assert page.view == "flame"
    for entry, view in ((HEAP_ENTRY, "heap"), (CONTENTION_ENTRY, "contention")):
        choose_type(page, entry)
        asked.clear()
        QTest.mouseClick(details, Qt.MouseButton.LeftButton)
        assert page.view == view
        page.show_view("flame")
        assert asked == []


def test_a_table_of_one_sample_type_gives_way_to_that_of_the_other(page: Page) -> None:
    choose_type(page, HEAP_ENTRY)
    page.show_view(DETAILS)
    choose_type(page, CONTENTION_ENTRY)
    assert page.view == "contention"
    choose_type(page, CPU_ENTRY)
    assert page.view == "top"


def test_there_are_two_rows_of_tools_whatever_is_chosen(page: Page, wait_until: WaitUntil) -> None:
    tops = set()
    for entry in (CPU_ENTRY, HEAP_ENTRY, CONTENTION_ENTRY):
        choose_type(page, entry)
        for view in ("flame", "top", DETAILS):
            page.show_view(view)
            wait_until(lambda e=entry: e != CONTENTION_ENTRY or page.contention_bar._is_filled)  # type: ignore[misc] # bound now
            QApplication.processEvents()
            shown = page.tables.find(page.view) or page.graphs.focus_target
            tops.add(page.area.mapTo(page, QPoint(0, 0)).y())
            assert page.area.isAncestorOf(shown)
    assert page.live is not None
    assert tops == {page.live.bar.height() + page._bar.height()}


def test_a_late_message_moves_nothing_above_it(page: Page) -> None:
    before = page.area.geometry().top()
    page.message.show_notice(Notice("warning", "Late"))
    page.label_bar.set_applies(True)
    page.label_bar.show_chosen((("route", "/"),))
    QApplication.processEvents()
    assert page.message.isVisible()
    assert page.label_bar.isVisible()
    assert page.area.geometry().top() == before


def test_what_is_on_the_left_stays_when_another_type_is_chosen(
    page: Page, wait_until: WaitUntil
) -> None:
    for width_px in (1024, 1280, 1366, 1800):
        page.resize(width_px, 640)
        places = set()
        for entry in (CPU_ENTRY, HEAP_ENTRY, CONTENTION_ENTRY):
            choose_type(page, entry)
            wait_until(lambda e=entry: e != CONTENTION_ENTRY or page.contention_bar._is_filled)  # type: ignore[misc] # bound now
            for _ in range(5):
                QApplication.processEvents()
            buttons = page._rail.buttons
            places.add((page.types.x(), *(button.y() for button in buttons)))
        assert len(places) == 1, width_px


def test_no_word_is_cut_beside_the_switch_of_c_code(page: Page, wait_until: WaitUntil) -> None:
    """The choice of rows becomes a list before anything else is made narrower."""
    choose_type(page, CONTENTION_ENTRY)
    choice = arrange(LIVE_TYPES, find_contention_type(LIVE_TYPES, ContentionChoice()))
    page.show_info(DocumentInfo("t", "3 s", choice, True, True, has_contention=True, native="all"))
    assert choice.contention is not None
    kind = choice.contention.kind
    assert kind is not None
    locks, calls = ((1, "shop.Shop.orders"), (2, "shop.lock")), ("_queue.Queue.get", "Lock.acquire")
    page.show_contention_state(
        ContentionBarState(kind, True, (kind,), locks=locks, primitives=calls)
    )
    wait_until(lambda: page.contention_bar._is_filled)
    for view in ("flame", DETAILS):
        page.show_view(view)
        for width_px in (1180, 1230, 1280, 1366):
            page.resize(width_px, 640)
            for _ in range(5):
                QApplication.processEvents()
            assert page.types.width() >= page.types.sizeHint().width(), (view, width_px)
    assert page.view == "contention"
