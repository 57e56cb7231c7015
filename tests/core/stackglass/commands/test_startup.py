"""The file by which every Python of an environment honours STACKGLASS_PROFILE."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from stackglass.commands import startup
from stackglass.errors import OutputError


def test_it_is_installed_described_and_removed(tmp_path: Path) -> None:
    path = str(tmp_path / "startup.pth")
    assert startup.describe(path).startswith("not installed")
    installed = startup.install(path)
    assert installed.startswith(f"installed: {path}\n")
    assert " µs longer" in installed
    # site runs a line only if it begins so, and only as one line
    assert startup.LINE.startswith("import ")
    assert startup.LINE.count("\n") == 1
    assert startup.remove(path) == f"removed {path}"
    assert not (tmp_path / "startup.pth").exists()
    assert startup.remove(path).startswith("not installed")
    with pytest.raises(OutputError, match="no folder"):
        startup.install(str(tmp_path / "absent" / "startup.pth"))


def test_its_cost_is_that_of_a_pythons_first_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STACKGLASS_PROFILE", "cpu")
    path, log = tmp_path / "startup.pth", tmp_path / "log"
    path.write_text(
        f"import os; log = open({str(log)!r}, 'a'); "
        "print(os.getpid(), os.environ.get('STACKGLASS_PROFILE'), file=log); log.close()\n"
    )
    assert startup.measure(str(path)) > 0
    starts = log.read_text().splitlines()
    assert len(set(starts)) == len(starts) > 1
    assert all(start.endswith(" None") for start in starts)


def test_without_the_variable_and_without_the_package_nothing_happens(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "stackglass", None)  # its import fails
    for value in ("cpu", ""):
        monkeypatch.setenv("STACKGLASS_PROFILE", value)
        exec(startup.LINE, {})


def test_with_the_variable_the_package_is_imported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STACKGLASS_PROFILE", "cpu")
    monkeypatch.delitem(sys.modules, "stackglass")
    blocker: list[str] = []

    class Finder:
        @staticmethod
        def find_spec(name: str, path: object, target: object = None) -> None:
            blocker.append(name)
            raise ImportError(name)

    monkeypatch.setattr(sys, "meta_path", [Finder])
    exec(startup.LINE, {})
    assert blocker == ["stackglass"]
