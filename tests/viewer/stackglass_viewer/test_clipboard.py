"""What is on the clipboard, as places to open."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QUrl

from stackglass_viewer.clipboard import read_places


def copy_text(text: str) -> QMimeData:
    data = QMimeData()
    data.setText(text)
    return data


def test_copied_files_are_opened_where_they_are(tmp_path: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile("/a/b.prof"), QUrl("https://host/x")])
    assert read_places(data, tmp_path) == ("/a/b.prof",)


def test_a_path_and_an_address_are_places(tmp_path: Path) -> None:
    file = tmp_path / "a.prof"
    file.touch()
    assert read_places(copy_text(f" {file}\n"), tmp_path) == (str(file),)
    assert read_places(copy_text("http://host/debug/pprof/"), tmp_path) == (
        "http://host/debug/pprof/",
    )


def test_text_becomes_a_file_and_the_last_ten_are_kept(tmp_path: Path) -> None:
    folder = tmp_path / "kept"
    folder.mkdir()
    for number in range(12):
        (folder / f"clipboard-2000{number:02}.txt").touch()
    (path,) = read_places(copy_text("main;load 3\nmain 2"), folder)
    assert Path(path).read_text(encoding="utf-8") == "main;load 3\nmain 2\n"
    kept = sorted(folder.iterdir())
    assert len(kept) == 10
    assert str(kept[-1]) == path


def test_nothing_is_no_place(tmp_path: Path) -> None:
    assert read_places(QMimeData(), tmp_path) == ()
    assert read_places(copy_text(" \n"), tmp_path) == ()
    assert not any(tmp_path.iterdir())


def test_two_texts_of_one_second_are_two_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first may still be being read."""
    monkeypatch.setattr(time, "strftime", lambda _: "20261127-120000")
    texts = ["main;load 3", "main;save 4", "main 5"]
    paths = [read_places(copy_text(text), tmp_path)[0] for text in texts]
    assert [Path(path).read_text(encoding="utf-8").strip() for path in paths] == texts


def test_a_new_text_is_kept_whatever_the_clock_said_before(tmp_path: Path) -> None:
    for number in range(12):
        (tmp_path / f"clipboard-2999{number:02}.txt").touch()
    (path,) = read_places(copy_text("main 2"), tmp_path)
    assert Path(path).exists()
    assert len(list(tmp_path.iterdir())) == 10


def test_a_line_that_is_too_long_for_a_path_is_text(tmp_path: Path) -> None:
    text = f"/usr/bin/python;{'work;' * 100}main 3"
    (path,) = read_places(copy_text(text), tmp_path)
    assert Path(path).read_text(encoding="utf-8").strip() == text
