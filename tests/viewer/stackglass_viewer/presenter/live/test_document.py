"""The tab of a process, without its page."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from harness.saved_profile import SavedProfile
from harness.synthetic_engine import MAIN_TID, WORKER_TID, SyntheticEngine
from harness.window_session import make_target
from stackglass.wire.contention_kinds import ContentionKind
from stackglass.wire.rates import Rates
from stackglass_viewer.model.heap.diff import HeapWindow
from stackglass_viewer.model.live.view import WALL
from stackglass_viewer.model.proto.wire_pb2 import CustomProfiles, FromEngine
from stackglass_viewer.presenter.document.flame_scene import FlameScene, name_of
from stackglass_viewer.presenter.document.sources import Built
from stackglass_viewer.presenter.live.contention_empty_state import Remedy
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.document_titles import title_document
from stackglass_viewer.presenter.live.texts import ATTACH_AGAIN
from stackglass_viewer.presenter.settings.contention_texts import ContentionBarState
from stackglass_viewer.presenter.settings.heap_texts import HeapBarState
from stackglass_viewer.presenter.settings.palettes import GraphStyle, choose_palette
from stackglass_viewer.presenter.settings.thread_choice import ALL_THREADS
from stackglass_viewer.presenter.settings.view_state import Notice

WaitUntil = Callable[[Callable[[], bool]], None]
PID = os.getpid()


@pytest.fixture
def engine() -> SyntheticEngine:
    made = SyntheticEngine(PID)
    made.send_hello()
    return made


@pytest.fixture
def document(qt: QApplication, engine: SyntheticEngine) -> Iterator[LiveDocument]:
    style = GraphStyle("cost", choose_palette("module", False))
    made = LiveDocument(make_target(PID), lambda _pid, _hz: engine, style, "10 s")
    yield made
    made.leave()
    made.wait()
    made.deleteLater()


@pytest.fixture
def busy(document: LiveDocument, engine: SyntheticEngine, wait_until: WaitUntil) -> LiveDocument:
    document.start()
    engine.send_ready()
    engine.send_samples()
    engine.send_status()
    wait_until(lambda: "shop.serve" in list_names(document.scene))
    return document


def list_names(scene: FlameScene | None) -> set[str]:
    if scene is None:
        return set()
    return {name_of(scene, node) for node in scene.layout.node.tolist()}


def test_the_title_is_the_program_and_its_pid(
    document: LiveDocument, busy: LiveDocument, wait_until: WaitUntil
) -> None:
    assert document.title == f"shop.py {PID}"
    wait_until(lambda: document.status.n_samples == 4)
    assert document.is_unsaved


def test_a_phase_is_one_notice(
    busy: LiveDocument, engine: SyntheticEngine, wait_until: WaitUntil
) -> None:
    notices: list[Notice] = []
    again: list[None] = []
    busy.notice_changed.connect(notices.append)
    busy.attach_again_requested.connect(lambda: again.append(None))
    busy.capture.detach()
    wait_until(lambda: busy.status.phase == "detached")
    assert [notice.text for notice in notices] == ["Detached. The process continues as before."]
    busy.take_action(notices[0].action)
    assert notices[0].action == ATTACH_AGAIN
    assert again == [None]


def test_a_thread_filter_that_hides_all_samples_is_named(
    busy: LiveDocument, engine: SyntheticEngine, wait_until: WaitUntil
) -> None:
    """The process uses the CPU; only the chosen thread does not."""
    notices: list[Notice | None] = [None]
    busy.notice_changed.connect(notices.append)
    busy.clear()
    wait_until(lambda: "shop.serve" not in list_names(busy.scene))
    engine.send_samples(((WORKER_TID, ("__main__.main", "shop.clerk")),))
    wait_until(lambda: "shop.clerk" in list_names(busy.scene))
    engine.send_threads()
    busy.threads.choose(frozenset({MAIN_TID}))
    wait_until(lambda: notices[-1] is not None)
    assert notices[-1] is not None
    assert "by MainThread; the filter hides all other threads" in notices[-1].text
    busy.threads.restore(ALL_THREADS)
    wait_until(lambda: notices[-1] is None)


def test_a_filter_for_a_state_is_named_where_wall_samples_are_shown(busy: LiveDocument) -> None:
    """It has no effect on other samples."""
    busy.labels.choose(frozenset({("state", "lock")}))
    assert busy._scope.labels == ""
    busy.choose_type(WALL)
    assert busy._scope.labels == "state = lock"


def test_a_tab_that_is_not_looked_at_shows_its_status_when_it_is(
    busy: LiveDocument, engine: SyntheticEngine, wait_until: WaitUntil
) -> None:
    shown: list[int] = []
    titles: list[str] = []
    busy.status_changed.connect(lambda status: shown.append(status.n_samples))
    busy.title_changed.connect(titles.append)
    busy.set_front(False)
    before = busy.status.n_samples
    engine.send_samples()
    engine.send_status()
    wait_until(lambda: busy.status.n_samples > before)
    assert not shown
    assert titles
    busy.set_front(True)
    assert shown == [busy.status.n_samples]
    busy.set_front(True)
    assert len(shown) == 1, "nothing is new"


def test_a_refresh_waits_after_a_build_that_took_long(
    busy: LiveDocument, engine: SyntheticEngine, wait_until: WaitUntil
) -> None:
    built: list[Built] = []
    busy.built.connect(built.append)
    wait_until(lambda: not busy.is_building)
    busy.build()
    wait_until(lambda: bool(built))
    assert built[-1].cpu_s > 0
    busy._refresh.stop()  # what it does is done here
    wait_until(lambda: busy.builds.is_settled)
    busy._pace.rest(1000.0)
    busy._is_stale = True
    busy._on_refresh()
    assert busy.builds.is_settled
    busy.set_front(True)
    assert not busy.builds.is_settled


def test_the_span_bounds_what_is_shown_and_what_is_saved(
    busy: LiveDocument, wait_until: WaitUntil
) -> None:
    assert busy.saveable.plan.span_ns == 10_000_000_000
    busy.timeline.markers.choose_span(120, 340)
    assert busy.saveable.plan.between == (120, 340)
    busy.timeline.markers.choose_mode("now")
    assert busy.saveable.plan.between is None
    busy.choose_span("All")
    assert busy.saveable.plan.span_ns is None
    assert Path(busy.saveable.suggest_path()).name.startswith(f"shop-{PID}-")
    assert busy.saveable.suggest_path().endswith(".pb.gz")
    assert title_document(busy) == f"shop.py {PID}", "pictures and exports are named by it"


def test_saving_everything_is_what_counts(
    busy: LiveDocument, wait_until: WaitUntil, tmp_path: Path
) -> None:
    wait_until(lambda: busy.status.n_samples == 4)
    notices: list[Notice] = []
    busy.notice_changed.connect(notices.append)
    for choice, is_unsaved in (("shown", True), ("everything", False)):
        n_before = len(notices)
        busy.saver.save(busy.saveable, str(tmp_path / f"{choice}.pb.gz"), choice)  # type: ignore[arg-type] # of a loop
        wait_until(lambda n=n_before: len(notices) > n)  # type: ignore[misc] # bound now
        assert "is saved" in notices[-1].text
        assert busy.is_unsaved == is_unsaved


def test_what_cannot_be_saved_is_an_error(busy: LiveDocument, wait_until: WaitUntil) -> None:
    notices: list[Notice] = []
    busy.notice_changed.connect(notices.append)
    busy.saver.save(busy.saveable, "/nowhere/at/all.pb.gz", "everything")
    wait_until(lambda: bool(notices))
    assert notices[-1].tone == "error"


def test_a_paused_view_catches_up_when_it_goes_on(
    busy: LiveDocument, engine: SyntheticEngine, wait_until: WaitUntil
) -> None:
    busy.pause(True)
    wait_until(lambda: busy._held.moment is not None and not busy.is_building)
    arrived: list[None] = []
    busy.capture.data_arrived.connect(lambda: arrived.append(None))
    engine.send_samples(((MAIN_TID, ("__main__.late",)),))
    wait_until(lambda: bool(arrived))
    busy._on_refresh()
    assert not busy.is_building
    busy.pause(False)
    wait_until(lambda: "__main__.late" in list_names(busy.scene))


@pytest.mark.parametrize("span", ["10 s", "All"])
def test_what_is_chosen_while_paused_shows_the_moment_of_the_pause(
    busy: LiveDocument, engine: SyntheticEngine, wait_until: WaitUntil, span: str
) -> None:
    """The capture goes on; a view, a theme or a filter is no reason to show what came later."""
    busy.choose_span(span)
    busy.pause(True)
    wait_until(lambda: busy._held.find_window(busy._request(), None) is not None)
    engine.send_samples(((MAIN_TID, ("__main__.late",)),), unit=500)
    engine.send_status()
    wait_until(lambda: busy.status.n_samples == 5)
    built: list[Built] = []
    busy.built.connect(built.append)

    def check(choose: Callable[[], None]) -> None:
        n_before = len(built)
        choose()
        wait_until(lambda: len(built) > n_before and not busy.is_building)
        assert "shop.serve" in list_names(busy.scene)
        assert "__main__.late" not in list_names(busy.scene)

    check(lambda: busy.choose_style(GraphStyle("name", choose_palette("safe", True))))
    check(lambda: busy.threads.choose(frozenset((MAIN_TID,))))
    check(lambda: busy.choose_span("1 min"))
    assert busy._request().times_until == busy._held.moment is not None, "for Over time"
    busy.pause(False)
    assert busy._request().times_until is None
    wait_until(lambda: "__main__.late" in list_names(busy.scene))


def test_growth_since_a_marker_ends_at_the_pause(busy: LiveDocument, wait_until: WaitUntil) -> None:
    busy.timeline.markers.choose_growth(0, None)
    assert busy._request().window == HeapWindow("growth", 0, None)
    busy.pause(True)
    wait_until(lambda: busy._held.moment is not None)
    assert busy._request().window == HeapWindow("growth", 0, busy._held.moment)
    busy.timeline.markers.choose_growth(0, 1)
    assert busy._request().window == HeapWindow("growth", 0, 1)
    busy.timeline.markers.choose_growth(0, None)
    busy.pause(False)
    assert busy._request().window == HeapWindow("growth", 0, None)


def test_what_is_cleared_while_paused_does_not_come_back(
    busy: LiveDocument, wait_until: WaitUntil
) -> None:
    busy.pause(True)
    wait_until(lambda: busy._held.find_window(busy._request(), None) is not None)
    busy.clear()
    wait_until(lambda: "shop.serve" not in list_names(busy.scene))
    busy.pause(False)
    wait_until(lambda: not busy.is_building)
    assert "shop.serve" not in list_names(busy.scene)


def test_contention_opens_on_what_is_recorded_and_stays_there(
    qt: QApplication, engine: SyntheticEngine
) -> None:
    """What is recorded later does not change the kind under the user's eyes."""
    style = GraphStyle("cost", choose_palette("module", False))
    target = make_target(PID, contention=Rates(mutex_fraction=1))
    made = LiveDocument(target, lambda _pid, _hz: engine, style, "10 s")
    kinds: list[ContentionKind | None] = []
    made.contention.value_chosen.connect(lambda value: kinds.append(value.kind))
    made.contention.show_table(True)  # before the capture starts, as --view does
    made._follow_status(replace(made.status, rates=Rates(block_rate_ns=1)))
    assert kinds == [ContentionKind.MUTEX]
    assert made.contention.value.kind is ContentionKind.MUTEX
    made.leave()
    made.wait()
    made.deleteLater()


@pytest.mark.parametrize(
    ("rates", "kind"),
    [
        (Rates(gil_hz=100), ContentionKind.GIL),
        (Rates(mutex_fraction=1, gil_hz=100), ContentionKind.MUTEX),
    ],
)
def test_contention_follows_the_rates_until_it_is_shown(
    document: LiveDocument, rates: Rates, kind: ContentionKind
) -> None:
    document._follow_status(replace(document.status, rates=rates))
    assert document.contention.value.kind is kind


def test_what_was_chosen_does_not_jump_back(
    busy: LiveDocument, engine: SyntheticEngine, wait_until: WaitUntil
) -> None:
    """A status comes five times a second, and may do so before what was chosen is built."""
    bars: list[ContentionBarState | None] = []
    heaps: list[HeapBarState | None] = []
    busy.bars.contention_changed.connect(bars.append)
    busy.bars.heap_changed.connect(heaps.append)
    busy.contention.choose_kind(ContentionKind.BLOCK)
    wait_until(lambda: bool(bars) and bars[-1] is not None)
    busy.contention.choose_kind(ContentionKind.GIL)
    busy._show_bars()  # as a status does
    assert [bar.kind for bar in bars if bar is not None][-1] is ContentionKind.GIL
    busy.heap.choose_measure(is_in_use=True, is_space=True)
    wait_until(lambda: bool(heaps) and heaps[-1] is not None)
    busy.heap.choose_measure(is_in_use=False, is_space=None)
    busy._show_bars()
    assert [bar.is_in_use for bar in heaps if bar is not None][-1] is False


def test_remedies_change_what_they_name(busy: LiveDocument) -> None:
    spans: list[str] = []
    busy.span_wanted.connect(spans.append)
    busy.contention.choose_lock(3)
    busy.labels.choose_only(("route", "/a"))
    busy.take_remedy(Remedy("unfilter", "Drop"))
    assert busy.contention.wanted.lock == -1
    assert not busy.labels.chosen
    busy.take_remedy(Remedy("all", "Show all"))
    assert spans == ["All"]


def test_the_entries_of_the_list_are_those_that_are_shown(
    busy: LiveDocument, engine: SyntheticEngine, wait_until: WaitUntil, tmp_path: Path
) -> None:
    """A profile that the program has just made moves heap and contention down; it is saved by
    itself."""
    message = CustomProfiles(
        profile_name=["app/open 1"], row=[0], row_profile=[0], row_node=[1], row_count=[3]
    )
    engine.send_again(FromEngine(custom_profiles=message).SerializeToString())
    wait_until(lambda: busy.info is not None and len(busy.info.choice.entries) == 7)
    for entry, is_custom in ((4, True), (5, False)):
        busy.choose_entry(entry)
        wait_until(lambda entry=entry: busy.info.choice.entry == entry)  # type: ignore[misc, union-attr] # bound now
        assert busy.info is not None
        assert (busy.info.choice.custom == "app/open 1") == is_custom
        assert (busy.info.choice.heap is None) == is_custom
    busy.choose_entry(4)
    wait_until(lambda: busy.saveable.plan.custom == "app/open 1")
    assert Path(busy.saveable.suggest_path()).name.startswith(f"shop-{PID}-app_open_1-")
    texts: list[str] = []
    busy.saver.saved.connect(texts.append)
    path = tmp_path / "open.pb.gz"
    busy.saver.save(busy.saveable, str(path), "everything")
    wait_until(lambda: bool(texts))
    assert texts == ["The profile app/open 1 is saved: 3 values in open.pb.gz"]
    saved = SavedProfile.read(path)
    assert saved.sample_types == ["app/open 1/count"]
    assert [row.values for row in saved.rows] == [[3]]


def test_boxes_keep_their_places_only_in_what_follows_the_process(
    busy: LiveDocument, wait_until: WaitUntil
) -> None:
    """What is paused, or asked for, stands exactly by cost."""
    subjects: list[object] = []
    busy.built.connect(lambda _: subjects.append(busy._request().placed_for))

    def build(do: Callable[[], None]) -> object:
        n_before = len(subjects)
        do()
        wait_until(lambda: len(subjects) > n_before and not busy.is_building)
        return subjects[-1]

    first = build(busy.build)
    assert first is not None
    assert build(busy.build) == first
    anew = build(busy.placing.begin_anew)
    assert anew not in (None, first)
    assert build(lambda: busy.threads.choose(frozenset((MAIN_TID,)))) not in (None, anew)
    busy.pause(True)
    assert build(busy.build) is None
    busy.placing.begin_anew()
    assert not busy.is_building, "nothing moves while it is paused"
