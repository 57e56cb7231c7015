"""Tabs of the last run that cannot be opened again, or are not to be."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings, QTimer
from PySide6.QtWidgets import QApplication

from harness.profiles import encode_stacks
from harness.synthetic_engine import SyntheticEngine
from harness.window_session import make_target
from stackglass_viewer import captures
from stackglass_viewer.app import App
from stackglass_viewer.presenter.live.target_process import read_beginning
from stackglass_viewer.restoring import RECONNECT
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
REST = {
    "view": "flame",
    "type": ["cpu", "nanoseconds"],
    "transforms": [],
    "labels": [],
    "front": True,
}


@pytest.fixture
def paths(settings: QSettings, tmp_path: Path) -> list[Path]:
    """Three files; the last run had them and this process open."""
    paths = [tmp_path / f"{name}.pb.gz" for name in ("a", "b", "c")]
    for path in paths:
        path.write_bytes(encode_stacks("main;load 30"))
    files = [
        {"path": str(path), "pid": 0, "began": "", "title": path.name} | REST for path in paths
    ]
    process = {"path": "", "pid": os.getpid(), "title": "shop.py"} | REST
    process |= {"began": read_beginning(os.getpid())}
    settings.setValue("open_tabs", json.dumps([*files, process]))
    return paths


@pytest.fixture
def start(qt: QApplication, settings: QSettings, paths: list[Path]) -> Iterator[Callable[[], App]]:
    made: list[App] = []

    def make() -> App:
        app = App(qt, settings, is_quiet=True)
        made.append(app)
        app.window.show()
        app.restore_tabs()
        return app

    yield make
    for each in made:
        each.close()
        each.window.deleteLater()


def read_lines(app: App) -> list[str]:
    notice = app.window.message.notice
    return notice.text.splitlines() if notice is not None else []


def test_files_that_cannot_be_read_are_named_once_all_are_open(
    start: Callable[[], App], paths: list[Path], wait_until: WaitUntil
) -> None:
    """The tabs that are opened after them do not hide the error."""
    paths[0].write_bytes(b"")
    app = start()
    wait_until(lambda: len(app.window.pages) == 2)
    wait_until(lambda: len(read_lines(app)) == 2)
    failed, running = read_lines(app)
    assert "a.pb.gz" in failed
    assert running == "Still running since the last session: shop.py."
    assert app.window.message.notice is not None
    assert app.window.message.notice.tone == "error"
    assert app.window.message.notice.action_label == "Attach again"


def test_tabs_after_a_file_that_has_become_a_folder_are_opened(
    start: Callable[[], App], paths: list[Path], wait_until: WaitUntil
) -> None:
    """Its profiles were opened, and then nothing more was, nor remembered for the next run."""
    paths[1].unlink()
    paths[1].mkdir()
    (paths[1] / "inner.pb.gz").write_bytes(encode_stacks("main;load 30"))
    app = start()
    wait_until(lambda: len(app.window.pages) == 3)
    titles = [app.windows.title_of(page) for page in app.window.pages]
    assert sorted(titles) == ["a.pb.gz", "c.pb.gz", "inner.pb.gz"]
    wait_until(lambda: bool(read_lines(app)))
    assert read_lines(app) == ["Still running since the last session: shop.py."]


def test_tabs_after_one_that_is_closed_while_it_is_opened_are_opened(
    start: Callable[[], App], wait_until: WaitUntil
) -> None:
    closed: list[str] = []

    def close_first(page: ProfilePage | None) -> None:
        if page is not None and not closed:
            closed.append(app.windows.title_of(page))
            # The user's click comes before the last steps in which the tab is made.
            QTimer.singleShot(0, page, lambda: app.windows.page_close_requested.emit(page))

    app = start()
    app.windows.current_changed.connect(close_first)
    wait_until(lambda: len(app.window.pages) == 2 and bool(read_lines(app)))
    assert closed == ["a.pb.gz"]
    assert [app.windows.title_of(page) for page in app.window.pages] == ["b.pb.gz", "c.pb.gz"]


def test_names_of_files_that_are_gone_are_safe_to_show(
    start: Callable[[], App], settings: QSettings, wait_until: WaitUntil
) -> None:
    path = "/nowhere/a\n\u202eb.pb.gz"
    row = {"path": path, "pid": 0, "began": "", "title": "a"} | REST
    settings.setValue("open_tabs", json.dumps([row]))
    app = start()
    wait_until(lambda: bool(read_lines(app)))
    assert read_lines(app) == ["Gone, so not opened again: a\ufffd\ufffdb.pb.gz."]


@pytest.mark.parametrize("way", ["offer", "menu", "dismissed"])
def test_errors_stay_when_the_user_attaches_again(
    start: Callable[[], App],
    paths: list[Path],
    wait_until: WaitUntil,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
) -> None:
    """They went with the offer to attach. A notice that was dismissed does not come back."""
    paths[0].write_bytes(b"")
    paths[1].unlink()
    app = start()
    wait_until(lambda: len(read_lines(app)) == 3)
    gone, failed, _running = read_lines(app)
    engine = SyntheticEngine(os.getpid())
    monkeypatch.setattr(captures, "connect_engine", lambda _pid, _hz: engine)
    if way == "dismissed":
        app.window.show_notice(None)
    if way == "offer":
        app.window.message.action_requested.emit(RECONNECT)
    else:
        app.attach(make_target(os.getpid(), 100))
    wait_until(lambda: len(app.window.pages) == 2)
    engine.send_ready()
    wait_until(lambda: all(document.info is not None for document in app.documents.values()))
    assert read_lines(app) == ([] if way == "dismissed" else [gone, failed])
    notice = app.window.message.notice
    assert notice is None or (notice.tone, notice.action) == ("error", "")


def test_processes_are_offered_if_opening_files_is_cancelled(start: Callable[[], App]) -> None:
    app = start()
    app.window.loading.cancel_requested.emit()
    assert read_lines(app) == ["Still running since the last session: shop.py."]
    assert not app.pages.restoring._coming


@pytest.mark.parametrize("is_dismissed", [False, True])
def test_an_offer_that_was_neither_taken_nor_dismissed_is_made_again(
    start: Callable[[], App], paths: list[Path], wait_until: WaitUntil, is_dismissed: bool
) -> None:
    """It was lost with the first store of the tabs that were open instead."""
    offer = "Still running since the last session: shop.py."
    app = start()
    wait_until(lambda: len(app.documents) == len(paths) and read_lines(app) == [offer])
    if is_dismissed:
        app.window.message.dismiss()
    app.close()
    again = start()
    wait_until(lambda: len(again.documents) == len(paths))
    wait_until(lambda: not again.pages.restoring._coming)
    assert read_lines(again) == ([] if is_dismissed else [offer])


def test_filters_that_cannot_be_applied_are_none(
    settings: QSettings, paths: list[Path], start: Callable[[], App], wait_until: WaitUntil
) -> None:
    """Edited by hand, or of a machine that has google-re2, and this one has not: the others alone
    would show something else."""
    whole, broken = (
        {"path": str(path), "pid": 0, "began": "", "title": path.name}
        | REST
        | {"transforms": [["focus", "load"]], "labels": labels}
        for path, labels in zip(paths, ([], [["key", "(", False]]), strict=False)
    )
    settings.setValue("open_tabs", json.dumps([whole, broken]))
    app = start()
    wait_until(lambda: len(app.documents) == 2)
    one, two = app.documents.values()
    wait_until(lambda: bool(one.transforms.chosen))
    wait_until(lambda: two.info is not None)
    assert (two.transforms.chosen, two.labels.chosen) == ((), frozenset())
