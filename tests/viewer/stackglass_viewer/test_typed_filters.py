"""Typed filters in the window: by label, state, thread and time, of files and of a process."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QMenu, QToolButton, QWidget

from harness.synthetic_engine import DEMO_STACKS, MAIN_TID, WORKER_TID, SyntheticEngine
from harness.timed_files import write_trace
from harness.window_session import WindowSession
from stackglass_viewer.app import App
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.settings.typed_filters import KINDS, FilterTarget, TypedKind
from stackglass_viewer.view.dialogs.pattern_dialog import PatternDialog
from stackglass_viewer.view.window.profile_page import ProfilePage

WaitUntil = Callable[[Callable[[], bool]], None]
MS, MS_10 = 1_000_000, 10_000_000
CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


class Typist:
    """A user of the dialog: what is offered is kept, and one kind is chosen and typed."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.offered: set[FilterTarget] = set()
        self.found = ""  # in the field, as the dialog opened
        self._target, self._is_excluded, self._text = FilterTarget.FRAMES, False, ""
        monkeypatch.setattr(PatternDialog, "exec", lambda dialog: self._answer(dialog))

    def will_type(self, target: FilterTarget, text: str, is_excluded: bool = False) -> None:
        self._target, self._is_excluded, self._text = target, is_excluded, text

    def _answer(self, dialog: PatternDialog) -> int:
        words = [dialog.kind.itemText(row) for row in range(dialog.kind.count())]
        kinds: dict[str, TypedKind] = {kind.words: kind for kind in KINDS}
        self.offered = {kinds[each].target for each in words}
        self.found = dialog.pattern.text()
        wanted = (self._target, self._is_excluded)
        rows = [
            row
            for row, each in enumerate(words)
            if (kinds[each].target, kinds[each].is_excluded) == wanted
        ]
        dialog.kind.setCurrentIndex(rows[0])
        dialog.pattern.setText("")
        assert not dialog._apply.isEnabled()
        dialog.pattern.setText(self._text)
        assert dialog._apply.isEnabled()
        return int(QDialog.DialogCode.Accepted)


@pytest.fixture
def typist(monkeypatch: pytest.MonkeyPatch) -> Typist:
    return Typist(monkeypatch)


def press(app: App) -> None:
    app.window.activateWindow()
    QTest.keyClick(app.window, Qt.Key.Key_F, CTRL | SHIFT)


def total_of(document: Document) -> int:
    """Rounded to ms: calls of a trace lie a little apart."""
    scene = document.scene
    return round(scene.total / MS) if scene is not None else 0


def list_chips(bar: QWidget) -> list[str]:
    buttons = (each for each in bar.findChildren(QToolButton) if each.isVisible())
    words = [each.text().removeprefix("\u200e") for each in buttons]
    return [each for each in words if each not in ("Clear", "Undo")]


def choose(menu: QMenu, text: str) -> None:
    next(each for each in menu.actions() if each.text() == text).trigger()
    menu.deleteLater()


class TraceWindow:
    """The tab of a file with two threads: main has 300 ms, work 100."""

    def __init__(self, app: App, folder: Path, wait_until: WaitUntil) -> None:
        app.open_files([str(write_trace(folder / "app.json"))])
        wait_until(lambda: app.window.page is not None)
        ((self.page, self.document),) = app.documents.items()
        self.app = app
        wait_until(lambda: total_of(self.document) == 400)

    page: ProfilePage
    document: Document


@pytest.fixture
def window(app: App, tmp_path: Path, wait_until: WaitUntil) -> TraceWindow:
    return TraceWindow(app, tmp_path, wait_until)


def test_threads_of_a_file_are_typed_edited_and_undone(
    window: TraceWindow, typist: Typist, wait_until: WaitUntil
) -> None:
    bar = window.page.label_bar
    typist.will_type(FilterTarget.THREAD, "^wo")
    press(window.app)
    wait_until(lambda: total_of(window.document) == 100)
    assert list_chips(bar) == ["thread ~ ^wo"]
    assert {
        FilterTarget.FRAMES,
        FilterTarget.LABEL,
        FilterTarget.THREAD,
        FilterTarget.TIME,
    } <= typist.offered
    choose(bar.make_menu(0), "not thread ~ ^wo")
    wait_until(lambda: total_of(window.document) == 300)
    typist.will_type(FilterTarget.LABEL, "thread=main")
    choose(bar.make_menu(0), "&Edit the filter…")
    assert typist.found == "thread=^wo"
    wait_until(lambda: list_chips(bar) == ["thread ~ main"])
    wait_until(lambda: total_of(window.document) == 300)
    for chips in (["not thread ~ ^wo"], ["thread ~ ^wo"], []):
        QTest.keyClick(window.app.window, Qt.Key.Key_Z, CTRL)
        assert list_chips(bar) == chips
    wait_until(lambda: total_of(window.document) == 400)


def test_a_key_without_anything_to_undo_is_answered(window: TraceWindow) -> None:
    for keys, word in ((CTRL, "undo"), (CTRL | Qt.KeyboardModifier.ShiftModifier, "redo")):
        QTest.keyClick(window.app.window, Qt.Key.Key_Z, keys)
        notice = window.page.message.notice
        assert notice is not None
        assert notice.text == f"There is no filter to {word}."


def test_what_nothing_passes_keeps_its_chip(
    window: TraceWindow, typist: Typist, wait_until: WaitUntil
) -> None:
    typist.will_type(FilterTarget.LABEL, "route=/api")
    press(window.app)
    wait_until(lambda: total_of(window.document) == 0)
    assert list_chips(window.page.label_bar) == ["route ~ /api"]
    assert window.page.graphs._placeholder[0] == "Nothing left"
    QTest.keyClick(window.app.window, Qt.Key.Key_Z, CTRL)
    wait_until(lambda: total_of(window.document) == 400)


def test_a_span_is_typed_and_edited(
    window: TraceWindow, typist: Typist, wait_until: WaitUntil
) -> None:
    typist.will_type(FilterTarget.TIME, "100 ms - 150 ms")
    press(window.app)
    wait_until(lambda: total_of(window.document) == 50)
    typist.will_type(FilterTarget.TIME, "0.1-0.125")
    choose(window.page.span_bar.make_menu(), "&Edit the span…")
    assert typist.found.startswith("100 ms to 150 ms")
    wait_until(lambda: total_of(window.document) == 25)
    choose(window.page.span_bar.make_menu(), "&Remove")
    wait_until(lambda: total_of(window.document) == 400)


def test_a_value_that_was_clicked_can_be_left_out_instead(
    window: TraceWindow, wait_until: WaitUntil
) -> None:
    window.document.labels.choose_only(("thread", "main"))
    wait_until(lambda: total_of(window.document) == 300)
    choose(window.page.label_bar.make_menu(0), "not thread ~ ^main$")
    wait_until(lambda: total_of(window.document) == 100)


def test_threads_of_a_process_are_those_of_a_name_also_later_ones(
    app: App, monkeypatch: pytest.MonkeyPatch, typist: Typist, wait_until: WaitUntil
) -> None:
    engine = SyntheticEngine(os.getpid())
    session = WindowSession(app, engine, monkeypatch, wait_until)
    engine.send_hello()
    engine.send_ready()
    engine.send_samples(DEMO_STACKS[:3])  # of the main thread
    wait_until(lambda: session.total == 3 * MS_10)
    document = session.document
    document.choose_span("All")
    typist.will_type(FilterTarget.THREAD, "^no such", is_excluded=False)
    press(app)
    wait_until(lambda: document.threads.chosen == frozenset())
    wait_until(lambda: session.total == 0)
    typist.will_type(FilterTarget.THREAD, "^MainThread$", is_excluded=True)
    press(app)
    assert document.threads.summary == "not /^MainThread$/"
    engine.send_samples(DEMO_STACKS[3:])  # of a thread that was not known
    wait_until(lambda: session.total == MS_10)
    assert document.threads.chosen == frozenset({WORKER_TID})
    document.threads.choose(frozenset({MAIN_TID}))
    wait_until(lambda: session.total == 3 * MS_10)
    assert document.threads.named is None
    QTest.keyClick(app.window, Qt.Key.Key_Z, CTRL)
    assert document.threads.summary == "not /^MainThread$/"
    wait_until(lambda: session.total == MS_10)
    session.page.step_requested.emit(-1)
    assert document.threads.chosen == frozenset({MAIN_TID})


def test_threads_of_a_process_have_a_chip_that_is_edited_removed_and_undone(
    app: App, monkeypatch: pytest.MonkeyPatch, typist: Typist, wait_until: WaitUntil
) -> None:
    engine = SyntheticEngine(os.getpid())
    session = WindowSession(app, engine, monkeypatch, wait_until)
    engine.send_hello()
    engine.send_ready()
    engine.send_samples()
    wait_until(lambda: session.total == 4 * MS_10)
    document, live = session.document, session.page.live
    assert live is not None
    bar = live.thread_bar
    assert not bar.isVisible()
    document.threads.choose(frozenset({MAIN_TID}))
    assert list_chips(bar) == ["MainThread"]
    QTest.mouseClick(bar.findChildren(QToolButton)[0], Qt.MouseButton.LeftButton)
    assert (bar.isVisible(), document.threads.chosen) == (False, None)
    QTest.keyClick(app.window, Qt.Key.Key_Z, CTRL)
    assert list_chips(bar) == ["MainThread"]
    QTest.keyClick(app.window, Qt.Key.Key_Z, CTRL)
    assert not bar.isVisible()
    typist.will_type(FilterTarget.THREAD, "^Main")
    press(app)
    assert list_chips(bar) == ["/^Main/"]
    typist.will_type(FilterTarget.THREAD, "^Main", is_excluded=True)
    choose(bar.make_menu(), "&Edit the pattern…")
    assert typist.found == "^Main"
    assert list_chips(bar) == ["not /^Main/"]
    number = document.placing.number
    session.page.graphs.reset_zoom()
    assert document.placing.number not in (None, number), "boxes are placed anew"
    session.page.focus_view()
    QTest.keyClick(session.page.graphs.focus_target, Qt.Key.Key_Escape)
    assert not bar.isVisible()


def test_a_span_is_undone_by_key_and_by_going_back(
    window: TraceWindow, typist: Typist, wait_until: WaitUntil
) -> None:
    typist.will_type(FilterTarget.TIME, "100 ms - 150 ms")
    press(window.app)
    wait_until(lambda: total_of(window.document) == 50)
    QTest.keyClick(window.app.window, Qt.Key.Key_Z, CTRL)
    wait_until(lambda: total_of(window.document) == 400)
    window.page.step_requested.emit(-1)
    wait_until(lambda: total_of(window.document) == 50)


def test_a_filter_that_is_edited_without_a_change_stays_as_it_is(
    window: TraceWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The text of a span is rounded, and that of a value is a pattern."""
    monkeypatch.setattr(PatternDialog, "exec", lambda _: int(QDialog.DialogCode.Accepted))
    document, span, label = window.document, (100_123_456, 150_654_321), ("thread", "main")
    document.brush.choose(span)
    choose(window.page.span_bar.make_menu(), "&Edit the span…")
    assert document.brush.chosen == span
    document.labels.choose_only(label)
    choose(window.page.label_bar.make_menu(0), "&Edit the filter…")
    assert document.labels.chosen == {label}
