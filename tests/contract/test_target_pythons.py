"""Target Pythons are found where they are, and what is missing has its reason."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from harness import pythons


def write_program(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty machine: nothing on PATH, nothing fetched."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    monkeypatch.delenv("STACKGLASS_PYTHONS", raising=False)
    monkeypatch.setattr(pythons, "CHECKOUT", tmp_path / "checkout")
    monkeypatch.setattr(pythons, "UNPACKED", tmp_path / "checkout" / "build" / "pythons")
    return tmp_path


def find() -> pythons.Pythons:
    return pythons.find_pythons.__wrapped__()


def test_wrapper_is_a_python(folder: Path) -> None:
    write_program(folder / "bin" / "python3.11", f'exec {sys.executable} "$@"')
    found = find()
    assert [python.minor for python in found.present] == [sys.version_info[1]]
    assert found.present[0].source == "path"


def test_equal_pythons_are_one(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_program(folder / "bin" / "python3", f'exec {sys.executable} "$@"')
    monkeypatch.setenv("STACKGLASS_PYTHONS", sys.executable)
    assert [python.source for python in find().present] == ["given"]


def test_directory_may_be_given(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_program(folder / "here" / "bin" / "python3.9", f'exec {sys.executable} "$@"')
    monkeypatch.setenv("STACKGLASS_PYTHONS", str(folder / "here"))
    assert len(find().present) == 1


def test_program_that_does_not_run_is_the_reason(folder: Path) -> None:
    write_program(folder / "bin" / "python3.12", "echo command not found >&2; exit 127")
    found = find()
    assert found.present == ()
    assert "command not found" in found.missing[12]
    assert "no python3.9" in found.missing[9]


def test_shim_is_resolved_through_pyenv(folder: Path) -> None:
    root = folder / "pyenv"
    write_program(folder / "bin" / "pyenv", f"echo {root}")
    write_program(root / "shims" / "python3.12", "echo command not found >&2; exit 127")
    write_program(
        root / "versions" / "3.12.1" / "bin" / "python3.12", f'exec {sys.executable} "$@"'
    )
    found = find()
    assert [python.source for python in found.present] == ["pyenv"]


def test_reason_of_the_recipe_is_reported(folder: Path) -> None:
    absent = folder / "checkout" / "build" / "pythons" / "absent.txt"
    absent.parent.mkdir(parents=True)
    absent.write_text("the mirror did not answer\n")
    assert "the mirror did not answer" in find().missing[15]


def test_they_are_in_the_order_of_their_versions(folder: Path) -> None:
    """Not of the texts of these: the last one of a version is the one that tests run on."""
    for micro in (18, 2, 10):
        answer = f"cpython\\n3.9.{micro}\\n0\\n0\\n/usr/bin/{micro}"
        write_program(folder / "bin" / f"python3.{9 + micro % 3}", f'printf "{answer}\\n"')
    assert [python.version for python in find().present] == ["3.9.2", "3.9.10", "3.9.18"]
