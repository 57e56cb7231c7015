"""The list of commands, as `stackglass --help` shows it."""

from __future__ import annotations

import tomllib
from importlib import util
from pathlib import Path

import pytest

from stackglass.commands.catalogue import ENTRIES, GROUP, is_own, load
from stackglass.errors import MissingExtraError

CHECKOUT = Path(__file__).resolve().parents[4]


def test_every_command_of_ours_has_its_line_in_the_help() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = set(project["entry-points"][GROUP])
    described = {entry.name for entry in ENTRIES if entry.summary}
    assert declared - described == set()
    assert {name for name in described if not is_own(name)} == declared


def test_no_command_has_two_lines() -> None:
    names = [entry.name for entry in ENTRIES]
    assert sorted(names) == sorted(set(names))


def pretend_protobuf(version: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    origin = folder / "__init__.py"
    origin.write_text(f"# A comment.\n\n__version__ = '{version}'\n")
    spec = util.spec_from_file_location("google.protobuf", origin)
    find = util.find_spec
    monkeypatch.setattr(
        util, "find_spec", lambda name: spec if name == "google.protobuf" else find(name)
    )


@pytest.mark.parametrize("command", ["top", "view"])
@pytest.mark.parametrize("version", ["3.20.3", "4.24.4", "4"])
def test_a_protobuf_that_is_too_old_is_named(
    command: str, version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_protobuf(version, tmp_path, monkeypatch)
    with pytest.raises(MissingExtraError, match=f"needs protobuf 4.25 .* this is {version}"):
        load(command)


@pytest.mark.parametrize("version", ["4.25.0", "7.36.2", "6.31.0rc1", "10.0"])
def test_newer_ones_of_protobuf_are_used(
    version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend_protobuf(version, tmp_path, monkeypatch)
    load("top")


def test_the_oldest_protobuf_is_the_one_that_is_required() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra in ("files", "viewer"):
        assert "protobuf>=4.25" in project["optional-dependencies"][extra]
