"""The timeline in the window: markers and brush under the mouse, and what they make of the tab."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from harness.synthetic_engine import SyntheticEngine
from harness.window_session import WindowSession
from stackglass_viewer.app import App
from stackglass_viewer.model.proto.wire_pb2 import FromEngine, Metrics
from stackglass_viewer.presenter.document.flame_scene import path_of
from stackglass_viewer.presenter.settings.view_state import Notice
from stackglass_viewer.presenter.tables.heap_model import HeapModel
from stackglass_viewer.presenter.tables.top_model import TopColumn
from stackglass_viewer.view.widgets.theme import load_theme

PID = os.getpid()
KIB = 1024
CACHE, SESSION, PAGE = (
    ("__main__.main", "shop.remember"),
    ("__main__.main", "shop.log_in"),
    ("__main__.main", "shop.render", "json.dumps"),
)
WaitUntil = Callable[[Callable[[], bool]], None]


class Session(WindowSession):
    """An attached window whose engine has reported sixty seconds of a heap."""

    @property
    def plot(self) -> Any:
        return self.live.timeline._plot

    @property
    def totals(self) -> dict[str, int]:
        scene = self.document.scene
        assert scene is not None
        return {
            path_of(scene.tree, node)[-1][0]: int(scene.values.total[node])
            for node in range(1, scene.tree.n_nodes)
            if scene.layout.box_of_node[node] >= 0
        }

    @property
    def description(self) -> str:
        return self.document.info.description if self.document.info is not None else ""

    def place(self, seconds: float) -> QPoint:
        return QPoint(round(self.plot._px_of(seconds * 100)), 60)

    def move_to(self, place: QPoint, buttons: Qt.MouseButton = Qt.MouseButton.NoButton) -> None:
        """At once: QTest moves the pointer, and Qt reports it when it has time."""
        view = self.plot.viewport()
        event = QMouseEvent(
            QEvent.Type.MouseMove,
            QPointF(place),
            QPointF(view.mapToGlobal(place)),
            Qt.MouseButton.NoButton,
            buttons,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(view, event)

    def drag(self, begin_s: float, end_s: float) -> None:
        left, view = Qt.MouseButton.LeftButton, self.plot.viewport()
        begin, end = self.place(begin_s), self.place(end_s)
        self.move_to(begin)
        QTest.mousePress(view, left, pos=begin)
        self.move_to(QPoint((begin.x() + end.x()) // 2, begin.y()), left)
        self.move_to(end, left)
        QTest.mouseRelease(view, left, pos=end)


@pytest.fixture
def session(app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil) -> Session:
    """At 10 s a cache of 40 KiB and a session of 8 KiB; the one grows by 4 KiB a second and the
    other is gone at 30 s. Each second a page is rendered, which comes and goes."""
    engine = SyntheticEngine(PID)
    made = Session(app, engine, monkeypatch, wait_until)
    engine.send_hello()
    engine.send_ready()
    engine.send_heap((CACHE, 10, 4 * KIB, 0), (SESSION, 1, 8 * KIB, 0), at_s=10)
    for second in range(11, 61):
        engine.send_heap((PAGE, 1, 64 * KIB, 1), at_s=second)
        engine.send_sums((0, second, 4 * KIB, 0), at_s=second)
        if second == 30:
            engine.send_sums((1, 1, 8 * KIB, 1), at_s=second)
    wait_until(lambda: made.document.status.phase == "running")
    wait_until(lambda: made.page.live is not None)
    made.live.bar.toggle_timeline()
    wait_until(lambda: made.plot is not None)
    wait_until(
        lambda: (
            made.document.timeline.picture is not None
            and made.document.timeline.picture.right == 6000
            and made.plot._picture is made.document.timeline.picture
        )
    )
    width_px = made.plot._plot_px  # when everything has its place
    wait_until(lambda: width_px() > 300 and made.document.timeline._width_px == width_px())
    return made


def test_the_timeline_says_that_its_latest_moment_is_the_pause(session: Session) -> None:
    now = session.live.timeline._modes.button("now")
    session.live.bar.toggle_pause()
    assert now.text() == "At the pause"
    session.live.bar.toggle_pause()
    assert now.text() == "Now"


def test_the_table_of_memory_shows_the_window_by_line(
    session: Session, wait_until: WaitUntil
) -> None:
    document, memory = session.document, session.document.memory
    session.page.show_view("heap")
    document.timeline.markers.choose_mode("growth")
    document.timeline.markers.move("a", 2000)

    def list_rows() -> list[tuple[object, ...]]:
        columns = (0, 2, 4, 5)  # bytes, objects, function, line
        return [
            tuple(memory.index(row, column).data() for column in columns)
            for row in range(memory.rowCount())
        ]

    wait_until(
        lambda: (
            list_rows()
            == [
                (160 * KIB, 40, "shop.remember", "shop.py:3"),
                (-8 * KIB, -1, "shop.log_in", "shop.py:3"),
            ]
        )
    )
    cell = memory.cell(0, 0)
    assert cell is not None
    assert cell.is_change
    document.timeline.markers.choose_mode("now")
    wait_until(lambda: memory.rowCount() == 1 and not _is_change(memory))


def _is_change(memory: HeapModel) -> bool:
    cell = memory.cell(0, 0)
    return cell is not None and cell.is_change


def test_two_markers_show_what_grew_and_what_shrank(
    session: Session, wait_until: WaitUntil
) -> None:
    session.document.timeline.markers.choose_mode("growth")
    session.document.timeline.markers.move("a", 2000)
    wait_until(lambda: "from 0:20 to 1:00" in session.description)
    assert session.description == "+160 KiB, −8.00 KiB in use from 0:20 to 1:00"
    assert session.totals == {
        "__main__.main": 152 * KIB,
        "shop.remember": 160 * KIB,
        "shop.log_in": -8 * KIB,
    }
    scene = session.document.scene
    assert scene is not None
    assert scene.is_difference
    assert scene.whole == 168 * KIB
    top = session.document.top
    assert top.columns == (TopColumn.FLAT, TopColumn.CUM, TopColumn.NAME, TopColumn.FILE)
    assert [top.cell(row, 2).value for row in range(3)] == [  # type: ignore[union-attr] # they are there
        "shop.remember",
        "__main__.main",
        "shop.log_in",
    ]
    assert top.cell(0, 3).value == "shop.py:3"  # type: ignore[union-attr] # it is there


def test_markers_are_dragged(session: Session, wait_until: WaitUntil) -> None:
    session.document.timeline.markers.choose_mode("growth")
    wait_until(lambda: session.document.timeline.markers.marks.a == 2200)
    session.drag(22, 40)
    wait_until(lambda: session.document.timeline.markers.marks.a == 4000)
    session.drag(60, 50)
    wait_until(lambda: session.document.timeline.markers.marks.b == 5000)
    wait_until(lambda: session.description == "+40.0 KiB in use from 0:40 to 0:50")


def test_a_drag_elsewhere_is_a_span(session: Session, wait_until: WaitUntil) -> None:
    session.document.choose_type(7)  # inuse_space: what of it was allocated in the span
    session.drag(20, 25)
    wait_until(lambda: "allocated from" in session.description)
    begin, end = session.document.timeline.markers.marks.span
    assert (round(begin / 100), round(end / 100)) == (20, 25)
    n_pages = sum(begin < second * 100 - 9 <= end for second in range(11, 61))
    # What was built while the mouse moved may still be shown.
    wait_until(lambda: session.totals.get("json.dumps") == n_pages * 64 * KIB)
    assert not session.document.scene.is_difference  # type: ignore[union-attr] # there is one
    assert TopColumn.FLAT_SHARE in session.document.top.columns


def test_a_span_has_the_samples_taken_in_it(session: Session, wait_until: WaitUntil) -> None:
    session.engine.send_samples(((100, ("__main__.early",)),), unit=1500)
    session.engine.send_samples(((100, ("__main__.late",)),), unit=4500)
    session.document.choose_span("All")
    wait_until(lambda: set(session.totals) >= {"__main__.early", "__main__.late"})
    session.drag(40, 50)
    wait_until(lambda: set(session.totals) == {"__main__.late"})
    assert "of CPU time from" in session.description
    session.drag(52, 58)
    wait_until(lambda: session.description.startswith("no samples from"))
    session.document.choose_type(4)  # alloc_space
    wait_until(lambda: "allocated from" in session.description)


def test_escape_and_another_choice_lead_back(session: Session, wait_until: WaitUntil) -> None:
    session.document.timeline.markers.choose_mode("growth")
    wait_until(lambda: "in use from" in session.description)
    QTest.keyClick(session.plot, Qt.Key.Key_Escape)
    wait_until(lambda: session.description == "240 KiB in use")
    session.document.timeline.markers.choose_mode("growth")
    wait_until(lambda: "in use from" in session.description)
    session.document.choose_type(0)
    wait_until(lambda: session.document.timeline.markers.marks.mode == "now")
    session.document.timeline.markers.choose_mode("growth")  # looks at the heap again by itself
    wait_until(lambda: "in use from" in session.description)


def test_keys_of_the_window_put_markers(session: Session, wait_until: WaitUntil) -> None:
    session.move_to(session.place(30))
    session.live.put_marker("a")
    wait_until(lambda: session.document.timeline.markers.marks.a == 3000)
    wait_until(lambda: session.description == "+120 KiB in use from 0:30 to 1:00")


def test_the_timeline_goes_and_comes_with_its_marks(session: Session) -> None:
    session.document.timeline.markers.move("a", 2000)
    session.live.show_timeline(False)
    assert session.live.timeline.isHidden()
    session.live.show_timeline(True)
    assert session.document.timeline.markers.marks.mode == "growth"
    session.page.set_theme(load_theme("dark"))
    assert not session.live.timeline.grab().isNull()


def test_a_lane_of_metrics_is_chosen_below_the_plot(
    session: Session, wait_until: WaitUntil
) -> None:
    """Each lane has as many lines as it names, and says what they are under the pointer."""
    started_ns = session.engine.started_ns
    for second in (10, 60):
        ns = second * 10**9
        metrics = Metrics(
            time_mono_ns=started_ns + ns,
            thread_ns=[0, 2 * ns, 0, ns, 0],
            task_time_mono_ns=started_ns + ns,
            task_ns=[0, 0, 7 * ns],
            n_collections=[120 * second, 4 * second, second // 2],
            paused_ns=[ns // 50, 0, ns // 200],
        )
        session.engine.send_again(FromEngine(metrics=metrics).SerializeToString())
    bar, timeline = session.live.timeline.lane, session.document.timeline

    def read() -> dict[str, str]:
        parts = zip(bar._captions, bar._readings, strict=True)
        return {caption.text(): each.text() for caption, each in parts if not each.isHidden()}

    wait_until(
        lambda: (
            read()
            == {
                "running": "2.00",
                "GIL": "0.00",
                "lock": "1.00",
                "system call": "0.00",
                "unknown": "0.00",
            }
        )
    )
    bar._choices.setCurrentIndex(bar._choices.findData("tasks"))
    bar._choices.activated.emit(bar._choices.currentIndex())
    wait_until(lambda: read() == {"running": "0.00", "ready": "0.00", "suspended": "7.00"})
    assert timeline.lane is not None
    assert timeline.lane.key == "tasks"
    curves = session.plot.lane._curves
    wait_until(lambda: [len(curve.xData) for curve in curves] == [1, 1, 1, 0, 0])
    bar._choices.setCurrentIndex(bar._choices.findData("collections"))
    bar._choices.activated.emit(bar._choices.currentIndex())
    counts = {"generation 0": "120/s", "generation 1": "4.00/s", "generation 2": "0.50/s"}
    wait_until(lambda: read() == counts)
    bar._choices.setCurrentIndex(bar._choices.findData("pauses"))
    bar._choices.activated.emit(bar._choices.currentIndex())
    shares = {"generation 0": "2.00%", "generation 1": "0.00%", "generation 2": "0.50%"}
    wait_until(lambda: read() == shares)
    bar._choices.setCurrentIndex(bar._choices.findData("arenas"))
    bar._choices.activated.emit(bar._choices.currentIndex())
    wait_until(lambda: not bar._is_stacked)
    for theme in ("dark", "light"):
        session.page.set_theme(load_theme(theme))
        drawn = curves[0].opts["pen"].color().name()
        assert bar._dots[0].colour.name() == drawn  # a dot of the line's colour


def test_a_small_window_has_room_for_the_timeline_and_messages(session: Session) -> None:
    """It grew beyond a screen of 1024 × 640: by the width of a pause, and by each message."""
    window = session.app.window
    session.page.message.show_notice(Notice("info", "Something is said of the tab."))
    window.show_notice(Notice("info", "Something is said of the window.", "do", "Do it"))
    QApplication.processEvents()
    assert window.minimumSizeHint().width() <= 1024
    assert window.minimumSizeHint().height() <= 640


def test_a_theme_that_is_chosen_before_the_plot_is_made_is_the_plots(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    session = Session(app, SyntheticEngine(PID), monkeypatch, wait_until)
    wait_until(lambda: session.page.live is not None)
    session.live.show_timeline(True)
    app.window.setting_chosen.emit("theme", "dark")
    assert not session.plot
    wait_until(lambda: session.plot is not None)
    assert session.plot._rss.opts["pen"].color() == QColor(load_theme("dark").muted)
