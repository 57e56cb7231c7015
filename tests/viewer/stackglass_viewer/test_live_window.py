"""The window of a process, driven by a synthetic engine."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from harness.synthetic_engine import DEMO_STACKS, MAIN_TID, WORKER_TID, SyntheticEngine
from harness.window_session import WindowSession, make_target
from stackglass.attach.errors import NotAllowedError
from stackglass_viewer import captures as composition
from stackglass_viewer.app import App
from stackglass_viewer.model.profile.profile import Profile
from stackglass_viewer.model.readers.opener import open_profile
from stackglass_viewer.presenter.document.flame_scene import FlameScene, name_of, path_of
from stackglass_viewer.presenter.settings.command_texts import name_command
from stackglass_viewer.presenter.settings.thread_choice import ALL_THREADS
from stackglass_viewer.presenter.worker import Worker
from stackglass_viewer.view.capture.rate_box import RateBox

PID = os.getpid()


class Session(WindowSession):
    """An attached window and the engine behind it."""

    @property
    def notice(self) -> str:
        notice = self.page.message.notice
        return notice.text if notice is not None else ""

    @property
    def scene(self) -> FlameScene:
        scene = self.document.scene
        assert scene is not None
        return scene

    @property
    def paths(self) -> set[tuple[str, ...]]:
        tree = self.scene.tree
        return {tuple(name for name, _ in path_of(tree, node)) for node in range(tree.n_nodes)}

    def node(self, *path: str) -> int:
        scene = self.scene
        for node in range(scene.tree.n_nodes):
            if tuple(name for name, _ in path_of(scene.tree, node)) == path:
                return node
        raise AssertionError(path)


@pytest.fixture
def session(app: App, monkeypatch: pytest.MonkeyPatch, wait_until: Any) -> Session:
    engine = SyntheticEngine(PID)
    engine.send_hello()
    return Session(app, engine, monkeypatch, wait_until)


@pytest.fixture
def busy(session: Session, wait_until: Any) -> Session:
    session.engine.send_ready()
    session.engine.send_samples()
    session.engine.send_status()
    wait_until(lambda: "shop.serve" in session.names)
    return session


def test_samples_become_a_graph_a_table_and_a_status(busy: Session, wait_until: Any) -> None:
    assert {"__main__.main", "shop.price", "shop.clerk"} <= busy.names
    assert busy.document.top.rowCount() == 9
    wait_until(lambda: busy.document.status.n_samples == 4)
    status = busy.document.status
    assert (status.phase, status.python_version, status.clock) == ("running", "3.13.0", "perf")
    assert busy.document.title == f"shop.py {PID}"


def test_shares_that_may_be_off_reach_the_status(busy: Session, wait_until: Any) -> None:
    busy.engine.share_error = (9, "no timers")
    busy.engine.send_status()
    wait_until(lambda: busy.document.status.share_error_points == 9)
    assert busy.document.status.share_error_cause == "no timers"


def test_the_rate_acts_at_once(busy: Session, wait_until: Any) -> None:
    busy.live.bar.rate_chosen.emit(1000)
    wait_until(lambda: busy.document.status.rates.cpu_hz == 1000)
    assert busy.engine.cpu_hz == 1000
    boxes = {box.accessibleName(): box for box in busy.live.bar.findChildren(RateBox)}
    boxes["Wall rate"].rate_chosen.emit(50)
    wait_until(lambda: boxes["Wall rate"].currentText() == "50 Hz")
    assert busy.engine.wall_hz == 50


def test_frames_are_filtered_while_data_come(busy: Session, wait_until: Any) -> None:
    graph = busy.page.flame.graph
    graph.select(busy.node("__main__.main", "shop.serve", "shop.report"))
    busy.page.transform_requested.emit("drop", graph.selected)
    wait_until(lambda: busy.total == 30_000_000)
    assert "shop.report" not in {
        name_of(busy.scene, node) for node in busy.scene.layout.node.tolist()
    }
    busy.page.transform_requested.emit("merge", busy.node("__main__.main", "shop.serve"))
    wait_until(lambda: ("__main__.main", "shop.price") in busy.paths)
    graph.select(busy.node("__main__.main", "shop.price"))
    graph.camera.zoom_to(graph.selected)
    busy.engine.send_samples(DEMO_STACKS * 2)  # two of these eight are left out
    wait_until(lambda: busy.total == 90_000_000)
    assert graph.selected == busy.node("__main__.main", "shop.price")
    assert graph.camera.is_zoomed
    assert busy.document.top.rowCount() == 7
    busy.page.transform_bar.undo_requested.emit()
    busy.page.transform_bar.undo_requested.emit()
    wait_until(lambda: busy.total == 120_000_000)


def test_a_filter_that_leaves_nothing_is_named(busy: Session, wait_until: Any) -> None:
    node = busy.node("__main__.main")
    for kind in ("focus", "drop"):
        busy.page.transform_requested.emit(kind, node)
    wait_until(lambda: busy.total == 0)
    assert busy.document.info is not None
    assert busy.document.info.description.startswith("no samples pass the filters")
    wait_until(lambda: busy.page.flame.graph._placeholder[0] == "Nothing left")


def test_what_is_exported_passed_the_filters(busy: Session, wait_until: Any) -> None:
    busy.page.transform_requested.emit("focus", busy.node("__main__.main"))
    wait_until(lambda: busy.total == 30_000_000)
    read = busy.document.prepare_profile()
    done: list[int] = []
    worker = Worker("read")
    worker.submit("read", lambda: int(read().samples.values[1].sum()), done.append)
    wait_until(lambda: bool(done))
    worker.stop()
    assert done == [30_000_000]


def test_zoom_and_selection_survive_a_refresh(busy: Session, wait_until: Any) -> None:
    graph = busy.page.flame.graph
    serve = busy.node("__main__.main", "shop.serve")
    graph.camera.zoom_to(serve)
    graph.select(serve)
    before = graph.camera.navigation.view
    busy.engine.send_samples(DEMO_STACKS[3:] * 30)
    wait_until(lambda: graph.camera.navigation.view != before)
    scene = graph.scene
    assert scene is not None
    assert graph.selected == serve
    left, right = graph.camera.navigation.view.left, graph.camera.navigation.view.right
    box = int(scene.layout.box_of_node[serve])
    assert left == pytest.approx(scene.layout.left[box] / scene.layout.extent)
    assert right == pytest.approx(scene.layout.right[box] / scene.layout.extent)


def wait_for_worker(busy: Session, wait_until: Any) -> None:
    """Until it has done what it was asked for before."""
    arrived: list[None] = []
    busy.document._worker.submit("then", lambda: None, arrived.append)
    wait_until(lambda: bool(arrived))


def test_pause_stops_the_view_and_not_the_capture(busy: Session, wait_until: Any) -> None:
    busy.live.bar.toggle_pause()
    wait_for_worker(busy, wait_until)  # what was being built, then the moment of the pause
    wait_for_worker(busy, wait_until)  # the views of that moment
    scene = busy.document.scene
    busy.engine.send_samples(((MAIN_TID, ("__main__.late",)),))
    busy.engine.send_status()
    wait_until(lambda: busy.document.status.n_samples == 5)
    assert busy.document.scene is scene
    busy.live.bar.toggle_pause()
    wait_until(lambda: "__main__.late" in busy.names)


def test_clear_forgets_and_goes_on(busy: Session, wait_until: Any) -> None:
    busy.document.clear()
    wait_until(lambda: "shop.serve" not in busy.names)
    busy.engine.send_samples(DEMO_STACKS[:1])
    wait_until(lambda: "shop.serve" in busy.names)


def test_threads_can_be_chosen(busy: Session, wait_until: Any) -> None:
    wait_until(lambda: busy.document.threads.rowCount() == 2)
    threads = busy.document.threads
    clerk = next(threads.index(row) for row in range(2) if threads.index(row).data() == "clerk 1")
    threads.setData(clerk, Qt.CheckState.Checked, Qt.ItemDataRole.CheckStateRole)
    wait_until(lambda: "shop.clerk" in busy.names and "shop.serve" not in busy.names)
    assert threads.summary == "clerk 1"
    assert threads.chosen == frozenset({WORKER_TID})
    threads.restore(ALL_THREADS)
    wait_until(lambda: "shop.serve" in busy.names)


def test_a_wait_for_the_gil_is_reported(session: Session, wait_until: Any) -> None:
    session.engine.send_status(gil_wait_ns=400_000_000)
    wait_until(lambda: "waited for the GIL" in session.notice)
    assert str(PID) in session.notice
    session.engine.send_ready()
    session.engine.send_samples()
    wait_until(lambda: "waited for the GIL" not in session.notice)


def test_an_idle_process_shows_where_its_threads_stand(session: Session, wait_until: Any) -> None:
    session.engine.send_ready()
    wait_until(
        lambda: any(
            said.WhichOneof("message") == "snapshot_threads" for said in session.engine.sent
        )
    )
    session.engine.send_threads()
    wait_until(lambda: "shop.clerk" in session.names)
    wait_until(lambda: "No CPU used" in session.notice)
    session.page.show_view("time")  # of samples alone: nothing is shown instead
    wait_until(lambda: "No CPU used" not in session.notice)
    times = session.page.graphs.times
    assert times is not None
    wait_until(lambda: times.chart._placeholder[0] == "No CPU used yet")
    session.page.show_view("flame")
    wait_until(lambda: "No CPU used" in session.notice)
    session.page.show_view("traces")  # the same
    wait_until(lambda: "No CPU used" not in session.notice)
    session.page.show_view("flame")
    wait_until(lambda: "No CPU used" in session.notice)
    session.engine.send_samples()
    wait_until(lambda: "No CPU used" not in session.notice)


def test_detach_keeps_what_there_is(busy: Session, wait_until: Any) -> None:
    busy.document.capture.detach()
    wait_until(lambda: busy.document.status.phase == "detached")
    assert "shop.serve" in busy.names
    assert "Detached" in busy.notice
    wait_until(lambda: busy.engine.is_closed)


def test_an_end_of_the_connection_is_reported(busy: Session, wait_until: Any) -> None:
    busy.engine.send_end()
    wait_until(lambda: busy.document.status.phase == "lost")
    assert "the engine has left" in busy.notice.lower()
    assert "shop.serve" in busy.names


def test_a_target_that_ends_is_reported(busy: Session, wait_until: Any) -> None:
    busy.engine.send_bye("the process ends")
    wait_until(lambda: busy.document.status.phase == "ended")
    assert busy.notice.startswith("The process ends.")


def test_a_refusal_shows_its_sentence_and_remedy(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: Any
) -> None:
    def refuse(_pid: int, _hz: int) -> Any:
        raise NotAllowedError("process 1 belongs to root", "run with sudo")

    monkeypatch.setattr(composition, "connect_engine", refuse)
    document = app.attach(make_target(1, 100))
    wait_until(lambda: document.status.phase == "failed")
    page = next(iter(app.documents))
    assert page.message.notice is not None
    assert page.message.notice.text == "Process 1 belongs to root: run with sudo."
    assert page.live is not None
    page.live.show_timeline(True)
    timeline = page.live.timeline
    wait_until(lambda: timeline._plot is not None)
    plot = timeline._plot
    assert plot is not None
    assert plot._hint.text() == "No memory data was recorded."


@pytest.mark.parametrize("choice", ["everything", "shown"])
def test_save_writes_pprof(busy: Session, wait_until: Any, tmp_path: Path, choice: Any) -> None:
    path = tmp_path / "saved.pb.gz"
    wait_until(lambda: busy.document.status.n_samples == 4)
    assert busy.document.is_unsaved
    busy.document.saver.save(busy.document.saveable, str(path), choice)
    wait_until(lambda: "is saved" in busy.notice)
    saved = open_profile(path)
    assert isinstance(saved, Profile)
    assert saved.samples.values.sum(axis=1).tolist() == [4, 40_000_000]
    assert {"thread", "thread_id", "MainThread"} <= set(saved.strings)
    assert gzip.decompress(path.read_bytes())
    assert busy.app.recent.paths == (str(path),)
    assert busy.document.is_unsaved == (choice == "shown")
    n_reported = busy.document.status.n_lost
    busy.engine.n_lost += 1
    busy.engine.send_status()
    wait_until(lambda: busy.document.status.n_lost == n_reported + 1)
    assert "is saved" in busy.notice, "the next status took the message away"


def test_a_folder_that_is_not_there_is_one_line(busy: Session, wait_until: Any) -> None:
    busy.document.saver.save(busy.document.saveable, "/nowhere/at/all.pb.gz", "everything")
    wait_until(lambda: "cannot write" in busy.notice)


def test_search_and_table_follow_each_other(busy: Session, wait_until: Any) -> None:
    page = busy.page
    page.show_view("both")
    page.search.set_pattern("price|clerk")
    wait_until(lambda: "2 functions" in page.search._result.text())
    assert "75.0%" in page.search._result.text()
    serve = busy.node("__main__.main", "shop.serve")
    page.flame.graph._choose(serve)
    assert page.top._selected == int(busy.document.scene.tree.frame[serve])  # type: ignore[union-attr]
    row = busy.document.top.row_of(page.top._selected)
    assert page.top._table.currentIndex().row() == row
    table = page.top._table
    place = table.visualRect(busy.document.top.index(0, 0)).center()
    QTest.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(place))
    assert page.flame.graph.selected == -1


def test_rows_stay_under_the_pointer_while_values_change(busy: Session, wait_until: Any) -> None:
    page, top = busy.page, busy.document.top
    page.show_view("top")
    port = page.top._table.viewport()

    def list_functions() -> list[str]:
        return [top.name_of(top.function_at(row)) for row in range(top.rowCount())]

    def is_first(name: str) -> bool:
        return list_functions()[:1] == [name]

    before = list_functions()
    last = before[-1]
    QApplication.sendEvent(port, QEvent(QEvent.Type.Enter))
    total = busy.total
    busy.engine.send_samples(((MAIN_TID, (last,)),) * 50)
    wait_until(lambda: busy.total >= total + 50 * 10_000_000)
    assert list_functions()[: len(before)] == before
    wait_until(lambda: page.top._count.text().endswith("order held"))
    QApplication.sendEvent(port, QEvent(QEvent.Type.Leave))
    wait_until(lambda: is_first(last))
    assert "held" not in page.top._count.text()
    page.top._table.setFocus()
    page.top._table.selectRow(0)
    busy.engine.send_samples(((MAIN_TID, (before[0],)),) * 200)
    wait_until(lambda: busy.total >= total + 250 * 10_000_000)
    assert is_first(last), "a row is selected, and keys go to the table"
    QTest.keyClick(page.top._table, Qt.Key.Key_Escape)
    wait_until(lambda: is_first(before[0]))


def test_the_graph_is_split_by_thread_from_the_list_of_threads(
    busy: Session, wait_until: Any
) -> None:
    threads, page = busy.live.bar.threads, busy.page
    QTest.mouseClick(threads, Qt.MouseButton.LeftButton)
    assert threads._popup is not None
    threads._popup.split.click()
    threads._popup.close()

    def list_outermost() -> dict[str, int]:
        scene = busy.document.scene
        assert scene is not None
        tree, total = scene.tree, scene.values.total
        tops = [node for node in range(1, tree.n_nodes) if tree.parent[node] == 0 and total[node]]
        return {name_of(scene, node): int(total[node]) for node in tops}

    wait_until(lambda: "thread = MainThread" in list_outermost())
    assert sum(list_outermost().values()) == busy.total
    assert len(list_outermost()) == 2
    assert page.label_bar.isVisible()
    assert page.label_bar._split.text().endswith("Split by thread")
    busy.document.choose_entry(page.types.findText("heap"))  # which is not split
    wait_until(page.label_bar.isHidden)
    busy.document.choose_entry(0)
    wait_until(page.label_bar.isVisible)
    page.label_bar._split.click()
    wait_until(lambda: "thread = MainThread" not in list_outermost())
    assert not threads._popup.split.isChecked()


CommandName = Callable[[str], str]


@pytest.mark.parametrize(
    ("command", "name"),
    [
        ("python3 /srv/app/server.py --port 80", "server.py"),
        ("python3 -m http.server 8000", "http.server"),
        ("python3 -c print(1)", "python -c"),
        ("/usr/bin/python3.11 -X dev manage.py run", "manage.py"),
        ("/lib/ld-linux-x86-64.so.2 --library-path /x /usr/bin/python3.14 job.py", "job.py"),
        ("/usr/lib/python3/dist-packages/pip/__main__.py install x", "pip"),
        ("gunicorn: master [app]", "gunicorn"),
        ("uwsgi", "uwsgi"),
        ("", "process"),
    ],
)
def test_a_command_line_is_called_by_its_program(command: str, name: str) -> None:
    assert name_command(command) == name
