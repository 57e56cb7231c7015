"""Folders that are opened like files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.profiles import encode_stacks
from stackglass_viewer.app import App

STACKS = "main;load;parse 30\nmain;save 40\nidle 10"


def test_a_folder_opens_its_profiles_in_the_order_of_their_names(
    app: App, tmp_path: Path, wait_until: Any
) -> None:
    for name in ("cpu", "wall", "block"):
        (tmp_path / f"{name}.pb.gz").write_bytes(encode_stacks(STACKS))
    (tmp_path / "notes").write_bytes(b"no profile\n")
    app.open_files((f"{tmp_path}/",))
    wait_until(lambda: len(app.documents) == 3 and len(app.recent.paths) == 3)
    pages = sorted(app.documents, key=app.window.place_of)
    titles = [app.window.title_of(page) for page in pages]
    assert titles == ["block.pb.gz", "cpu.pb.gz", "wall.pb.gz"]
    assert app.window.message.notice is None


def test_a_folder_without_profiles_says_so(app: App, tmp_path: Path, wait_until: Any) -> None:
    folder = tmp_path / "rec"
    folder.mkdir()
    app.open_files((str(folder),))
    wait_until(lambda: app.window.message.notice is not None)
    notice = app.window.message.notice
    assert notice is not None
    text = "Cannot open rec: no file in this folder is a profile that Stackglass reads."
    assert notice.text == text
