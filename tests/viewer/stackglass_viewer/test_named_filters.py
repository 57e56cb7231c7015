"""Named sets of filters in the window: saved in one tab, used in another."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMenu

from harness.profiles import encode_stacks
from harness.synthetic_engine import DEMO_STACKS, SyntheticEngine
from harness.timed_files import write_trace
from harness.window_session import WindowSession
from stackglass_viewer import named_filters
from stackglass_viewer.app import App
from stackglass_viewer.model.profile.label_table import LabelPattern
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.settings.filter_sets import FilterSet
from stackglass_viewer.presenter.settings.thread_choice import NamePattern, ThreadChoice

WaitUntil = Callable[[Callable[[], bool]], None]
CORPUS = Path(__file__).resolve().parents[2] / "corpus"
MS = 1_000_000
STEPS = (Transform(TransformKind.DROP, "idle"), Transform(TransformKind.RECURSION))


def open_file(app: App, path: Path, wait_until: WaitUntil) -> Document:
    n_tabs = len(app.documents)
    app.open_files([str(path)])
    wait_until(lambda: len(app.documents) > n_tabs)
    document = list(app.documents.values())[-1]
    wait_until(lambda: document.info is not None)
    return document


def write_stacks(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_bytes(encode_stacks("main;work 30\nmain;idle 20"))
    return path


def trigger(menu: QMenu, text: str) -> None:
    next(each for each in menu.actions() if each.text() == text).trigger()


def texts_of(menu: QMenu) -> list[str]:
    return [each.text() for each in menu.actions() if each.text()]


def total_of(document: Document) -> int:
    return document.scene.total if document.scene is not None else 0


def test_a_set_of_one_tab_is_used_in_another(
    app: App, tmp_path: Path, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    menu = app.window.filters
    first = open_file(app, write_stacks(tmp_path, "a.pb.gz"), wait_until)
    first.transforms.choose(STEPS)
    monkeypatch.setattr(named_filters, "ask_set_name", lambda *_: "no idling & co")
    trigger(menu, "&Save the filters as a set…")
    assert "no idling && co" in texts_of(menu)
    second = open_file(app, write_stacks(tmp_path, "b.pb.gz"), wait_until)
    wait_until(lambda: app.window.page is list(app.documents)[-1])
    second.transforms.add(Transform(TransformKind.DROP, "work"))
    trigger(menu, "no idling && co")
    assert second.transforms.chosen == STEPS
    wait_until(lambda: total_of(second) == 30)
    assert second.filters.undo()
    assert [step.name for step in second.transforms.chosen] == ["work"]
    (removal,) = (each for each in menu.findChildren(QMenu) if each.title() == "&Remove a set")
    trigger(removal, "no idling && co")
    assert texts_of(menu) == ["&Save the filters as a set…"]


def test_threads_and_a_span_are_in_a_set(
    app: App, tmp_path: Path, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = open_file(app, write_trace(tmp_path / "a.json"), wait_until)
    first.brush.choose((100 * MS, 150 * MS))
    first.labels.add(LabelPattern("thread", "^main"))
    monkeypatch.setattr(named_filters, "ask_set_name", lambda *_: "saving")
    trigger(app.window.filters, "&Save the filters as a set…")
    second = open_file(app, write_trace(tmp_path / "b.json"), wait_until)
    wait_until(lambda: app.window.page is list(app.documents)[-1])
    trigger(app.window.filters, "saving")
    assert second.filters.current == first.filters.current
    third = open_file(app, write_stacks(tmp_path, "c.pb.gz"), wait_until)
    wait_until(lambda: app.window.page is list(app.documents)[-1])
    trigger(app.window.filters, "saving")
    assert third.brush.chosen is None
    assert third.labels.chosen == first.labels.chosen
    assert app.window.message.isVisible()  # says that there are no times


def test_a_pattern_of_threads_fits_files_and_processes(
    app: App, tmp_path: Path, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = ThreadChoice(named=NamePattern("^wo", True))
    app.pages.filters.sets.save("workers", FilterSet(threads=named))
    label = LabelPattern("thread", "^main")
    app.pages.filters.sets.save("main", FilterSet(labels=frozenset({label})))
    file = open_file(app, write_trace(tmp_path / "a.json"), wait_until)
    trigger(app.window.filters, "workers")
    assert file.labels.chosen == {LabelPattern("thread", "^wo", True)}
    engine = SyntheticEngine(os.getpid())
    session = WindowSession(app, engine, monkeypatch, wait_until)
    engine.send_hello()
    engine.send_ready()
    engine.send_samples(DEMO_STACKS)
    wait_until(lambda: session.total > 0)
    trigger(app.window.filters, "workers")
    assert session.document.threads.named == named.named
    trigger(app.window.filters, "main")
    assert session.document.threads.named == NamePattern("^main")
    assert session.document.labels.chosen == frozenset()


def test_nothing_is_saved_without_filters_or_a_name(
    app: App, tmp_path: Path, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = open_file(app, write_stacks(tmp_path, "a.pb.gz"), wait_until)
    asked: list[tuple[str, ...]] = []

    def ask(_parent: object, known: tuple[str, ...]) -> str:
        asked.append(known)
        return ""

    monkeypatch.setattr(named_filters, "ask_set_name", ask)
    trigger(app.window.filters, "&Save the filters as a set…")
    assert asked == []
    assert app.window.message.isVisible()
    document.transforms.choose(STEPS)
    trigger(app.window.filters, "&Save the filters as a set…")
    assert asked == [()]
    assert app.pages.filters.sets.names == ()


def test_a_profile_without_stacks_says_so(app: App, wait_until: WaitUntil) -> None:
    app.pages.filters.sets.save("mine", FilterSet(STEPS))
    document = open_file(app, CORPUS / "cprofile.workload.py3.12.prof", wait_until)
    trigger(app.window.filters, "mine")
    assert document.transforms.chosen == ()
    assert app.window.message.isVisible()
