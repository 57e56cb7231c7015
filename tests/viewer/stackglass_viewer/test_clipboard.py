"""What is on the clipboard, as places to open."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QGuiApplication

from stackglass_viewer import clipboard as composition
from stackglass_viewer.app import App
from stackglass_viewer.clipboard import keep_text, list_places

WaitUntil = Callable[[Callable[[], bool]], None]


def copy_text(text: str) -> QMimeData:
    data = QMimeData()
    data.setText(text)
    return data


def test_copied_files_are_opened_where_they_are() -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/a/b.prof"), QUrl("https://host/x")])
    assert list_places(data) == ("/a/b.prof",)


def test_a_path_and_an_address_are_places(tmp_path: Path) -> None:
    file = tmp_path / "a.prof"
    file.touch()
    assert list_places(copy_text(f" {file}\n")) == (str(file),)
    assert list_places(copy_text(str(tmp_path))) == (str(tmp_path),)
    assert list_places(copy_text("http://host/debug/pprof/")) == ("http://host/debug/pprof/",)


def test_text_becomes_a_file_and_the_last_ten_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    for number in range(12):
        (folder / f"clipboard-2000{number:02}.txt").touch()
    assert list_places(copy_text("main;load 3\nmain 2")) == ()
    path = keep_text("main;load 3\nmain 2", folder)
    assert Path(path).read_text(encoding="utf-8") == "main;load 3\nmain 2\n"
    kept = sorted(folder.iterdir())
    assert len(kept) == 10
    assert str(kept[-1]) == path


def test_nothing_is_no_place() -> None:
    assert list_places(QMimeData()) == ()
    assert list_places(copy_text(" \n")) == ()


def test_two_texts_of_one_second_are_two_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first may still be being read."""
    monkeypatch.setattr(time, "strftime", lambda _: "20261127-120000")
    texts = ["main;load 3", "main;save 4", "main 5"]
    paths = [keep_text(text, tmp_path) for text in texts]
    assert [Path(path).read_text(encoding="utf-8").strip() for path in paths] == texts


def test_a_new_text_is_kept_whatever_the_clock_said_before(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"clipboard-2999{number:02}.txt").touch()
    path = keep_text("main 2", tmp_path)
    assert Path(path).exists()
    assert len(list(tmp_path.iterdir())) == 10


def test_a_line_that_is_too_long_for_a_path_is_text() -> None:
    assert list_places(copy_text(f"/usr/bin/python;{'work;' * 100}main 3")) == ()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "kept"
    monkeypatch.setattr(composition, "_find_folder", lambda: folder)
    return folder


def paste(app: App, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    app.window.paste_requested.emit()


@pytest.mark.gui
def test_text_that_is_no_profile_is_called_the_clipboard(
    app: App, folder: Path, wait_until: WaitUntil
) -> None:
    """And is not kept: it may be anything that was copied last."""
    paste(app, "correct horse battery staple")
    wait_until(lambda: app.window.message.notice is not None and not app.loader.is_busy)
    notice = app.window.message.notice
    assert notice is not None
    assert notice.text.startswith("Cannot open the clipboard: ")
    assert "clipboard-" not in notice.text
    assert list(folder.iterdir()) == []


@pytest.mark.gui
def test_no_text_stays_that_was_pasted_while_another_was_read(
    app: App, folder: Path, wait_until: WaitUntil
) -> None:
    """As the key repeats while it is held."""
    for _ in range(3):
        paste(app, "correct horse battery staple")
    assert len(list(folder.iterdir())) == 3
    wait_until(lambda: not list(folder.iterdir()))


@pytest.mark.gui
def test_a_profile_of_the_clipboard_is_a_file_that_stays(
    app: App, folder: Path, wait_until: WaitUntil
) -> None:
    paste(app, "main;load 3\nmain 2")
    wait_until(lambda: len(app.documents) == 1)
    (path,) = folder.iterdir()
    wait_until(lambda: app.recent.paths == (str(path),))
    paste(app, "no profile")
    wait_until(lambda: app.window.message.notice is not None)
    assert list(folder.iterdir()) == [path]
