"""The tabs of the last run, opened again."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from harness.profiles import encode_stacks
from harness.synthetic_engine import WORKER_TID, SyntheticEngine
from harness.window_session import WindowSession, make_target
from stackglass_viewer import captures as composition
from stackglass_viewer.app import App
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.document.flame_scene import anchor_of, find_widest
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.target_process import read_beginning
from stackglass_viewer.presenter.settings.open_tabs import OpenTabs
from stackglass_viewer.presenter.settings.thread_choice import NamePattern, ThreadChoice
from stackglass_viewer.view.dialogs import questions as dialogs

WaitUntil = Callable[[Callable[[], bool]], None]
NOT_MAIN = ThreadChoice(named=NamePattern("^Main", is_excluded=True))
STEPS = (Transform(TransformKind.FOCUS, "load"),)


def _frame(number: int, name: str, children: list[int]) -> dict[str, object]:
    place = {"functionName": name, "scriptId": "1", "url": "a.js", "lineNumber": number}
    return {"id": number, "callFrame": place | {"columnNumber": 0}, "children": children}


TIMED = {
    "nodes": [
        _frame(1, "(root)", [2]),
        _frame(2, "load", [3, 4]),
        _frame(3, "read", []),
        _frame(4, "parse", []),
    ],
    "startTime": 0,
    "endTime": 8000,
    "samples": [3, 3, 3, 3, 4, 4, 4, 4],
    "timeDeltas": [1000] * 8,
}
"""A millisecond a sample: four of read, four of parse."""


@pytest.fixture
def paths(tmp_path: Path) -> tuple[str, ...]:
    made = []
    for name in ("a", "b", "c"):
        path = tmp_path / f"{name}.pb.gz"
        path.write_bytes(encode_stacks("main;load 30\nmain 4"))
        made.append(str(path))
    return tuple(made)


@pytest.fixture
def first(app: App, wait_until: WaitUntil) -> App:
    """A window that remembers its tabs."""
    app.restore_tabs()
    return app


@pytest.fixture
def start(qt: QApplication, settings: QSettings, first: App) -> Iterator[Callable[[], App]]:
    """Close the first window and start another."""
    made: list[App] = []

    def make() -> App:
        first.close()
        again = App(qt, settings, is_quiet=True)
        made.append(again)
        again.window.show()
        again.restore_tabs()
        return again

    yield make
    for each in made:
        each.close()
        each.window.deleteLater()


def list_titles(app: App) -> list[str]:
    pages = sorted(app.documents, key=app.window.place_of)
    return [app.window.title_of(page) for page in pages]


def open_all(app: App, paths: tuple[str, ...], wait_until: WaitUntil) -> None:
    for path in paths:
        app.open_files((path,))
        wait_until(lambda last=path: app.recent.paths[:1] == (last,))  # type: ignore[misc] # bound now
    wait_until(lambda: len(app.pages.restoring.list_records()) == len(paths))


def open_all_more(app: App, paths: tuple[str, ...], wait_until: WaitUntil) -> None:
    """Behind a tab that is there."""
    app.open_files(paths)
    wait_until(lambda: len(app.pages.restoring.list_records()) == 1 + len(paths))


def open_saved_session(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil, folder: Path
) -> LiveDocument:
    """The second tab: a session that the first one has saved as ``shop.sgm``.

    Its memory is known at about 0, 200 and 700 ms.
    """
    engine = SyntheticEngine(os.getpid())
    engine.send_hello()
    session = WindowSession(app, engine, monkeypatch, wait_until)
    engine.send_ready()
    engine.send_samples()
    now_ns = time.monotonic_ns()
    for later_ms in (0, 200, 700):
        engine.send_status(time_ns=now_ns + later_ms * 1_000_000)
    wait_until(lambda: session.document.status.n_samples > 0 and session.total > 0)
    path = str(folder / "shop.sgm")
    monkeypatch.setattr(dialogs.SaveDialog, "exec", lambda _dialog: 1)
    monkeypatch.setattr(dialogs, "ask_save_path", lambda *_: path)
    app.window.save_requested.emit()
    wait_until(lambda: app.recent.paths == (path,))
    app.open_files((path,))
    wait_until(lambda: len(app.documents) == 2)
    document = list(app.documents.values())[1]
    assert isinstance(document, LiveDocument)
    wait_until(lambda: document.scene is not None)
    return document


def test_tabs_come_back_as_they_were(
    first: App, start: Callable[[], App], paths: tuple[str, ...], wait_until: WaitUntil
) -> None:
    open_all(first, paths, wait_until)
    second = list(first.documents)[1]
    first.window.show_page(second)
    second.show_view("top")
    first.documents[second].transforms.choose(STEPS)
    again = start()
    wait_until(lambda: list_titles(again) == ["a.pb.gz", "b.pb.gz", "c.pb.gz"])
    wait_until(lambda: again.window.windowTitle().startswith("b.pb.gz"))
    wait_until(lambda: again.window.page is not None and again.window.page.view == "top")
    page = again.window.page
    assert page is not None
    assert again.window.title_of(page) == "b.pb.gz"
    assert again.documents[page].transforms.chosen == STEPS


def test_a_sum_of_files_comes_back(
    first: App, start: Callable[[], App], paths: tuple[str, ...], wait_until: WaitUntil
) -> None:
    first.sum_files(paths[:2])
    wait_until(lambda: len(first.pages.restoring.list_records()) == 1)
    open_all_more(first, paths[2:], wait_until)
    again = start()
    wait_until(lambda: list_titles(again) == ["a.pb.gz + b.pb.gz", "c.pb.gz"])
    summed = next(iter(again.documents.values()))
    wait_until(lambda: summed.scene is not None)
    assert summed.scene is not None
    assert summed.scene.whole == 2 * 34


def test_a_sum_of_which_a_file_is_gone_is_named(
    first: App, start: Callable[[], App], paths: tuple[str, ...], wait_until: WaitUntil
) -> None:
    first.sum_files(paths[:2])
    wait_until(lambda: len(first.pages.restoring.list_records()) == 1)
    open_all_more(first, paths[2:], wait_until)
    Path(paths[1]).unlink()
    again = start()
    wait_until(lambda: list_titles(again) == ["c.pb.gz"])
    wait_until(lambda: again.window.message.notice is not None)
    notice = again.window.message.notice
    assert notice is not None
    assert notice.text == "Gone, so not opened again: b.pb.gz."


def test_what_was_chosen_last_is_kept_by_a_program_that_is_killed(
    first: App, settings: QSettings, paths: tuple[str, ...], wait_until: WaitUntil
) -> None:
    open_all(first, paths[:1], wait_until)
    first.pages.restoring.store()
    (page,) = first.documents
    page.show_view("top")
    first.documents[page].transforms.choose(STEPS)
    (kept,) = OpenTabs(settings).read()
    assert (kept.view, kept.transforms) == ("flame", ())
    regular = first.pages.restoring._regular
    assert regular.isActive()
    regular.timeout.emit()
    (kept,) = OpenTabs(settings).read()
    assert (kept.view, kept.transforms) == ("top", STEPS)
    settings.clear()
    regular.timeout.emit()
    assert OpenTabs(settings).read() == (), "nothing was written, as nothing has changed"


@pytest.mark.parametrize(
    ("chosen", "kept"),
    [
        # The other one is in no file.
        (ThreadChoice(frozenset({WORKER_TID, 999_999_999})), ThreadChoice(frozenset({WORKER_TID}))),
        (NOT_MAIN, NOT_MAIN),
    ],
    ids=["one by one", "by a pattern"],
)
def test_a_session_comes_back_with_its_span_and_threads(
    chosen: ThreadChoice,
    kept: ThreadChoice,
    first: App,
    start: Callable[[], App],
    monkeypatch: pytest.MonkeyPatch,
    wait_until: WaitUntil,
    tmp_path: Path,
) -> None:
    document = open_saved_session(first, monkeypatch, wait_until, tmp_path)
    assert document.span != "1 min"
    document.span_wanted.emit("1 min")
    document.threads.restore(chosen)
    wait_until(lambda: len(first.pages.restoring.list_records()) == 2)
    again = start()
    wait_until(lambda: list_titles(again) == ["shop.sgm"])
    (back,) = again.documents.values()
    assert isinstance(back, LiveDocument)
    wait_until(lambda: (back.span, back.threads.chosen) == ("1 min", frozenset({WORKER_TID})))
    wait_until(lambda: back.scene is not None and back.tids == frozenset({WORKER_TID}))
    assert back.threads.choice == kept


def test_nothing_is_remembered_after_the_end(first: App) -> None:
    restoring = first.pages.restoring
    first.close()
    timers = (restoring._timer, restoring._regular, restoring._held)
    assert not any(timer.isActive() for timer in timers)


def test_the_markers_of_a_session_come_back(
    first: App,
    start: Callable[[], App],
    monkeypatch: pytest.MonkeyPatch,
    wait_until: WaitUntil,
    tmp_path: Path,
) -> None:
    document = open_saved_session(first, monkeypatch, wait_until, tmp_path)
    before = document.timeline.markers
    before.choose_growth(30, 60)
    wait_until(lambda: before.marks.a != 30 and before.marks.b != 60)  # at known moments
    wait_until(lambda: len(first.pages.restoring.list_records()) == 2)
    kept = first.pages.restoring.list_records()[1].growth
    again = start()
    wait_until(lambda: list_titles(again) == ["shop.sgm"])
    (back,) = again.documents.values()
    assert isinstance(back, LiveDocument)
    markers = back.timeline.markers
    wait_until(lambda: markers.marks.mode == "growth")
    assert kept == (markers.marks.a, markers.marks.b)


def test_a_process_that_was_attached_to_is_offered_no_more(
    first: App,
    start: Callable[[], App],
    monkeypatch: pytest.MonkeyPatch,
    wait_until: WaitUntil,
) -> None:
    engine = SyntheticEngine(os.getpid())
    monkeypatch.setattr(composition, "connect_engine", lambda _pid, _hz: engine)
    document = first.attach(make_target(os.getpid()))
    engine.send_ready()
    wait_until(lambda: document.status.phase == "running" and first.window.page is not None)
    again = start()
    assert again.window.message.notice is not None
    again.attach(make_target(os.getpid()))
    wait_until(lambda: again.window.page is not None)
    wait_until(lambda: again.window.message.notice is None)


def test_files_that_are_gone_are_one_line(
    first: App, start: Callable[[], App], paths: tuple[str, ...], wait_until: WaitUntil
) -> None:
    open_all(first, paths, wait_until)
    for path in paths[:2]:
        os.unlink(path)
    again = start()
    wait_until(lambda: again.window.message.notice is not None)
    notice = again.window.message.notice
    assert notice is not None
    assert notice.text == "Gone, so not opened again: a.pb.gz, b.pb.gz."
    assert list_titles(again) == ["c.pb.gz"]


def test_a_process_that_still_runs_is_offered(
    first: App,
    start: Callable[[], App],
    monkeypatch: pytest.MonkeyPatch,
    wait_until: WaitUntil,
) -> None:
    engine = SyntheticEngine(os.getpid())
    monkeypatch.setattr(composition, "connect_engine", lambda _pid, _hz: engine)
    document = first.attach(make_target(os.getpid()))
    engine.send_ready()
    wait_until(lambda: document.status.phase == "running" and first.window.page is not None)
    again = start()
    notice = again.window.message.notice
    assert notice is not None
    assert notice.text == f"Still running since the last session: shop.py {os.getpid()}."
    assert not again.documents
    again.window.message.action_requested.emit(notice.action)
    wait_until(lambda: len(again.documents) == 1)


def test_another_process_of_the_same_pid_is_not_offered(
    first: App, start: Callable[[], App], settings: QSettings
) -> None:
    record = {"path": "", "pid": os.getpid(), "began": "boot 1", "title": "shop", "view": "flame"}
    record |= {"type": ["cpu", "nanoseconds"], "transforms": [], "labels": [], "front": True}
    assert read_beginning(os.getpid()) != "boot 1"
    first.pages.restoring.store()
    settings.setValue("open_tabs", json.dumps([record]))
    assert OpenTabs(settings).read()
    other = App(first._qt, settings, is_quiet=True)
    other.restore_tabs()
    assert other.window.message.notice is None
    other.close()


def test_it_can_be_turned_off(
    first: App, start: Callable[[], App], paths: tuple[str, ...], wait_until: WaitUntil
) -> None:
    open_all(first, paths[:1], wait_until)
    first.window.setting_chosen.emit("start", "nothing")
    assert not start().loader.is_busy


def test_a_window_for_certain_files_changes_nothing(
    app: App, settings: QSettings, paths: tuple[str, ...], wait_until: WaitUntil
) -> None:
    """It opens nothing of the last run, and does not remember its own."""
    open_all(app, paths[:1], wait_until)
    app.pages.restoring.store()
    assert OpenTabs(settings).read() == ()


def test_a_brushed_span_comes_back(
    first: App,
    start: Callable[[], App],
    tmp_path: Path,
    wait_until: WaitUntil,
) -> None:
    """Of a file whose samples have times."""
    path = tmp_path / "timed.cpuprofile"
    path.write_text(json.dumps(TIMED))
    first.open_files((str(path),))
    wait_until(lambda: len(first.pages.restoring.list_records()) == 1)
    (document,) = first.documents.values()
    wait_until(lambda: document.scene is not None)
    document.brush.choose((1_000_000, 6_000_000))
    again = start()
    wait_until(lambda: len(again.documents) == 1)
    (shown,) = again.documents.values()
    wait_until(lambda: shown.brush.chosen == (1_000_000, 6_000_000))
    wait_until(lambda: shown.scene is not None and shown.scene.total == 5_000_000)


def test_the_zoom_comes_back(
    first: App, start: Callable[[], App], tmp_path: Path, wait_until: WaitUntil
) -> None:
    """Of the graph with all filters: each of them has a build of its own."""
    path = tmp_path / "timed.cpuprofile"
    path.write_text(json.dumps(TIMED))
    first.open_files((str(path),))
    wait_until(lambda: len(first.pages.restoring.list_records()) == 1)
    ((page, document),) = first.documents.items()
    wait_until(lambda: document.scene is not None)
    document.brush.choose((1_000_000, 6_000_000))
    document.transforms.choose(STEPS)
    document.builds.when_shown(lambda: page.graphs.camera.navigation.show(0.6, 1.0, 0.0))
    wait_until(lambda: page.graphs.camera.is_zoomed)
    again = start()
    wait_until(lambda: len(again.documents) == 1)
    ((shown_page, shown),) = again.documents.items()
    camera = shown_page.graphs.camera
    wait_until(lambda: camera.is_zoomed)
    assert shown.scene is not None
    assert shown.scene.total == 5_000_000
    view = camera.navigation.view
    assert (view.left, view.right) == pytest.approx((0.6, 1.0))
    assert anchor_of(shown.scene, view.left, view.right) == find_widest(
        shown.scene, shown.scene.tree.frame_name.index("parse")
    )
