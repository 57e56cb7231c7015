"""The page of a folder names its files, and the check says where it does not."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = "# cpu\n\n| file | what |\n|---|---|\n| `cpu`, `clock_*.c` | `other` |\n| `inner/` | |\n"


@pytest.fixture(scope="module")
def pages() -> Any:
    spec = importlib.util.spec_from_file_location("room_pages", ROOT / "packaging/room_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_page_is_content_with_the_files_that_are_there(pages: Any) -> None:
    entries = {"cpu", "clock_perf", "clock_timer", "inner/"}
    assert list(pages.check_page(PAGE, entries)) == []


@pytest.mark.parametrize(
    ("entries", "fault"),
    [
        ({"cpu", "clock_perf", "inner/", "signals"}, "has no row for signals"),
        ({"cpu", "inner/"}, "names clock_*, which does not exist"),
        ({"cpu", "clock_perf"}, "names inner/, which does not exist"),
    ],
    ids=["unnamed", "gone", "folder gone"],
)
def test_a_page_that_differs_is_a_fault(pages: Any, entries: set[str], fault: str) -> None:
    assert list(pages.check_page(PAGE, entries)) == [fault]


def test_a_page_of_more_than_two_screens_is_a_fault(pages: Any) -> None:
    (fault,) = pages.check_page(PAGE + "\n" * 100, {"cpu", "clock_perf", "inner/"})
    assert fault.endswith("at most 100")


def test_a_folder_without_a_page_is_a_fault(pages: Any, tmp_path: Path) -> None:
    file = tmp_path / "core/stackglass/graph/svg.py"
    file.parent.mkdir(parents=True)
    file.touch()
    faults = pages.find_faults(tmp_path, [file])
    assert faults == ["core/stackglass: no README.md", "core/stackglass/graph: no README.md"]
