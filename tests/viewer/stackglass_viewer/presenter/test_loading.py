"""The loader: what it says while things are read, and after a cancel."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.errors import CancelledError, ContentError
from stackglass_viewer.presenter.loading import Loaded, Loader, LoadItem

_DEADLINE_S = 60


class Slow:
    """A thing that is read until it may end, or is cancelled."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.may_go_on = threading.Event()
        self.is_begun = threading.Event()

    def read(self, is_cancelled: Callable[[], bool], report: Callable[[float], None]) -> str:
        report(0.25)
        self.is_begun.set()
        assert self.may_go_on.wait(_DEADLINE_S)
        report(0.5)
        if is_cancelled():
            raise CancelledError
        return self.name


def begin(loader: Loader, name: str) -> Slow:
    slow = Slow(name)
    loader.run(LoadItem(name, name, slow.read))
    assert slow.is_begun.wait(_DEADLINE_S)
    return slow


def watch(loader: Loader) -> list[float | None]:
    """The shares that are shown, as they come; -1 = something is read, how much is not known."""
    shown: list[float | None] = []

    def add(progress: Any) -> None:
        share = progress and progress.share
        shown.append(-1 if progress and share is None else share)

    loader.progressed.connect(add)
    return shown


def test_a_cancel_shows_at_once_and_for_good(qt: QApplication, wait_until: Any) -> None:
    loader = Loader()
    shown = watch(loader)
    slow = begin(loader, "large")
    loader.cancel()
    assert shown == [-1, None]
    assert loader.is_busy  # its thread has not ended
    slow.may_go_on.set()
    wait_until(lambda: not loader.is_busy)
    assert {*shown[2:]} <= {None}


def test_what_is_opened_after_a_cancel_is_shown(qt: QApplication, wait_until: Any) -> None:
    loader = Loader()
    loaded: list[Loaded] = []
    loader.loaded.connect(loaded.append)
    first = begin(loader, "large")
    loader.cancel()
    shown = watch(loader)
    second = begin(loader, "small")
    first.may_go_on.set()
    second.may_go_on.set()
    wait_until(lambda: not loader.is_busy)
    assert [each.content for each in loaded] == ["small"]
    assert shown[0] == -1
    assert shown[-1] is None


def test_what_was_read_before_a_cancel_is_not_shown_after_it(qt: QApplication) -> None:
    """A tab was opened for it, even in a program that had closed its windows."""
    loader = Loader()
    loaded: list[Loaded] = []
    loader.loaded.connect(loaded.append)
    slow = begin(loader, "large")
    slow.may_go_on.set()
    (reading,) = loader._readings
    assert reading.thread is not None
    reading.thread.join(_DEADLINE_S)
    loader.cancel()
    qt.processEvents()
    assert not loader.is_busy
    assert not loaded


@pytest.mark.parametrize(
    ("verb", "error", "text"),
    [
        ("Comparing", ContentError("they differ"), "cannot compare a and b: they differ"),
        ("Keeping", ContentError("it is too old"), "cannot keep a and b: it is too old"),
        ("Opening", PermissionError(13, "Denied"), "cannot open a and b: denied"),
        ("Opening", ContentError("cannot open a and b: empty"), "cannot open a and b: empty"),
        ("Fetching", ContentError("no answer"), "a and b: no answer"),
    ],
)
def test_an_error_begins_with_what_could_not_be_done(
    verb: str, error: Exception, text: str, qt: QApplication, wait_until: Any
) -> None:
    """Else the sentence would begin with a file's name, and give it a capital letter."""

    def read(*_: object) -> None:
        raise error

    loader = Loader()
    failed: list[str] = []
    loader.failed.connect(lambda failure: failed.append(failure.text))
    loader.run(LoadItem("/tmp/a", "a and b", read, verb))
    wait_until(lambda: failed)
    assert failed == [text]


def test_a_name_with_a_newline_or_a_direction_mark_is_safe_to_show(
    qt: QApplication, wait_until: Any
) -> None:
    name, shown = "a\n\u202eb.txt", "a\ufffd\ufffdb.txt"
    loader = Loader()
    texts: list[str] = []
    titles: list[str] = []
    loader.failed.connect(lambda failure: texts.append(failure.text))
    loader.progressed.connect(lambda progress: titles.append(progress.name) if progress else None)

    def refuse(_is_cancelled: object, _report: object) -> None:
        raise ContentError(f"cannot open {name}: it is empty")

    loader.run(LoadItem(f"/tmp/{name}", name, refuse))
    wait_until(lambda: bool(texts))
    assert texts == [f"cannot open {shown}: it is empty"]
    assert titles == [shown]
