"""A window of 1024 × 640 pixels: no view asks for more, and nothing lies outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import get_args

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QApplication, QLineEdit, QWidget

from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.rates import Rates
from stackglass_viewer.model.contention.buckets import LISTED_KINDS
from stackglass_viewer.model.contention.snapshot import ContentionFilter
from stackglass_viewer.model.remote.snapshots import PARTS, SnapshotKind
from stackglass_viewer.presenter.live.source import LIVE_TYPES
from stackglass_viewer.presenter.settings.contention_texts import ContentionBarState
from stackglass_viewer.presenter.settings.sample_choice import arrange
from stackglass_viewer.presenter.settings.view_layout import Side
from stackglass_viewer.presenter.settings.view_state import (
    DocumentInfo,
    LiveStatus,
    Notice,
    Phase,
    SearchResult,
)
from stackglass_viewer.presenter.tables.contention_model import ContentionModel
from stackglass_viewer.presenter.tables.heap_model import HeapModel, SizeBar, SizeBars
from stackglass_viewer.presenter.tables.now_model import NowModel
from stackglass_viewer.presenter.tables.side_models import StackModel
from stackglass_viewer.presenter.tables.thread_model import ThreadModel
from stackglass_viewer.presenter.tables.top_model import TopModel
from stackglass_viewer.presenter.tables.trace_model import TraceModel
from stackglass_viewer.presenter.tables.waits_model import WaitsModel
from stackglass_viewer.presenter.worker import Worker
from stackglass_viewer.view.capture.remote_bar import RemoteBar
from stackglass_viewer.view.flame.compare_bar import CompareBar
from stackglass_viewer.view.widgets.choice_box import ChoiceBox
from stackglass_viewer.view.widgets.lazy_combo import LazyCombo
from stackglass_viewer.view.widgets.theme import apply_theme, load_theme
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
WIDTH_PX, HEIGHT_PX = 1024, 640
SIZES = ((960, 460), (WIDTH_PX, HEIGHT_PX), (1280, 640), (1366, 680))
"""Of a page. The first: 1920 × 1080 at 200 %, less menu, tabs, title and panel of the desktop."""
LEAST_BUTTON_PX = (28, 26)  # of a view's button
VIEWS = (
    "flame", "both", "top", "sandwich", "heap", "contention", "source", "summary", "tree",
    "graph", "time", "traces",
)  # fmt: skip
SIDES: tuple[Side, ...] = ("right", "below", "below")
MOST = ContentionBarState(
    kind=ContentionKind.BLOCK,
    is_delay=True,
    kinds=LISTED_KINDS,
    wanted=ContentionFilter(lock=1, primitive="threading.Condition.wait"),
    locks=((1, "shop.orders.OrderBook.lock"),),
    primitives=("threading.Condition.wait",),
    figures="20 270 recorded of all kinds  ·  65 locks  ·  12 lost",
)


@pytest.fixture(scope="module", autouse=True)
def themed(qt: QApplication) -> None:
    """Its margins count."""
    apply_theme(qt, load_theme("light"))


@pytest.fixture
def page(qt: QApplication) -> Iterator[ProfilePage]:
    worker = Worker("page")
    made = ProfilePage(TopModel(worker), HeapModel(), load_theme("light"))
    made.tables.add_contention(ContentionModel(made), (WaitsModel(made), NowModel(made)))
    made.tables.add_traces(TraceModel(made), StackModel(made))
    made.resize(WIDTH_PX, HEIGHT_PX)
    made.show()
    yield made
    made.close()
    made.deleteLater()
    worker.stop()


def show_contention(page: ProfilePage) -> None:
    """The widest there is: every kind, every filter, the longest name of a type."""
    contention = len(LIVE_TYPES) - 1
    choice = arrange(LIVE_TYPES, contention)
    info = DocumentInfo("t", "3.02 s waited", choice, True, True, True, True, None, True)
    page.show_info(replace(info, has_times=True))
    page.show_contention_state(MOST)
    page.search.show_result(SearchResult("a", 1234, 0.5))


def settle() -> None:
    """Until layouts that follow from each other are done."""
    for _ in range(5):
        QApplication.processEvents()


def list_misfits(page: ProfilePage) -> list[str]:
    """Widgets outside the page, and buttons with less room than their words and icon need."""
    whole = page.rect()
    misfits = []
    for widget in page.findChildren(QWidget):
        if not widget.isVisible() or widget.visibleRegion().isEmpty() or is_scrolled(widget):
            continue
        if isinstance(widget.parentWidget(), QLineEdit):
            continue  # Qt's own, drawn within the field
        name = f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()}"
        if not whole.contains(QRect(widget.mapTo(page, QPoint(0, 0)), widget.size())):
            misfits.append(f"{name} is outside")
        if isinstance(widget, QAbstractButton) and widget.width() < min(
            widget.sizeHint().width(), widget.maximumWidth()
        ):
            misfits.append(f"{name} {widget.text()!r} is cut")
        if is_list(widget) and widget.width() < min(
            widget.sizeHint().width(), widget.maximumWidth()
        ):
            misfits.append(f"{name} is cut")
        if isinstance(widget, QAbstractButton) and not widget.text() and not widget.toolTip():
            misfits.append(f"{name} has neither words nor a tip")
    return misfits


def list_pinched(page: ProfilePage) -> list[str]:
    """Buttons of views that are hard to hit: small, over another one, or cut by the rail."""
    shown = [button for button in page._rail.buttons if button.isVisible()]
    boxes = [button.geometry() for button in shown]
    whole = page._rail.rect()
    return [
        button.accessibleName()
        for place, (button, box) in enumerate(zip(shown, boxes, strict=True))
        if box.width() < LEAST_BUTTON_PX[0]
        or box.height() < LEAST_BUTTON_PX[1]
        or not whole.contains(box)
        or any(box.intersects(other) for other in boxes[place + 1 :])
    ]


def is_list(widget: QWidget) -> bool:
    """Whether all of its words are to be seen: lists of locks are cut, and say so."""
    return isinstance(widget, ChoiceBox) and not isinstance(widget, LazyCombo)


def is_scrolled(widget: QWidget) -> bool:
    """Whether it lies in what is larger than what can be seen of it."""
    parent = widget.parentWidget()
    while parent is not None:
        if isinstance(parent, QAbstractScrollArea):
            return True
        parent = parent.parentWidget()
    return False


@pytest.mark.parametrize("size_px", SIZES)
def test_a_process_fits(page: ProfilePage, size_px: tuple[int, int], wait_until: WaitUntil) -> None:
    page.add_live_controls(ThreadModel())
    show_contention(page)
    page.show_status(
        LiveStatus("running", 7, "shop.py", "3.11.2", rates=Rates(2500, 1 << 20, 1, 1, 100))
    )
    page.resize(*size_px)
    sizes = tuple(SizeBar(f"{1 << at} B …", 1 << at, "bytes", 0.5) for at in range(40))
    for view in VIEWS:
        page.show_view(view)
        heap = page.tables.heap
        if heap is not None:
            wait_until(lambda heap=heap: heap._sizes is not None)  # type: ignore[misc]
            assert heap._sizes is not None
            heap._sizes.show_bars(SizeBars("Sizes of all blocks", sizes))
        wait_until(lambda: page.contention_bar._is_filled)
        settle()
        assert (page.width(), page.height()) == size_px, view
        assert page.minimumSizeHint().width() <= size_px[0], view
        assert page.minimumSizeHint().height() <= size_px[1], view
        assert list_misfits(page) == [], view


@pytest.mark.parametrize("size_px", SIZES)
def test_a_timeline_and_a_message_fit(page: ProfilePage, size_px: tuple[int, int]) -> None:
    page.add_live_controls(ThreadModel()).timeline.show()
    page.show_status(LiveStatus("ended", 4_194_304, "shop.py", "3.11.2", "perf", n_samples=10**8))
    page.message.show_notice(Notice("info", "The program has ended. The captured data is kept."))
    page.resize(*size_px)
    for view in VIEWS:
        page.show_view(view)
        settle()
        assert (page.width(), page.height()) == size_px, view
        assert list_misfits(page) == [], view
        assert list_pinched(page) == [], view


@pytest.mark.parametrize("height_px", [420, 440, 460, 500, 560, 640, 720, 1000])
def test_buttons_of_views_can_be_hit(page: ProfilePage, height_px: int) -> None:
    """With a timeline that is opened and closed again, and with a window that changes its width."""
    live = page.add_live_controls(ThreadModel())
    show_contention(page)
    page.show_status(LiveStatus("running", 7, "shop.py", "3.11.2", rates=Rates(100, 1 << 19)))
    for width_px in (960, 1280):
        for is_shown in (True, False):
            live.timeline.setVisible(is_shown)
            page.resize(width_px, height_px)
            for view in VIEWS:
                page.show_view(view)
                settle()
                assert list_pinched(page) == [], (width_px, is_shown, view)
                assert list_misfits(page) == [], (width_px, is_shown, view)


def test_two_columns_have_no_gaps(page: ProfilePage) -> None:
    """Whichever views the profile has no data for."""
    page.add_live_controls(ThreadModel()).timeline.show()
    show_contention(page)
    page.resize(*SIZES[0])
    for hidden in (("labels",), ("labels", "time"), ("sandwich", "graph"), ()):
        for key in ("labels", "time", "sandwich", "graph"):
            page._rail.set_visible(key, key not in hidden)
        settle()
        shown = [button for button in page._rail.buttons if button.isVisible()]
        columns, rows = ({each.x() for each in shown}, {each.y() for each in shown})
        assert (len(columns), len(rows)) == (2, -(-len(shown) // 2))
        assert [each.geometry().topLeft() for each in shown] == [
            QPoint(x, y) for y in sorted(rows) for x in sorted(columns)
        ][: len(shown)]


def test_a_message_does_not_move_the_views_sideways(page: ProfilePage) -> None:
    """Nor does it fold the buttons: they are lower while it is there."""
    show_contention(page)
    page.resize(WIDTH_PX, 420)
    settle()
    left_px = page.area.mapTo(page, QPoint(0, 0)).x()
    assert {button.x() for button in page._rail.buttons} == {page._rail.buttons[0].x()}
    page.resize(WIDTH_PX, 380)
    settle()
    assert page.area.mapTo(page, QPoint(0, 0)).x() == left_px
    assert list_pinched(page) == []


@pytest.mark.parametrize("size_px", SIZES)
@pytest.mark.parametrize("quarter", range(0, len(VIEWS), 3))
def test_views_beside_each_other_fit(
    page: ProfilePage, size_px: tuple[int, int], quarter: int, wait_until: WaitUntil
) -> None:
    """Two by two, each view in one of them."""
    page.add_live_controls(ThreadModel())
    show_contention(page)
    page.show_status(
        LiveStatus("running", 7, "shop.py", "3.11.2", rates=Rates(2500, 1 << 20, 1, 1, 100))
    )
    page.resize(*size_px)
    others = [view for view in VIEWS if view not in ("both", "heap")]
    first, *more = (others[(quarter + step) % len(others)] for step in range(4))
    page.show_view(first)
    for view, side, target in zip(more, SIDES, (first, first, more[0]), strict=True):
        page.layout_choice.put(view, side, target)
    for view in page.layout_choice.shown.views:
        page.layout_choice.focus(view)
        wait_until(lambda: page.contention_bar._is_filled)
        settle()
        assert (page.width(), page.height()) == size_px, view
        assert page.minimumSizeHint().width() <= size_px[0], view
        assert page.minimumSizeHint().height() <= size_px[1], view
        assert list_misfits(page) == [], view
    assert len(page.layout_choice.shown.views) == 4


@pytest.mark.parametrize("phase", get_args(Phase))
def test_every_phase_fits(page: ProfilePage, phase: Phase) -> None:
    page.add_live_controls(ThreadModel())
    page.show_status(LiveStatus(phase, 4_194_304, "shop.py", "3.11.2", "perf", n_samples=10**8))
    page.resize(*SIZES[0])
    settle()
    assert page.minimumSizeHint().width() <= SIZES[0][0]
    assert list_misfits(page) == []


@pytest.mark.parametrize("kind", SnapshotKind)
def test_a_server_fits(page: ProfilePage, kind: SnapshotKind) -> None:
    page.add_bar(partial(RemoteBar, kind, PARTS[kind], 60))
    QApplication.processEvents()
    assert page.minimumSizeHint().width() <= WIDTH_PX
    assert list_misfits(page) == []


@pytest.mark.parametrize("size_px", SIZES)
def test_a_comparison_fits(page: ProfilePage, size_px: tuple[int, int]) -> None:
    page.add_bar(CompareBar).show_sides("before " * 40, "after " * 40)
    page.resize(*size_px)
    settle()
    assert (page.width(), page.height()) == size_px
    assert page.minimumSizeHint().width() <= size_px[0]
    assert list_misfits(page) == []


def test_views_lose_their_words_and_have_them_back(page: ProfilePage) -> None:
    show_contention(page)
    rail = page._rail
    for size_px, has_words in (((1366, 700), True), ((WIDTH_PX, 460), False), ((1366, 700), True)):
        page.resize(*size_px)
        settle()
        assert rail.has_captions == has_words
        assert list_misfits(page) == []
        assert all(button.toolTip() and button.accessibleName() for button in rail.buttons)


@pytest.mark.parametrize("taken_px", [30, 95])  # one line, and the most, five
def test_a_message_of_the_window_does_not_take_the_words_away(
    page: ProfilePage, taken_px: int
) -> None:
    show_contention(page)
    page.resize(1366, 700)
    settle()
    rail, left_px = page._rail, page.area.mapTo(page, QPoint(0, 0)).x()
    spare_px = rail.height() - (len(rail.buttons) * 46 + 8)
    page.resize(1366, 700 - spare_px - taken_px)
    settle()
    assert rail.has_captions
    assert page.area.mapTo(page, QPoint(0, 0)).x() == left_px, "the views moved"
    assert list_misfits(page) == []
    page.resize(1366, 700)
    settle()
    assert {button.height() for button in rail.buttons} == {44}, "as high as before"


def test_nothing_that_takes_height_moves_the_views_sideways(page: ProfilePage) -> None:
    """Of a wide window, whichever shape the buttons take: with captions, without, in two columns.
    The captions of a window of 1280 × 680 went with a message, and the graph moved."""
    show_contention(page)
    rail, places, shapes = page._rail, set(), []
    for height_px in (700, 470, 380, 300, 380, 470, 700):
        page.resize(1280, height_px)
        settle()
        places.add(page.area.mapTo(page, QPoint(0, 0)).x())
        shapes.append((rail.has_captions, len({each.x() for each in rail.buttons})))
        assert list_pinched(page) == []
    assert len(places) == 1
    assert set(shapes) == {(True, 1), (False, 1), (False, 2)}
    assert shapes[0] == shapes[-1] == (True, 1)


def test_captions_come_with_the_width_of_the_window(page: ProfilePage) -> None:
    """Not later, when a message makes the rail lower."""
    show_contention(page)
    for width_px, has_words in ((WIDTH_PX, False), (1366, True), (WIDTH_PX, False)):
        page.resize(width_px, 700)
        settle()
        assert page._rail.has_captions == has_words


def test_views_stay_where_they_are_when_another_is_chosen(page: ProfilePage) -> None:
    show_contention(page)
    for width_px in (WIDTH_PX, 1100, 1200, 1366):
        page.resize(width_px, HEIGHT_PX)
        settle()
        places = set()
        for view in VIEWS:
            page.show_view(view)
            settle()
            places.add(tuple(button.pos().y() for button in page._rail.buttons))
        assert len(places) == 1, width_px
