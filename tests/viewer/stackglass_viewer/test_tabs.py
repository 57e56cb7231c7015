"""Tabs come in steps, and go with their document's threads."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication

from stackglass_viewer.model.live_profile import LiveProfile
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.live.source import LiveSource
from stackglass_viewer.presenter.settings.palettes import GraphStyle, choose_palette
from stackglass_viewer.tabs import Tabs
from stackglass_viewer.view.widgets.theme import load_theme
from stackglass_viewer.view.window.profile_page import ProfilePage

MakePage = Callable[[], ProfilePage]
WaitUntil = Callable[[Callable[[], bool]], None]


@pytest.fixture
def window(qt: QApplication) -> Iterator[QObject]:
    made = QObject()
    yield made
    made.deleteLater()


@pytest.fixture
def opened() -> list[str]:
    """A word for each time that no tab was on its way any more."""
    return []


@pytest.fixture
def tabs(window: QObject, opened: list[str]) -> Iterator[Tabs]:
    made = Tabs(window, lambda: opened.append("opened"))
    yield made
    pages = list(made.documents)
    made.end()
    for page in pages:
        page.deleteLater()


@pytest.fixture
def document(window: QObject) -> Document:
    return Document(
        LiveSource(LiveProfile(), 1), GraphStyle("cost", choose_palette("module", False)), window
    )


@pytest.fixture
def make_page(document: Document) -> MakePage:
    return lambda: ProfilePage(document.top, document.memory, load_theme("light"))


def test_nothing_is_made_at_once(
    tabs: Tabs, document: Document, make_page: MakePage, wait_until: WaitUntil
) -> None:
    done: list[str] = []
    tabs.open(
        document,
        make_page,
        (lambda _: done.append("connected"), lambda _: done.append("placed")),
    )
    assert not tabs.documents
    assert not done
    wait_until(lambda: len(done) == 2)
    assert done == ["connected", "placed"]
    assert list(tabs.documents.values()) == [document]


def test_each_step_leaves_room_for_other_events(
    tabs: Tabs, document: Document, make_page: MakePage, qt: QApplication, wait_until: WaitUntil
) -> None:
    n_events: list[int] = []
    n_passed = 0

    def note(_: ProfilePage) -> None:
        n_events.append(n_passed)

    tabs.open(document, make_page, (note, note, note))
    while len(n_events) < 3:
        n_passed += 1
        qt.processEvents()
    assert len(set(n_events)) == 3


def test_a_page_that_comes_in_parts_is_a_tab_when_it_is_whole(
    tabs: Tabs, document: Document, qt: QApplication
) -> None:
    page = ProfilePage(document.top, document.memory, load_theme("light"), is_whole=False)
    done: list[ProfilePage] = []
    tabs.open(document, lambda: page, (done.append,))
    n_parts = 0
    while not tabs.documents:
        assert not hasattr(page, "span_bar")
        qt.processEvents()
        n_parts += 1
    assert n_parts > 2
    assert not next(page.parts, False)
    assert not done
    qt.processEvents()
    assert done == [page]


def test_it_is_said_when_the_last_tab_is_there(
    tabs: Tabs, document: Document, make_page: MakePage, opened: list[str], wait_until: WaitUntil
) -> None:
    done: list[bool] = []

    def note(_: ProfilePage) -> None:
        done.append(tabs.is_opening and not opened)

    tabs.open(document, make_page, (note, note))
    assert tabs.is_opening
    wait_until(lambda: not tabs.is_opening)
    assert done == [True, True]
    assert opened == ["opened"]


@pytest.mark.parametrize("failing", ["make", "part", "step"])
def test_a_tab_that_cannot_be_made_is_not_waited_for(
    tabs: Tabs,
    document: Document,
    make_page: MakePage,
    opened: list[str],
    wait_until: WaitUntil,
    monkeypatch: pytest.MonkeyPatch,
    failing: str,
) -> None:
    """The bar that says what is loaded stayed for ever."""
    raised: list[object] = []
    monkeypatch.setattr(sys, "excepthook", lambda _kind, error, _trace: raised.append(error))

    def fail_to_grow() -> Iterator[bool]:
        yield True
        raise ZeroDivisionError

    def make() -> ProfilePage:
        if failing == "make":
            raise ZeroDivisionError
        page = make_page()
        pages.append(page)
        if failing == "part":
            page.parts = fail_to_grow()
        return page

    def fail(_page: ProfilePage) -> None:
        raise ZeroDivisionError

    pages: list[ProfilePage] = []
    done: list[ProfilePage] = []
    tabs.open(document, make, (fail, done.append))
    wait_until(lambda: bool(raised))
    assert [*map(type, raised)] == [ZeroDivisionError]
    assert not tabs.is_opening
    assert opened == ["opened"]
    assert not done
    for page in pages:
        page.deleteLater()


def test_a_page_is_not_finished_for_a_document_that_has_ended(
    tabs: Tabs, document: Document, qt: QApplication
) -> None:
    page = ProfilePage(document.top, document.memory, load_theme("light"), is_whole=False)
    gone: list[bool] = []
    page.destroyed.connect(lambda: gone.append(True))
    tabs.open(document, lambda: page, ())
    qt.processEvents()
    tabs.end()
    qt.processEvents()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    assert not tabs.documents
    assert not tabs.is_opening
    assert gone


def test_a_tab_closed_on_its_way_takes_no_more_steps(
    tabs: Tabs, document: Document, make_page: MakePage, wait_until: WaitUntil
) -> None:
    done: list[ProfilePage] = []

    def close(page: ProfilePage) -> None:
        tabs.close(page)
        page.deleteLater()

    tabs.open(document, make_page, (close, done.append))
    wait_until(lambda: not tabs.leaving and not tabs.documents)
    wait_until(lambda: not tabs.is_opening)
    assert not done


def test_a_document_without_a_page_ends_with_the_others(
    tabs: Tabs, document: Document, make_page: MakePage, qt: QApplication
) -> None:
    tabs.open(document, make_page, ())
    tabs.end()
    qt.processEvents()
    assert not tabs.documents
