"""The window, attached to a process and its children."""

from __future__ import annotations

import gc
import os
import signal
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QComboBox, QLineEdit, QToolButton

from harness.forking_server import Server, run_server
from harness.synthetic_engine import SyntheticEngine
from harness.window_session import make_target
from stackglass_viewer import captures, exports, families
from stackglass_viewer.app import App
from stackglass_viewer.model.live.view import CPU
from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_profile
from stackglass_viewer.presenter.document.flame_scene import name_of
from stackglass_viewer.presenter.live.attaching import find_python_processes
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.presenter.live.family import Family
from stackglass_viewer.presenter.live.group_document import GroupDocument
from stackglass_viewer.presenter.live.target_process import is_running
from stackglass_viewer.presenter.settings.view_state import ProcessRow
from stackglass_viewer.view.capture.group_bar import GroupBar

pytestmark = [pytest.mark.gui, pytest.mark.attach]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with run_server(tmp_path) as server:
        yield server


def list_tabs(app: App) -> list[str]:
    tabs = app.window.tabs
    return [tabs.tabText(index) for index in range(tabs.count())]


def find_group(app: App) -> GroupDocument | None:
    found = [each for each in app.documents.values() if isinstance(each, GroupDocument)]
    return found[0] if found else None


def find_document(app: App, pid: int) -> LiveDocument:
    (found,) = [
        document
        for document in app.documents.values()
        if isinstance(document, LiveDocument) and document.title.endswith(f"server.py {pid}")
    ]
    return found


def show_group(app: App, wait_until: Any) -> None:
    """Once all tabs are whole: the first one comes to the front as its last step."""
    captures = [each for each in app.documents.values() if isinstance(each, LiveDocument)]
    wait_until(lambda: all(each.status.phase == "running" for each in captures))
    (page,) = [page for page, each in app.documents.items() if isinstance(each, GroupDocument)]
    app.window.show_page(page)


def list_names(app: App) -> set[str]:
    """Functions in the graph of all processes."""
    group = find_group(app)
    scene = group.scene if group is not None else None
    if scene is None:
        return set()
    return {name_of(scene, int(node)).rpartition(".")[2] for node in scene.layout.node}


def test_children_have_tabs_and_one_together(app: App, server: Server, wait_until: Any) -> None:
    """Those that are there and those that come; the tab that is looked at stays in front."""
    pid, (first, second) = server.process.pid, server.children
    app.attach(make_target(pid, 250), has_children=True)
    wanted = {f"server.py {pid}", f"└ fork {first}", f"└ fork {second}"}
    wait_until(lambda: set(list_tabs(app)) == wanted | {f"server.py {pid} and 2 children"})
    page = app.window.page
    assert page is not None
    assert app.documents[page] is find_document(app, pid)

    (whole,) = [page for page, each in app.documents.items() if isinstance(each, GroupDocument)]
    assert whole.group is not None
    wait_until(lambda: read_texts(whole.group) == ("● Live", "all attached"))
    third = server.ask("fork")
    wait_until(lambda: f"└ fork {third}" in list_tabs(app))
    assert f"server.py {pid} and 3 children" in list_tabs(app)
    show_group(app, wait_until)
    wait_until(lambda: "spin_in_child" in list_names(app))
    group = find_group(app)
    assert group is not None
    group.labels.show_table(True)
    group.labels.choose_key("process")
    wait_until(lambda: f"fork of server.py {first}" in list_values(group))  # it has got a processor

    server.ask("end")
    wait_until(lambda: f"└ fork {first}" not in list_tabs(app))
    wait_until(lambda: group.info is not None and group.info.description.startswith("4 processes"))
    wait_until(lambda: read_texts(whole.group) == ("● Live", "3 of 4 attached"))
    wait_until(lambda: f"fork of server.py {first}" in list_values(group))


def read_texts(bar: GroupBar | None) -> tuple[str, str]:
    """The state, and the number of processes."""
    assert bar is not None
    return bar._phase.text(), bar._about.whole


def test_all_together_are_paused_by_the_key_and_the_button(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: Any
) -> None:
    monkeypatch.setattr(captures, "connect_engine", lambda pid, _hz: SyntheticEngine(pid))
    monkeypatch.setattr(families, "find_python_processes", list)
    app.attach(make_target(os.getpid()), has_children=True)
    wait_until(lambda: app.windows.page is not None)
    (followed,) = app.pages.families._followed
    followed.family.joined.emit(ProcessRow(os.getppid(), "3.11.2", "sh", "root", 0, True, ""))
    wait_until(lambda: len(app.window.pages) == 3)
    (page,) = [page for page, each in app.documents.items() if isinstance(each, GroupDocument)]
    wait_until(lambda: page.group is not None)
    app.window.show_page(page)
    bar, group = page.group, app.documents[page]
    assert bar is not None
    wait_until(lambda: group.info is not None)
    menu = app.window._capture
    entries = {each.text().replace("&", ""): each for each in menu.actions() if each.text()}
    for text in ("Pause or resume", "Clear"):
        assert entries[text].isEnabled() == (text != "Clear")
    entries["Pause or resume"].trigger()
    assert read_texts(bar) == ("Ⅱ Paused", "all attached")
    menu.aboutToShow.emit()
    assert [text for text, each in entries.items() if each.isEnabled()] == ["Pause or resume"]
    bar._pause.click()
    assert read_texts(bar) == ("● Live", "all attached")
    prepared = app.pages.comparisons._prepare_tab(page)
    assert prepared is not None
    assert prepared[0].endswith(", now")  # its data come by themselves
    asked: list[bool] = []

    def ask(*_: object) -> str:
        asked.append(True)
        return ""

    monkeypatch.setattr(exports, "ask_export_path", ask)
    bar._save.click()
    assert asked == [True]


def test_all_together_are_saved_with_their_process(
    app: App, server: Server, wait_until: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "all.pb.gz"
    asked: list[str] = []

    def ask(_parent: object, suggestion: str) -> str:
        asked.append(suggestion)
        return str(path)

    monkeypatch.setattr(exports, "ask_export_path", ask)
    app.attach(make_target(server.process.pid, 250), has_children=True)
    wait_until(lambda: len(list_tabs(app)) == 4)
    show_group(app, wait_until)
    wait_until(lambda: "spin_in_child" in list_names(app))
    app.window.save_requested.emit()
    wait_until(path.exists)
    assert asked[0].endswith(".pb.gz")
    profile = open_profile(path)
    assert isinstance(profile, Profile)
    values = {profile.strings[text] for text in profile.labels.text.tolist() if text >= 0}
    assert {f"fork of server.py {pid}" for pid in server.children} & values


def list_values(group: GroupDocument) -> set[str]:
    """Of the label ``process``, in the table of labels."""
    model = group.labelled
    labels = (model.label_at(row) for row in range(model.rowCount()))
    return {label[1] for label in labels if label is not None}


def test_a_childs_tab_that_was_looked_at_stays(app: App, server: Server, wait_until: Any) -> None:
    first = server.children[0]
    app.attach(make_target(server.process.pid, 250), has_children=True)
    wait_until(lambda: f"└ fork {first}" in list_tabs(app))
    app.window.tabs.setCurrentIndex(list_tabs(app).index(f"└ fork {first}"))
    assert app.window.windowTitle() == f"fork of server.py {first} — Stackglass"
    app.window.tabs.setCurrentIndex(0)
    child = find_document(app, first)
    wait_until(lambda: child.status.phase == "running")
    server.ask("end")
    wait_until(lambda: child.status.phase == "ended")
    later: list[bool] = []
    QTimer.singleShot(0, app.window, lambda: later.append(True))
    wait_until(lambda: later)  # what was to be done after the end is done
    assert f"└ fork {first}" in list_tabs(app)


def test_a_worker_that_retires_slowly_is_no_member_any_more(
    app: App, server: Server, wait_until: Any
) -> None:
    """As gunicorn's workers: the engine leaves at the exit, and the process goes on for a while."""
    first, second = server.children
    app.attach(make_target(server.process.pid, 250), has_children=True)
    wait_until(lambda: len(list_tabs(app)) == 4)
    child = find_document(app, first)
    wait_until(lambda: child.status.n_samples > 10)
    server.ask("retire")
    wait_until(lambda: child.status.phase == "ended")
    assert is_running(first)
    assert f"└ fork {first}" in list_tabs(app)
    os.kill(first, signal.SIGKILL)
    wait_until(lambda: f"└ fork {first}" not in list_tabs(app))
    assert f"└ fork {second}" in list_tabs(app)
    (followed,) = app.pages.families._followed
    group = followed.group
    assert group is not None
    assert child not in group._members
    assert list(followed.children) == [second]


def test_a_child_that_one_list_missed_is_no_new_one(
    app: App, server: Server, wait_until: Any
) -> None:
    """As on a crowded machine, or where it cannot be read for a moment."""
    app.attach(make_target(server.process.pid, 250), has_children=True)
    wait_until(lambda: len(list_tabs(app)) == 4)
    (followed,) = app.pages.families._followed
    rows = [row for row in find_python_processes() if row.pid in server.children]
    for row in rows:
        followed.family.joined.emit(row)
    group = followed.group
    assert group is not None
    assert (len(rows), group.title) == (2, f"server.py {server.process.pid} and 2 children")


def test_the_tab_of_all_is_beside_its_first_and_stays_closed(
    app: App, server: Server, wait_until: Any
) -> None:
    app.attach(make_target(server.process.pid, 250), has_children=True)
    title = f"server.py {server.process.pid} and 2 children"
    wait_until(lambda: title in list_tabs(app) and len(list_tabs(app)) == 4)
    assert list_tabs(app).index(title) == 1
    (page,) = [page for page, each in app.documents.items() if isinstance(each, GroupDocument)]
    app.window.page_close_requested.emit(page)
    third = server.ask("fork")
    wait_until(lambda: f"└ fork {third}" in list_tabs(app))
    assert find_group(app) is None


def test_a_tab_that_is_closed_ends_the_search(app: App, server: Server, wait_until: Any) -> None:
    app.attach(make_target(server.process.pid, 250), has_children=True)
    wait_until(lambda: len(list_tabs(app)) == 4)
    page = app.window.page
    assert page is not None
    (followed,) = app.pages.families._followed
    app.window.page_close_requested.emit(page)
    wait_until(lambda: not followed.family._worker._thread.is_alive())
    server.ask("fork")
    assert len(list_tabs(app)) == 3


def test_what_was_captured_goes_with_its_tab(app: App, server: Server, wait_until: Any) -> None:
    """Also if children were looked for."""
    document = weakref.ref(app.attach(make_target(server.process.pid, 250), has_children=True))
    wait_until(lambda: len(list_tabs(app)) == 4)
    for page in list(app.documents):
        app.window.page_close_requested.emit(page)
    del page
    assert app.pages.families._followed == []
    wait_until(lambda: gc.collect() >= 0 and document() is None)


def test_a_group_keeps_the_data_of_a_tab_that_is_closed(
    app: App, server: Server, wait_until: Any
) -> None:
    """They are released with the tab of all."""
    app.attach(make_target(server.process.pid, 250), has_children=True)
    wait_until(lambda: len(list_tabs(app)) == 4)
    child = find_document(app, server.children[0])
    live = child.live
    wait_until(lambda: child.status.n_samples > 10)
    (group,) = (each for each in app.documents.values() if isinstance(each, GroupDocument))
    for document in (child, group):
        assert sum_cpu(live) > 0
        (page,) = (page for page, each in app.documents.items() if each is document)
        app.window.page_close_requested.emit(page)
        wait_until(lambda: not app.tabs.leaving)
    assert sum_cpu(live) == 0


def sum_cpu(live: LiveProfile) -> int:
    return int(live.snapshot(None, None, CPU).values.total[0])


def test_only_the_tab_that_is_looked_at_is_drawn(app: App, server: Server, wait_until: Any) -> None:
    """A hidden one of a busy process would take some percent of a processor."""
    first = server.children[0]
    app.attach(make_target(server.process.pid, 250), has_children=True)
    wait_until(lambda: len(list_tabs(app)) == 4)
    child = find_document(app, first)
    wait_until(lambda: child.status.n_samples > 10 and not child.is_building)
    drawn: list[object] = []
    child.scene_changed.connect(drawn.append)
    n_samples = child.status.n_samples
    wait_until(lambda: child.status.n_samples > n_samples + 20)
    assert drawn == []
    app.window.tabs.setCurrentIndex(list_tabs(app).index(f"└ fork {first}"))
    wait_until(lambda: drawn)


def test_a_child_comes_into_the_window_of_its_parent(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: Any
) -> None:
    """And not into the one that is used at that moment."""
    monkeypatch.setattr(captures, "connect_engine", lambda pid, _hz: SyntheticEngine(pid))
    app.attach(make_target(os.getpid()), has_children=True)
    wait_until(lambda: app.windows.page is not None)
    first, second = app.window, app.windows.open()
    (followed,) = app.pages.families._followed
    followed.family.joined.emit(ProcessRow(os.getppid(), "3.11.2", "sh", "root", 0, True, ""))
    wait_until(lambda: len(app.documents) == 3)
    wait_until(lambda: len(first.pages) + len(second.pages) == 3)
    assert not second.pages


def test_a_childs_tab_gives_its_view_the_focus(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: Any
) -> None:
    """Not to a field, which would take the keys of views as text."""
    monkeypatch.setattr(captures, "connect_engine", lambda pid, _hz: SyntheticEngine(pid))
    monkeypatch.setattr(families, "find_python_processes", list)
    app.force_view("top")
    app.attach(make_target(os.getpid()), has_children=True)
    wait_until(lambda: app.windows.page is not None and app.windows.page.top.isVisible())
    app.window.activateWindow()
    (followed,) = app.pages.families._followed
    followed.family.joined.emit(ProcessRow(os.getppid(), "3.11.2", "sh", "root", 0, True, ""))
    wait_until(lambda: len(app.window.pages) == 3)
    wait_until(lambda: app.window.focusWidget() is not None)
    for page in app.window.pages[1:]:
        app.window.show_page(page)
        focused = app.window.focusWidget()
        assert page.isAncestorOf(focused)
        assert not isinstance(focused, (QLineEdit, QComboBox, QToolButton)), focused


def test_families_of_closed_tabs_are_not_kept(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: Any
) -> None:
    monkeypatch.setattr(families, "find_python_processes", list)
    for _ in range(4):
        engine = SyntheticEngine(os.getpid())
        monkeypatch.setattr(captures, "connect_engine", lambda _pid, _hz, made=engine: made)
        document = app.attach(make_target(os.getpid(), 100), has_children=True)
        wait_until(lambda: document in app.documents.values())  # noqa: B023 - at once
        (page,) = app.documents
        app.pages.drop_page(page)
        wait_until(lambda: all(each.has_ended for each in app.pages.families._left))
    assert len(app.pages.families._left) == 1
    wait_until(lambda: len(app.windows.findChildren(Family)) == 1)
