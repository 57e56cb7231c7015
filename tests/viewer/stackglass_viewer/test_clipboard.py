"""What is on the clipboard, as places to open."""

from __future__ import annotations

from pathlib import Path

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
