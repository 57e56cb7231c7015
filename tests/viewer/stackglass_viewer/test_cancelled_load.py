"""A load that is cancelled after its file was read, while the modules of pages are imported."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from harness.profiles import encode_stacks
from stackglass_viewer.app import App
from stackglass_viewer.model.memory_trace.any_file import open_any
from stackglass_viewer.presenter.loading import Loaded
from stackglass_viewer.presenter.settings.view_state import LoadProgress
from stackglass_viewer.warm_up import WarmUp

WaitUntil = Callable[[Callable[[], bool]], None]


@pytest.fixture
def loaded(app: App, tmp_path: Path) -> Loaded:
    """A file that was read. The warm-up of the window has begun, and takes no step by itself."""
    path = tmp_path / "cpu.pb.gz"
    path.write_bytes(encode_stacks("main;load 10"))
    app._warm_up = WarmUp(lambda: iter(("sample",)), app._collector)  # the fixture's has ended
    app.start_warm_up()
    app._warm_up._timer.stop()
    return Loaded(str(path), open_any(str(path)))


def read_file(app: App, loaded: Loaded) -> None:
    """Report what the loader reports of a file."""
    app.loader.progressed.emit(LoadProgress("cpu.pb.gz", 1.0))
    app.loader.loaded.emit(loaded)
    app.loader.progressed.emit(None)
    app._warm_up._timer.stop()
    assert app._warm_up.is_awaited
    assert app.window.loading.isVisibleTo(app.window)


def import_all(app: App) -> None:
    while app._warm_up.is_awaited:
        assert app._warm_up.go_on()


def test_its_tab_does_not_open(app: App, loaded: Loaded, wait_until: WaitUntil) -> None:
    read_file(app, loaded)
    app.window.loading.cancel_requested.emit()
    assert not app.window.loading.isVisibleTo(app.window)
    import_all(app)
    assert not app.tabs.is_opening
    assert app.tabs.all == ()
    assert not app.window.loading.isVisibleTo(app.window)
    app.loader.loaded.emit(loaded)  # once more, when the imports are done
    wait_until(lambda: len(app.documents) == 1)


def test_a_file_that_is_read_after_that_opens(
    app: App, loaded: Loaded, wait_until: WaitUntil
) -> None:
    read_file(app, loaded)
    app.window.loading.cancel_requested.emit()
    read_file(app, loaded)
    import_all(app)
    wait_until(lambda: len(app.documents) == 1 and not app.tabs.is_opening)


def test_what_else_waits_for_the_imports_goes_on(app: App, loaded: Loaded) -> None:
    done: list[str] = []
    read_file(app, loaded)
    app._warm_up.when_imported(lambda: done.append("tabs of the last run"))
    app._warm_up._timer.stop()
    app.window.loading.cancel_requested.emit()
    import_all(app)
    assert done == ["tabs of the last run"]
    assert app.tabs.all == ()
