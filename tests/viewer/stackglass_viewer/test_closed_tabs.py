"""Closed tabs: what they held is released, so that a window that is open for days does not grow."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from harness.profiles import encode_stacks
from stackglass_viewer.app import App
from stackglass_viewer.model.errors import CancelledError
from stackglass_viewer.presenter.document import graph_scene
from stackglass_viewer.presenter.document.document import Document

WaitUntil = Callable[[Callable[[], bool]], None]


def test_the_data_of_a_closed_tab_are_released(
    app: App, tmp_path: Path, wait_until: WaitUntil
) -> None:
    path = tmp_path / "a.pb.gz"
    path.write_bytes(encode_stacks("main;work 4\nmain;rest 2"))
    app.open_files((str(path),))
    wait_until(lambda: any(each.scene is not None for each in app.documents.values()))
    held = show_all_views(app, wait_until)
    app.window.page_close_requested.emit(app.window.page)
    wait_until(lambda: not app.tabs.leaving)
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    assert [name for name, each in held.items() if each() is not None] == []


def test_the_graph_of_a_closed_tab_is_freed_by_another_thread(
    app: App, tmp_path: Path, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A large one takes longer to unmap than a frame may take. The GUI thread freed it in a
    collection if the tab was closed while its call graph was being laid out."""
    begun, threads = threading.Event(), list[int]()

    def lay_out_slowly(_boxes: object, _edges: object, is_cancelled: Callable[[], bool]) -> None:
        begun.set()
        while not is_cancelled():
            time.sleep(0.001)
        raise CancelledError

    monkeypatch.setattr(graph_scene, "lay_out_graph", lay_out_slowly)
    path = tmp_path / "a.pb.gz"
    path.write_bytes(encode_stacks("main;work 4\nmain;rest 2"))
    app.open_files((str(path),))
    wait_until(lambda: any(each.scene is not None for each in app.documents.values()))
    ((page, document),) = app.documents.items()
    note_end(document, threads)
    page.show_view("graph")
    wait_until(begun.is_set)
    gc.disable()
    try:
        app.window.page_close_requested.emit(page)
        wait_until(lambda: not app.tabs.leaving)
        assert len(threads) == 3
    finally:
        gc.enable()
    assert threading.get_ident() not in threads


def note_end(document: Document, threads: list[int]) -> None:
    """Note the threads that will free three large arrays of a document's graph."""
    scene = document.scene
    assert scene is not None
    for array in (scene.tree.parent, scene.values.total, scene.layout.left):
        weakref.finalize(array, lambda: threads.append(threading.get_ident()))


def show_all_views(app: App, wait_until: WaitUntil) -> dict[str, weakref.ref[Any]]:
    """Show the views of the only tab. Returns what it holds."""
    ((page, document),) = app.documents.items()
    for view in ("top", "tree", "source", "summary", "graph"):
        page.show_view(view)
    page.show_view("sandwich")
    wait_until(lambda: document.sandwich.shown is not None)
    page.show_view("traces")
    wait_until(lambda: document.traces.model.rowCount() > 0)
    assert document.scene is not None
    assert document.top.table is not None
    return {
        "tree": weakref.ref(document.scene.tree.parent),
        "table": weakref.ref(document.top.table.flat),
        "page": weakref.ref(page),
        "document": weakref.ref(document),
    }
