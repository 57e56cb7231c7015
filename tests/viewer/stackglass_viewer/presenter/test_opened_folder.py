"""How many profiles of a folder are opened."""

from __future__ import annotations

from pathlib import Path

import pytest

from stackglass_viewer.presenter.opened_folder import MOST_FILES, read_folder


@pytest.mark.parametrize("n_more", [0, 1])
def test_a_folder_with_too_many_profiles_says_so(tmp_path: Path, n_more: int) -> None:
    folder = tmp_path / "rec"
    folder.mkdir()
    for number in range(MOST_FILES + n_more):
        (folder / f"{number:03}.txt").write_text("main;load 3\nmain 2", encoding="utf-8")
    opened = read_folder(str(folder), lambda: False)
    assert len(opened.paths) == MOST_FILES
    assert (opened.notice is not None) == bool(n_more)
    if opened.notice is not None:
        assert opened.notice.text.startswith("rec has more than 30 profiles: the first 30")
