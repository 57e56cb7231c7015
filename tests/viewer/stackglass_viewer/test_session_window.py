"""A capture saved as a session in the window, and opened there again."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.synthetic_engine import WORKER_TID, SyntheticEngine
from harness.window_session import WindowSession
from stackglass_viewer.app import App
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
