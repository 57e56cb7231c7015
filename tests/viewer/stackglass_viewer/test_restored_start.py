"""The start page while the tabs of the last run come back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QSettings
from PySide6.QtWidgets import QApplication

from harness.profiles import encode_stacks
from stackglass_viewer.app import App

WaitUntil = Callable[[Callable[[], bool]], None]


@pytest.fixture
def path(tmp_path: Path) -> str:
    made = tmp_path / "a.pb.gz"
    made.write_bytes(encode_stacks("main;load 30\nmain 4"))
    return str(made)


@pytest.fixture
def first(app: App, path: str, wait_until: WaitUntil) -> App:
    """A window with a tab that it remembers."""
    app.restore_tabs()
    app.open_files((path,))
    wait_until(lambda: len(app.pages.restoring.list_records()) == 1)
    return app


Awaited = list[Callable[[], object]]
"""What waits until the modules of tabs are imported."""


@pytest.fixture
def second(
    qt: QApplication, settings: QSettings, first: App, monkeypatch: pytest.MonkeyPatch
) -> tuple[App, Awaited]:
    """The next run, which has begun to bring the tab back."""
    first.close()
    again, awaited = App(qt, settings, is_quiet=True), Awaited()
    monkeypatch.setattr(again._warm_up, "when_imported", awaited.append)
    again.window.show()
    again.restore_tabs()
    return again, awaited


def test_the_start_page_says_that_tabs_come_back(
    second: tuple[App, Awaited], wait_until: WaitUntil
) -> None:
    """Until the modules of tabs were imported, it stood there as if nothing came."""
    again, awaited = second
    assert again.window.loading.isVisible()
    text = again.window.loading._text.text()
    assert text == "Opening the tabs of the last session"
    awaited.pop(0)()
    wait_until(lambda: bool(awaited))  # the file is read
    again.window.loading.cancel_requested.emit()
    again.close()
    again.window.deleteLater()


def test_tabs_that_are_declined_while_modules_are_imported_do_not_come(
    second: tuple[App, Awaited], wait_until: WaitUntil
) -> None:
    again, awaited = second
    again.window.loading.cancel_requested.emit()
    assert not again.window.loading.isVisible()
    awaited.pop(0)()
    wait_until(lambda: not again.loader.is_busy)
    assert not again.documents
    assert not awaited
    assert not again.window.loading.isVisible()
    again.close()
    again.window.deleteLater()
