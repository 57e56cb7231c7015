"""A load or an attach that is cancelled while the modules of pages are imported."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.profiles import encode_stacks
from harness.synthetic_engine import SyntheticEngine
from harness.window_session import make_target
from stackglass_viewer import captures as composition
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


def test_a_process_to_attach_to_is_named_until_its_tab_is_there(
    app: App, loaded: Loaded, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    """The start page stood there as if nothing came, for seconds on a busy machine."""
    engine = SyntheticEngine(os.getpid())
    monkeypatch.setattr(composition, "connect_engine", lambda _pid, _hz: engine)
    app.attach_soon(make_target(os.getpid(), 100))
    app._warm_up._timer.stop()
    assert app.window.loading._text.text() == f"Attaching to process {os.getpid()}"
    while app._warm_up.is_awaited:
        assert app.window.loading.isVisibleTo(app.window)
        app._warm_up.go_on()
    assert app.tabs.is_opening
    assert app.window.loading.isVisibleTo(app.window)
    wait_until(lambda: len(app.documents) == 1 and not app.tabs.is_opening)
    assert not app.window.loading.isVisibleTo(app.window)
    app.attach_soon(make_target(os.getpid(), 100))  # brings up its tab
    assert len(app.documents) == 1
    assert not app.window.loading.isVisibleTo(app.window)


def test_a_process_is_not_attached_to_if_that_is_cancelled(app: App, loaded: Loaded) -> None:
    app.attach_soon(make_target(os.getpid(), 100))
    app.window.loading.cancel_requested.emit()
    import_all(app)
    assert app.tabs.all == ()
    assert not app.window.loading.isVisibleTo(app.window)
