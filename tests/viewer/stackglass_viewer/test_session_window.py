"""A capture saved as a session in the window, and opened there again."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.synthetic_engine import WORKER_TID, SyntheticEngine
from harness.window_session import WindowSession
from stackglass_viewer.app import App
from stackglass_viewer.model.session.saved_session import open_saved_session
from stackglass_viewer.presenter.live.document import LiveDocument
from stackglass_viewer.view.dialogs import questions as dialogs

WaitUntil = Callable[[Callable[[], bool]], None]


def test_a_saved_session_opens_with_its_filters(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil, tmp_path: Path
) -> None:
    engine = SyntheticEngine(os.getpid())
    engine.send_hello()
    session = WindowSession(app, engine, monkeypatch, wait_until)
    engine.send_ready()
    engine.send_samples(route="/a")
    engine.send_status()
    wait_until(lambda: session.document.status.n_samples == 4 and session.total > 0)
    path = str(tmp_path / "shop.sgm")
    monkeypatch.setattr(dialogs.SaveDialog, "exec", lambda _dialog: 1)
    monkeypatch.setattr(dialogs, "ask_save_path", lambda *_: path)
    assert session.document.is_unsaved
    app.window.save_requested.emit()
    wait_until(lambda: app.recent.paths == (path,))
    assert not session.document.is_unsaved
    app.open_files((path,))
    wait_until(lambda: len(app.documents) == 2)
    document = list(app.documents.values())[1]
    assert isinstance(document, LiveDocument)
    wait_until(lambda: document.scene is not None)
    assert document.title == "shop.sgm"
    assert document.scene is not None
    assert document.scene.total == session.total
    assert not document.is_unsaved
    document.clear()
    document.labels.choose(frozenset({("route", "/b")}))
    wait_until(lambda: document.scene is not None and document.scene.total == 0)
    document.labels.choose(frozenset({("route", "/a")}))
    document.tids = frozenset({WORKER_TID})
    document.build()
    wait_until(lambda: document.scene is not None and 0 < document.scene.total < session.total)


def test_a_capture_that_is_saved_as_its_tab_closes_is_written_first(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil, tmp_path: Path
) -> None:
    """Where that fails, it stays: nothing else has it."""
    engine = SyntheticEngine(os.getpid())
    session = WindowSession(app, engine, monkeypatch, wait_until)
    engine.send_ready()
    engine.send_samples()
    engine.send_status()
    wait_until(lambda: session.document.is_unsaved)
    paths = ["/nowhere/at/all.sgm", str(tmp_path / "shop.sgm")]
    monkeypatch.setattr(app.pages.captures, "_is_quiet", False)
    monkeypatch.setattr(dialogs.SaveDialog, "exec", lambda _dialog: 1)
    monkeypatch.setattr(dialogs, "ask_discard", lambda *_: "save")
    monkeypatch.setattr(dialogs, "ask_save_path", lambda *_: paths[0])
    app.window.page_close_requested.emit(session.page)
    wait_until(lambda: session.page.message.notice is not None)
    assert session.page.message.notice is not None
    assert session.page.message.notice.text.startswith("cannot write /nowhere")
    assert session.page in app.documents
    paths.pop(0)
    app.window.page_close_requested.emit(session.page)
    wait_until(lambda: not app.documents)
    assert Path(paths[0]).is_file()


def test_the_span_of_the_timeline_is_in_the_file(
    app: App, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil, tmp_path: Path
) -> None:
    engine = SyntheticEngine(os.getpid())
    session = WindowSession(app, engine, monkeypatch, wait_until)
    engine.send_ready()
    engine.send_samples()
    engine.send_status()
    wait_until(lambda: session.total > 0)
    session.document.brush.choose((10_000_000, 50_000_000))
    wait_until(lambda: session.document.brush.chosen is not None)
    chosen = session.document.brush.chosen
    path = str(tmp_path / "shop.sgm")
    session.document.saver.save(session.document.saveable, path, "session")
    wait_until(Path(path).is_file)
    app.open_files((path,))
    wait_until(lambda: len(app.documents) == 2)
    document = list(app.documents.values())[1]
    assert isinstance(document, LiveDocument)
    wait_until(lambda: document.brush.chosen == chosen)
    assert document.timeline.markers.marks.mode == "span"
    page = list(app.documents)[1]
    assert page.live is not None
    page.live.show_timeline(True)
    wait_until(lambda: document.timeline.markers.whole is not None)
    panel = page.live.timeline
    wait_until(lambda: panel._plot is not None)
    assert panel._modes.button("span").isChecked(), "the plot came after the span"
    document.replay.toggle()
    wait_until(lambda: document.timeline.markers.marks.is_replay)
    document.replay.pause()
    document.brush.drop()
    copy = str(tmp_path / "copy.sgm")
    document.saver.save(document.saveable, copy, "session")
    wait_until(Path(copy).is_file)
    assert open_saved_session(copy).marks is None
