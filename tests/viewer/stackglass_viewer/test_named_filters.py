"""Named sets of filters in the window: saved in one tab, used in another."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QMenu

from harness.profiles import encode_stacks
from stackglass_viewer import named_filters
from stackglass_viewer.app import App
from stackglass_viewer.model.profile.transforms import Transform, TransformKind
from stackglass_viewer.presenter.document.document import Document
from stackglass_viewer.presenter.settings.filter_sets import FilterSet

WaitUntil = Callable[[Callable[[], bool]], None]
CORPUS = Path(__file__).resolve().parents[2] / "corpus"
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
