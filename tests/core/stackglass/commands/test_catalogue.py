"""The list of commands, as `stackglass --help` shows it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from google import protobuf

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


@pytest.mark.parametrize("command", ["top", "view"])
@pytest.mark.parametrize("version", ["3.20.3", "4.24.4", "4"])
def test_a_protobuf_that_is_too_old_is_named(
    command: str, version: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protobuf, "__version__", version)
    with pytest.raises(MissingExtraError, match=f"needs protobuf 4.25 .* this is {version}"):
        load(command)


@pytest.mark.parametrize("version", ["4.25.0", "7.36.2", "6.31.0rc1", "10.0"])
def test_newer_ones_of_protobuf_are_used(version: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protobuf, "__version__", version)
    load("top")


def test_the_oldest_protobuf_is_the_one_that_is_required() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extra in ("files", "viewer"):
        assert "protobuf>=4.25" in project["optional-dependencies"][extra]
