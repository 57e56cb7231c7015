"""From the words after ``stackglass run`` to a command."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stackglass.errors import UsageError
from stackglass.record.program import find_command, name_program


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()
    for name, mode in (("bin/tool", 0o755), ("own", 0o755), ("plain", 0o644), ("a.py", 0o755)):
        (tmp_path / name).touch()
        (tmp_path / name).chmod(mode)
    (tmp_path / "tool").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("words", "is_python", "name"),
    [
        (["a.py", "-m", "x"], True, "a"),
        (["./plain", "x"], True, "plain"),
        (["plain"], True, "plain"),
        (["."], True, None),
        (["./tool"], True, "tool"),
        (["-m", "package.serve", "x"], True, "serve"),
        (["-c", "pass"], True, "python"),
        (["tool", "-x"], False, "tool"),
        (["./own"], False, "own"),
    ],
)
def test_scripts_and_commands(words: list[str], is_python: bool, name: str | None) -> None:
    assert find_command(words) == ([sys.executable, *words] if is_python else words)
    assert name is None or name_program(words) == name


@pytest.mark.parametrize("words", [["missing"], ["missing.py"], ["-m"], ["-c"]])
def test_what_is_no_program_is_refused(words: list[str]) -> None:
    with pytest.raises(UsageError):
        find_command(words)
