"""Several files as one tab: their sum, its name, and what cannot be added up."""

from __future__ import annotations

import marshal
from collections.abc import Callable
from pathlib import Path

import pytest

from harness.profiles import encode_stacks
from stackglass.cli import main
from stackglass_viewer.app import App
from stackglass_viewer.presenter import opened_folder
from stackglass_viewer.view.dialogs import questions

WaitUntil = Callable[[Callable[[], bool]], None]


def write(folder: Path, name: str, text: str) -> str:
    path = folder / name
    path.write_bytes(encode_stacks(text))
    return str(path)


def test_files_are_one_tab_with_their_sum(
    app: App, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wait_until: WaitUntil
) -> None:
    paths = (write(tmp_path, "a.pb.gz", "m;f 10\nm;g 5"), write(tmp_path, "b.pb.gz", "m;f 7"))
    monkeypatch.setattr(questions, "ask_summed", lambda _window: paths)
    app.window.sum_requested.emit()
    wait_until(lambda: len(app.documents) == 1)
    ((page, document),) = app.documents.items()
    wait_until(lambda: document.scene is not None)
    assert document.scene is not None
    assert document.scene.total == 22
    assert app.windows.title_of(page) == "a.pb.gz + b.pb.gz"
    wait_until(lambda: bool(app.pages.restoring.list_records()))
    (record,) = app.pages.restoring.list_records()
    assert (record.path, *record.more) == paths


def test_one_file_is_opened_as_it_is(app: App, tmp_path: Path, wait_until: WaitUntil) -> None:
    app.sum_files((write(tmp_path, "a.pb.gz", "m;f 10"),))
    wait_until(lambda: [app.windows.title_of(page) for page in app.documents] == ["a.pb.gz"])


def test_a_folder_stands_for_its_profiles(app: App, tmp_path: Path, wait_until: WaitUntil) -> None:
    """It was refused as a directory."""
    other, folder = write(tmp_path, "c.pb.gz", "m;h 1"), tmp_path / "workers"
    folder.mkdir()
    paths = (write(folder, "a.pb.gz", "m;f 10\nm;g 5"), write(folder, "b.pb.gz", "m;f 7"))
    (folder / "notes.txt").write_text("Not a profile: left out.")
    app.sum_files((str(folder),))
    wait_until(lambda: len(app.documents) == 1)
    app.sum_files((str(folder), other))
    wait_until(lambda: len(app.documents) == 2)
    wait_until(lambda: all(each.scene is not None for each in app.documents.values()))
    totals = [each.scene.total for each in app.documents.values() if each.scene is not None]
    assert totals == [22, 23]
    titles = [app.windows.title_of(page) for page in app.documents]
    assert titles == ["a.pb.gz + b.pb.gz", "a.pb.gz + b.pb.gz + c.pb.gz"]
    wait_until(lambda: len(app.pages.restoring.list_records()) == 2)
    first, _ = app.pages.restoring.list_records()
    assert (first.path, *first.more) == paths


def test_a_folder_of_very_many_profiles_is_not_added_up(
    app: App, tmp_path: Path, wait_until: WaitUntil, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(opened_folder, "MOST_SUMMED", 2)
    for name in ("a", "b", "c"):
        write(tmp_path, name, "m;f 1")
    app.sum_files((str(tmp_path),))
    wait_until(lambda: app.window.message.notice is not None)
    notice = app.window.message.notice
    assert notice is not None
    assert f"The folder {tmp_path.name} has more than 2 profiles: name some of them." == notice.text
    assert not app.documents


def test_what_has_no_stacks_is_not_added_up(
    app: App, tmp_path: Path, wait_until: WaitUntil
) -> None:
    table = tmp_path / "b.prof"
    table.write_bytes(marshal.dumps({("p.py", 1, "serve"): (1, 1, 0.5, 0.5, {})}))
    app.sum_files((write(tmp_path, "a.pb.gz", "m;f 10"), str(table)))
    wait_until(lambda: app.window.message.notice is not None)
    notice = app.window.message.notice
    assert notice is not None
    assert "b.prof is a cProfile file, without stacks to add up" in notice.text
    assert not app.documents


@pytest.mark.parametrize("words", [["--sum", "a"], ["--sum", "a", "http://b"], ["--sum"]], ids=str)
def test_a_sum_takes_two_files(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", *words]) == 2
    assert "--sum adds up two FILEs or more" in capsys.readouterr().err
