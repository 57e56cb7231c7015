"""Traces in the window: the selection of every view, search, copying, where a row leads."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from harness.profiles import encode_labels, encode_stacks
from harness.synthetic_engine import DEMO_STACKS, WORKER_TID, SyntheticEngine
from harness.window_session import WindowSession
from stackglass_viewer.app import App
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.document.flame_scene import name_of
from stackglass_viewer.presenter.tables.side_models import StackModel
from stackglass_viewer.presenter.tables.trace_model import TraceModel
from stackglass_viewer.view.traces.view import TraceView
from stackglass_viewer.view.widgets.theme import load_theme
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
MS_10 = 10_000_000
STACKS = "main;load;parse 900\nmain;work;hash 600\nmain;work 300\nmain;load 200"
LABELS = [{"route": "/a"}, {"route": "/b"}, {}, {"route": "/a"}]


class TraceWindow:
    """The tab of a file, on its traces."""

    def __init__(self, app: App, folder: Path, wait_until: WaitUntil) -> None:
        path = folder / "p.pb.gz"
        path.write_bytes(encode_labels(encode_stacks(STACKS), LABELS))
        app.open_files([str(path)])
        wait_until(lambda: app.window.page is not None)
        self.page: ProfilePage = next(iter(app.documents))
        self.document: Document = app.documents[self.page]
        self.wait_until = wait_until
        wait_until(lambda: self.document.info is not None)
        app.window.activateWindow()
        self.page.show_view("traces")
        self.expect(("parse", 900), ("hash", 600), ("work", 300), ("load", 200))

    @property
    def view(self) -> TraceView:
        made = self.page.tables.traces
        assert made is not None
        return made

    @property
    def rows(self) -> tuple[tuple[str, object], ...]:
        """Leaf and value; "" while a row is of a table that is being replaced."""
        model = self.document.traces.model
        rows = range(model.rowCount())
        leaves = [(model.name_stack(row) or [""])[0] for row in rows]
        return tuple(
            (leaf, model.index(row, 0).data()) for row, leaf in zip(rows, leaves, strict=True)
        )

    def expect(self, *rows: tuple[str, int]) -> None:
        self.wait_until(lambda: self.rows == rows)

    def choose(self, row: int) -> None:
        self.view._table.selectRow(row)


@pytest.fixture
def window(app: App, tmp_path: Path, wait_until: WaitUntil) -> TraceWindow:
    return TraceWindow(app, tmp_path, wait_until)


def test_filters_labels_and_sample_types_are_those_of_every_view(window: TraceWindow) -> None:
    document = window.document
    document.labels.choose_only(("route", "/a"))
    window.expect(("parse", 900), ("load", 200))
    document.labels.drop_all()
    document.transforms.add(Transform(TransformKind.DROP, "load"))
    window.expect(("hash", 600), ("work", 300))
    document.filters.undo()
    document.choose_type(0)
    each = {(leaf, 1) for leaf in ("parse", "hash", "work", "load")}
    window.wait_until(lambda: set(window.rows) == each)


def test_rows_are_chosen_anew_even_under_the_pointer(window: TraceWindow) -> None:
    viewport = window.view._table.viewport()
    QApplication.sendEvent(viewport, QEvent(QEvent.Type.Enter))
    window.document.labels.choose_only(("route", "/a"))
    window.expect(("parse", 900), ("load", 200))
    window.document.traces.set_search("parse")
    window.expect(("parse", 900))
    QApplication.sendEvent(viewport, QEvent(QEvent.Type.Leave))


def test_a_search_leaves_its_matches_and_says_their_share(window: TraceWindow) -> None:
    window.page.focus_search()
    assert window.view._search.hasFocus()
    QTest.keyClicks(window.view._search, "/b|load$")
    window.expect(("parse", 900), ("hash", 600), ("load", 200))
    assert window.view._count.whole == "3 of 4 stacks: 1.70 µs, 85.0%"
    QTest.keyClicks(window.view._search, "(")
    window.expect()
    assert "is not a regular expression" in window.view._count.whole
    QTest.keyClick(window.view._search, Qt.Key.Key_Escape)
    assert window.view._table.hasFocus()
    QTest.keyClick(window.view._table, Qt.Key.Key_Escape)
    window.expect(("parse", 900), ("hash", 600), ("work", 300), ("load", 200))


def test_no_match_is_said_only_of_stacks_that_are_there(window: TraceWindow) -> None:
    title = window.view._empty._title
    QTest.keyClicks(window.view._search, "nothing like it")
    window.expect()
    assert title.text() == "No match"
    window.document.transforms.add(Transform(TransformKind.DROP, "main"))
    window.wait_until(lambda: title.text() == "Nothing left")
    window.document.traces.model.set_traces(None)
    assert title.text() == "Nothing left"
    window.document.filters.undo()
    window.wait_until(lambda: title.text() == "No match")


def test_a_list_that_is_still_being_made_is_not_called_empty(qt: QApplication) -> None:
    model = TraceModel()
    view = TraceView(model, StackModel(), load_theme("light"))
    view.set_placeholder("No samples", "Nothing was captured.")
    assert view._empty._title.text() == "Listing stacks…"
    model.set_traces(None)
    assert view._empty._title.text() == "No samples"


def test_the_chosen_row_is_shown_line_by_line(window: TraceWindow) -> None:
    window.choose(1)
    stack = window.document.traces.stack
    assert [stack.name_at(row) for row in range(stack.rowCount())] == ["hash", "work", "main"]
    assert window.view._title.whole == "600 ns  ·  30.0%"
    assert window.view._about.whole == "route: /b"
    assert window.view._stack._words == ("", "")
    assert window.view.clear_selection()
    assert stack.rowCount() == 0
    assert window.view._stack._words == ("", "Select a row to see its stack")
    window.view.pattern_changed.emit("nothing like it")
    window.expect()
    assert window.view._stack._words == ("", "")


def test_rows_and_stacks_are_copied(window: TraceWindow) -> None:
    window.choose(0)
    QTest.keyClick(window.view._table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text()
    assert copied == "900 ns\t45.0%\tparse ← load ← main\troute: /a"
    text = window.document.traces.model.write_trace(0)
    assert text == "route: /a\n900 ns  ·  45.0%\n    parse\n    load\n    main"


def test_a_row_leads_to_its_stack_in_the_flame_graph(window: TraceWindow) -> None:
    window.choose(1)
    QTest.keyClick(window.view._table, Qt.Key.Key_Return)
    assert window.page.view == "flame"
    scene, graph = window.document.scene, window.page.flame.graph
    assert scene is not None
    assert name_of(scene, graph.selected) == "hash"
    assert window.document.selection.function == window.document.selection.function_of(
        graph.selected
    )


def test_a_process_has_them_and_they_follow_it(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    engine = SyntheticEngine(os.getpid())
    session = WindowSession(app, engine, monkeypatch, wait_until)
    engine.send_hello()
    engine.send_ready()
    engine.send_samples()
    wait_until(lambda: session.total == 4 * MS_10)
    session.document.choose_span("All")
    session.page.show_view("traces")
    model = session.document.traces.model

    def read() -> dict[tuple[str, str], object]:
        return {
            (model.name_stack(row)[0], model.describe(row)[1]): model.index(row, 0).data()
            for row in range(model.rowCount())
        }

    wait_until(lambda: len(read()) == 4)
    engine.send_samples(DEMO_STACKS[:2], route="/a")
    engine.send_samples(DEMO_STACKS[:1])
    wait_until(lambda: len(read()) == 6)
    leaves = {leaf: value for (leaf, labels), value in read().items() if "/a" not in labels}
    assert leaves["json.decoder.decode"] == 2 * MS_10
    assert leaves["re.match"] == MS_10
    assert sum(1 for _, labels in read() if "route: /a" in labels) == 2
    session.document.threads.choose(frozenset({WORKER_TID}))
    wait_until(lambda: [leaf for leaf, _ in read()] == ["re.match"])
