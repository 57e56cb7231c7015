"""A tab that was there when pyqtgraph was imported: the collector never visits its objects."""

from __future__ import annotations

import gc
import os
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from harness.synthetic_engine import SyntheticEngine
from harness.window_session import make_target
from stackglass_viewer import captures as composition
from stackglass_viewer.app import App

WaitUntil = Callable[[Callable[[], bool]], None]


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> SyntheticEngine:
    made = SyntheticEngine(os.getpid())
    monkeypatch.setattr(composition, "connect_engine", lambda _pid, _hz: made)
    return made


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


def test_its_data_are_released_when_it_is_closed(
    app: App, engine: SyntheticEngine, wait_until: WaitUntil
) -> None:
    held = show_and_freeze(app, engine, wait_until)
    app.window.page_close_requested.emit(app.window.page)
    wait_until(lambda: not app.tabs.leaving)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert [name for name, each in held.items() if each() is not None] == []


def show_and_freeze(
    app: App, engine: SyntheticEngine, wait_until: WaitUntil
) -> dict[str, weakref.ref[Any]]:
    """Attach, show the timeline and the call tree, and freeze. Returns what is large."""
    document = app.attach(make_target(os.getpid(), 100))
    engine.send_ready()
    engine.send_samples()
    wait_until(lambda: document.scene is not None and document.scene.total > 0)
    wait_until(lambda: app.window.page is not None and app.window.page.live is not None)
    page = app.window.page
    assert page is not None
    live = page.live
    assert live is not None
    live.show_timeline(True)
    wait_until(lambda: live.timeline._plot is not None)
    page.show_view("tree")
    wait_until(lambda: page.tables.tree is not None and page.tables.tree._model.scene is not None)
    page.show_view("flame")
    gc.collect()
    gc.freeze()  # as the import has done, here certainly with all of the tab
    assert document.scene is not None
    return {
        "tree of the graph": weakref.ref(document.scene.tree.parent),
        "heap": weakref.ref(document.live._heap),
        "samples": weakref.ref(document.live._samples),
        "tree of all stacks": weakref.ref(document.live._tree),
    }
