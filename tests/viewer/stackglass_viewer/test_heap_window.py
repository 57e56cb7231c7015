"""The heap in the window: of a live process, and of a file."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from harness.synthetic_engine import HeldBlocks, SyntheticEngine
from harness.window_session import WindowSession
from stackglass_viewer.app import App
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_profile
from stackglass_viewer.presenter.document.sentences import ALLOCATED
from stackglass_viewer.presenter.settings.preferences import Preferences
from stackglass_viewer.presenter.settings.sample_choice import HeapChoice
from stackglass_viewer.presenter.settings.view_layout import DETAILS
from stackglass_viewer.view.widgets.choice_box import ChoiceBox

PID = os.getpid()
KIB = 1024
HEAP_ENTRY = 4  # of the list of sample types
WaitUntil = Callable[[Callable[[], bool]], None]

BLOCKS: tuple[HeldBlocks, ...] = (
    (("__main__.main", "shop.remember"), 100, 4 * KIB, 20),
    (("__main__.main", "shop.render", "json.dumps"), 1000, 64, 1000),
    (("__main__.main", "shop.remember"), 10, 100, 0),
)


class Session(WindowSession):
    """An attached window whose engine has reported a heap, and which looks at it."""

    def choose(self, text: str) -> None:
        """Choose this entry of one of the heap's lists, if it is enabled."""
        boxes = self.page.heap_bar.findChildren(ChoiceBox)
        (box,) = (each for each in boxes if text in list_entries(each))
        place = list_entries(box).index(text)
        if box.model().flags(box.model().index(place, 0)) & Qt.ItemFlag.ItemIsEnabled:
            box.setCurrentIndex(place)
            box.activated.emit(place)


def list_entries(box: ChoiceBox) -> list[str]:
    return [box.itemText(place) for place in range(box.count())]


def has_heap_rate(session: Session, rate: int) -> bool:
    return session.document.status.rates.heap_rate == rate


@pytest.fixture
def attached(app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil) -> Session:
    engine = SyntheticEngine(PID)
    session = Session(app, engine, monkeypatch, wait_until)
    engine.send_hello()
    engine.send_ready()
    wait_until(lambda: session.document.status.phase == "running")
    wait_until(lambda: session.page.live is not None and session.document.info is not None)
    return session


@pytest.fixture
def session(attached: Session, wait_until: WaitUntil) -> Session:
    attached.engine.send_heap(*BLOCKS)
    attached.page.type_chosen.emit(HEAP_ENTRY)
    wait_until(lambda: attached.total == 80 * 4 * KIB + 1000)
    return attached


def test_the_first_attachment_samples_the_heap_at_512_kib(
    attached: Session, wait_until: WaitUntil
) -> None:
    wait_until(lambda: attached.document.status.rates.heap_rate == 512 * KIB)
    assert attached.engine.heap_rate == 512 * KIB


def test_the_heap_rate_acts_at_once_and_is_remembered(
    attached: Session, wait_until: WaitUntil
) -> None:
    for rate in (4 * KIB, 1, 0):
        attached.live.bar.heap_rate_chosen.emit(rate)
        wait_until(partial(has_heap_rate, attached, rate))
        assert attached.engine.heap_rate == rate
        assert attached.app.preferences.heap_rate == rate
    assert attached.live.bar.heap_rate.text() == "Off"


def test_a_rate_that_makes_no_sense_is_the_default(app: App, settings: Any) -> None:
    for stored in ("often", "12345", "-1"):
        settings.setValue("heap_rate", stored)
        assert Preferences(settings).heap_rate == 512 * KIB


def test_two_switches_choose_among_four_values(session: Session, wait_until: WaitUntil) -> None:
    session.document.choose_span("All")
    assert session.page.heap_bar.isVisibleTo(session.page)
    session.choose("In use, objects")
    wait_until(lambda: session.total == 90)
    session.choose("Allocated, objects")
    wait_until(lambda: session.total == 1110)
    assert "json.dumps" in session.names
    session.choose("Allocated, space")
    wait_until(lambda: session.total == 100 * 4 * KIB + 64_000 + 1000)
    session.choose("In use, space")
    wait_until(lambda: session.total == 80 * 4 * KIB + 1000)
    assert "json.dumps" not in session.names


def test_the_switches_follow_a_sentence_of_the_summary(
    session: Session, wait_until: WaitUntil
) -> None:
    """The link showed what was allocated, below switches for the memory in use."""
    bar = session.page.heap_bar
    session.document.choose_sample_type(ALLOCATED)
    wait_until(lambda: session.total == 100 * 4 * KIB + 64_000 + 1000)
    shown = [box.currentText() for box in bar.findChildren(ChoiceBox)]
    assert "Allocated, space" in shown
    assert "In use, space" not in shown
    assert session.document.heap.value == HeapChoice(is_in_use=False)


def test_the_choice_is_kept_while_the_cpu_is_looked_at(
    session: Session, wait_until: WaitUntil
) -> None:
    session.choose("In use, objects")
    wait_until(lambda: session.total == 90)
    session.engine.send_samples()
    session.page.type_chosen.emit(0)
    wait_until(lambda: "shop.price" in session.names)
    assert not session.page.heap_bar.isVisibleTo(session.page)
    session.page.type_chosen.emit(HEAP_ENTRY)
    wait_until(lambda: session.total == 90)


def test_the_last_collection_is_a_view_of_its_own_and_has_an_age(
    session: Session, wait_until: WaitUntil
) -> None:
    session.choose("Last collection")  # there was none: it cannot be chosen
    session.engine.send_heap((("__main__.main", "shop.late"), 10, 1000, 5), full_ago_s=7.5)
    wait_until(lambda: session.total == 80 * 4 * KIB + 1000 + 5000)
    bar, text = session.page.heap_bar, "Last collection, 7 s ago"
    wait_until(lambda: text in list_entries(bar._when))
    session.choose(text)
    wait_until(lambda: session.total == 80 * 4 * KIB + 1000 + 5 * 1000)
    session.choose("Live now")
    wait_until(lambda: session.total == 80 * 4 * KIB + 1000 + 5000)


def test_collect_asks_the_target_and_shows_what_came_of_it(
    session: Session, wait_until: WaitUntil
) -> None:
    QTest.mouseClick(session.page.heap_bar._collect, Qt.MouseButton.LeftButton)
    wait_until(lambda: session.document.status.collected == "collected")
    asked = [said for said in session.engine.sent if said.WhichOneof("message") == "collect"]
    assert len(asked) == 1
    assert "collected" in session.live.status_line._about.text()


def test_the_table_and_the_chart_of_sizes_are_made_after_the_view(
    session: Session, wait_until: WaitUntil
) -> None:
    """All at once are more than a step of the window may take."""
    session.page.show_view("heap")
    view = session.page.tables.heap
    assert view is not None
    assert (view._table._table, view._sizes) == (None, None)
    wait_until(lambda: view._table._table is not None and view._sizes is not None)
    assert view._sizes is not None
    wait_until(lambda: session.document.memory.rowCount() == 1)
    assert view._sizes._title.whole.startswith("Sizes of all")
    assert view._sizes.isVisible()
    view.resize(400, 300)
    assert view._sizes.isHidden()


def test_the_table_of_memory_names_sites_and_sizes(session: Session, wait_until: WaitUntil) -> None:
    page, memory = session.page, session.document.memory
    page.show_view("heap")
    wait_until(lambda: memory.rowCount() == 1)
    assert [memory.index(0, place).data() for place in range(6)] == [
        80 * 4 * KIB + 1000,
        1.0,
        90,
        (80 * 4 * KIB + 1000) // 90,
        "shop.remember",
        "shop.py:3",
    ]
    heap_view = page.tables.heap
    assert heap_view is not None
    wait_until(lambda: heap_view._sizes is not None)
    assert heap_view._sizes is not None
    assert [bar.label for bar in heap_view._sizes._chart._bars.bars][::6] == ["64–128 B", "4–8 KiB"]
    session.choose("Allocated, space")
    wait_until(lambda: memory.rowCount() == 2)
    heap_view.grouping_chosen.emit("functions")
    wait_until(lambda: memory.index(0, 5).data() == "shop.py")
    heap_view.name_activated.emit("json.dumps")
    assert page.view == "flame"
    assert page.search.pattern == r"^json\.dumps$"


def test_a_site_selects_its_function_in_every_view(session: Session, wait_until: WaitUntil) -> None:
    document = session.document
    session.page.show_view("heap")
    heap_view = session.page.tables.heap
    assert heap_view is not None
    wait_until(lambda: heap_view._table._table is not None and document.memory.rowCount() == 1)
    assert document.selection.function == -1
    heap_view._table.choose(0)
    assert document.top.name_of(document.selection.function) == "shop.remember"
    heap_view.clear_selection()
    assert document.selection.function >= 0, "no row is no other function"


def test_another_type_leads_from_the_sites_to_the_functions(
    session: Session, wait_until: WaitUntil
) -> None:
    page = session.page
    page.show_view("heap")
    wait_until(lambda: session.document.memory.rowCount() == 1)
    session.engine.send_samples()
    page.types.activated.emit(0)
    assert page.view == "top"
    wait_until(lambda: "shop.price" in session.names)
    page.show_view("heap")
    wait_until(
        lambda: (
            session.document.info is not None and session.document.info.choice.entry == HEAP_ENTRY
        )
    )
    assert page.view == "heap"


def test_a_key_for_the_table_of_a_type_acts_before_the_type_is_shown(
    session: Session, wait_until: WaitUntil
) -> None:
    page, document = session.page, session.document
    session.engine.send_samples()
    page.types.activated.emit(0)
    wait_until(lambda: "shop.price" in session.names)
    session.app.window.activateWindow()
    assert DETAILS in page.missing
    page.types.activated.emit(HEAP_ENTRY)
    QTest.keyClick(page.flame.graph, Qt.Key.Key_4)
    assert page.view == "heap"
    wait_until(lambda: document.info is not None and document.info.choice.entry == HEAP_ENTRY)
    assert page.view == "heap"
    page.types.activated.emit(0)
    assert "time" not in page.missing, "that is not known yet"
    QTest.keyClick(page.top, Qt.Key.Key_O)
    wait_until(lambda: document.info is not None and document.info.choice.entry == 0)
    wait_until(lambda: page.view == "time")


def test_a_refresh_that_was_under_way_does_not_lead_out_of_the_heaps_view(
    session: Session, wait_until: WaitUntil
) -> None:
    page, document = session.page, session.document
    session.engine.send_samples()
    page.type_chosen.emit(0)
    wait_until(lambda: "shop.price" in session.names)
    late = document.info
    assert late is not None
    page.show_view("heap")
    page.show_info(late)
    assert page.view == "heap"


def test_objects_are_counted_by_type_on_request(session: Session, wait_until: WaitUntil) -> None:
    session.engine.make_census(
        ("shop.Basket", 70, 5600), ("builtins.dict", 900, 99_000), sampled="builtins.str", bucket=0
    )
    page, types = session.page, session.document.types
    page.show_view("heap")
    heap_view = page.tables.heap
    assert heap_view is not None
    heap_view._on_grouping("types")
    type_view = heap_view._types
    assert type_view is not None
    QTest.mouseClick(type_view.button, Qt.MouseButton.LeftButton)
    wait_until(lambda: types.rowCount() == 3)
    rows = [[types.index(row, place).data() for place in range(5)] for row in range(3)]
    assert rows == [
        [300, 3, -1, -1, "builtins.str"],
        [0, 0, 900, 99_000, "builtins.dict"],
        [0, 0, 70, 5600, "shop.Basket"],
    ]
    assert "970 objects counted in 1.20\u00a0s" in type_view.about.text()
    wait_until(lambda: type_view._table._table is not None)
    type_view._table.choose(0)
    bars = type_view._sizes._chart._bars
    assert [(bar.label, bar.value) for bar in bars.bars] == [("shop.remember:3", 300)]


def test_a_heap_that_cannot_be_says_why(attached: Session, wait_until: WaitUntil) -> None:
    attached.engine.heap.problem = "another tool holds the allocators"
    attached.engine.send_heap()
    reported: list[tuple[str, str]] = []
    attached.document.placeholder_changed.connect(lambda *words: reported.append(words))
    attached.page.type_chosen.emit(HEAP_ENTRY)
    wait_until(lambda: bool(reported) and reported[-1][0] == "No heap profile")
    assert reported[-1][1] == "Another tool holds the allocators."
    page = attached.page
    page.show_view("heap")
    heap_view = page.tables.heap
    assert heap_view is not None
    wait_until(lambda: heap_view._table._note is not None)
    empty = heap_view._table._note
    assert empty is not None
    wait_until(lambda: empty._title.text() == "No heap profile")
    assert empty._text.text() == "Another tool holds the allocators."
    wait_until(lambda: empty.isVisibleTo(page))  # its table is shown an event later


@pytest.mark.parametrize("choice", ["everything", "shown"])
def test_saving_writes_the_heap_that_is_looked_at(
    session: Session, wait_until: WaitUntil, tmp_path: Path, choice: Any
) -> None:
    path = tmp_path / "heap.pb.gz"
    session.document.choose_span("All")
    wait_until(lambda: session.document.status.heap is not None)
    assert session.document.is_unsaved
    assert "-heap-" in session.document.saveable.suggest_path()
    assert all("heap" in words for words in session.document.saveable.describe())
    session.document.saver.save(session.document.saveable, str(path), choice)
    notice = session.page.message
    wait_until(lambda: notice.notice is not None and "is saved" in notice.notice.text)
    saved = open_profile(path)
    assert isinstance(saved, Profile)
    in_use = 80 * 4 * KIB + 1000
    assert session.document.is_unsaved == (choice == "shown")
    totals = saved.samples.values.sum(axis=1).tolist()
    assert totals == [1110, 100 * 4 * KIB + 65_000, 90, in_use]
    assert saved.sample_types[saved.default_type].name == "inuse_space"


def test_a_heap_file_has_the_same_switches(
    session: Session, wait_until: WaitUntil, tmp_path: Path
) -> None:
    path = tmp_path / "heap.pb.gz"
    session.document.choose_span("All")
    session.document.saver.save(session.document.saveable, str(path), "everything")
    app = session.app
    wait_until(lambda: path.exists())
    app.open_files((str(path),))
    wait_until(lambda: len(app.documents) == 2)
    page = list(app.documents)[1]
    document = app.documents[page]
    wait_until(lambda: document.scene is not None)
    assert document.scene is not None
    assert document.scene.total == 80 * 4 * KIB + 1000
    assert page.heap_bar.isVisibleTo(page)
    assert not page.types.isVisibleTo(page)
    page.heap_bar.value_chosen.emit(HeapChoice(is_in_use=False, is_space=False))
    wait_until(lambda: document.scene is not None and document.scene.total == 1110)
    page.show_view("heap")
    wait_until(lambda: document.memory.rowCount() == 2)
    assert document.memory.index(0, 5).data() == "json.py:3"


def test_a_file_without_a_heap_has_no_such_view(
    app: App, tmp_path: Path, session: Session, wait_until: WaitUntil
) -> None:
    path = tmp_path / "cpu.pb.gz"
    session.engine.send_samples()
    session.page.type_chosen.emit(0)
    wait_until(lambda: "shop.price" in session.names)
    session.document.saver.save(session.document.saveable, str(path), "everything")
    wait_until(lambda: path.exists())
    app.force_view("heap")
    app.open_files((str(path),))
    wait_until(lambda: len(app.documents) == 2)
    page = list(app.documents)[1]
    wait_until(lambda: app.documents[page].scene is not None)
    assert page.view == "flame"
    assert not page.heap_bar.isVisibleTo(page)
