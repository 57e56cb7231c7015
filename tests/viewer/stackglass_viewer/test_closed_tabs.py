"""Closed tabs: what they held is released, so that a window that is open for days does not grow."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication

from harness.profiles import encode_stacks
from stackglass_viewer.app import App

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
