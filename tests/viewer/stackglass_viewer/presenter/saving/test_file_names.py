"""Names that are offered for files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from stackglass_viewer.presenter.saving.file_names import suggest_path

_STAMP = r"-\d{8}-\d{6}\.svg"


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("cpu.pb.gz", "cpu"),
        ("/srv/profiles/night shift.prof", "night-shift.prof"),
        ("corner_shop.py 4711", "corner_shop-4711"),
        ("gunicorn: worker [app] 12", "gunicorn-worker-app-12"),
        ("capture.sgm", "capture"),
        ("base.pb.gz → new.pb.gz", "base-new"),
        ("", "stackglass"),
        ("notes.txt", "notes"),
        ("…/", "stackglass"),
        ("-", "stackglass"),
    ],
)
def test_a_file_has_the_name_of_what_is_in_it(title: str, name: str) -> None:
    path = Path(suggest_path(title, ".svg"))
    assert path.parent == Path.cwd()
    assert re.fullmatch(re.escape(name) + _STAMP, path.name), path.name


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("clipboard-20261130-210422.txt", "clipboard-20261130-210422.pdf"),
        ("clipboard-20261130-210422-2.txt", "clipboard-20261130-210422-2.pdf"),
        ("shop-4711-20261130-210422.sgm", "shop-4711-20261130-210422.pdf"),
    ],
)
def test_a_name_with_a_time_gets_no_second_one(
    title: str, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = Path(suggest_path(title, ".pdf"))
    assert path == tmp_path / name
    path.touch()
    assert re.fullmatch(re.escape(path.stem) + r"-\d{8}-\d{6}\.pdf", suggest_name(title))


def suggest_name(title: str) -> str:
    return Path(suggest_path(title, ".pdf")).name


@pytest.mark.parametrize("title", ["x" * 300, "ü" * 300, f"{'x' * 300}-20261130-210422.sgm"])
def test_a_long_title_is_cut_to_a_name_that_file_systems_take(title: str, tmp_path: Path) -> None:
    name = suggest_name(title)
    assert re.fullmatch(r"(x{200}|ü{100})-\d{8}-\d{6}\.pdf", name)
    (tmp_path / name).touch()


def test_without_a_current_folder_the_users_own_is_suggested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    removed = tmp_path / "build"
    removed.mkdir()
    monkeypatch.chdir(removed)
    removed.rmdir()
    assert Path(suggest_path("cpu.pb.gz", ".svg")).parent == Path.home()
