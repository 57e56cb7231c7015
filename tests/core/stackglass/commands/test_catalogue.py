"""The list of commands, as `stackglass --help` shows it."""

from __future__ import annotations

import colorsys
import sys
import tomllib
from importlib import metadata, util
from pathlib import Path

import pytest

from stackglass.commands import catalogue
from stackglass.commands.catalogue import ENTRIES, GROUP, is_known, is_own, load
from stackglass.errors import MissingExtraError
from stackglass.version import VERSION

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


def write_metadata(folder: Path, text: str, version: str = VERSION) -> None:
    place = folder / f"stackglass-{version}.dist-info"
    place.mkdir()
    (place / "entry_points.txt").write_text(text)


def test_an_own_command_is_found_without_a_search_of_all_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(catalogue, "_find_entry_points", pytest.fail)
    monkeypatch.setattr(catalogue, "_require", lambda entry: None)
    others = "[pytest11]\ntop = one\n\n"
    write_metadata(tmp_path, f"{others}[{GROUP}]\ndiff = two\ntop = colorsys\n\n[z]\ntop = three\n")
    monkeypatch.setattr(sys, "path", [str(tmp_path / "none"), str(tmp_path)])
    assert is_known("top")
    loaded: object = load("top")
    assert loaded is colorsys


@pytest.mark.parametrize("text", ["", "[other]\ntop = colorsys\n", f"[{GROUP}]\nstop = colorsys\n"])
def test_a_command_that_is_not_declared_is_searched_in_all_packages(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_metadata(tmp_path, text)
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    monkeypatch.setattr(catalogue, "_require", lambda entry: None)
    point = metadata.EntryPoint("top", "colorsys", GROUP)
    monkeypatch.setattr(catalogue, "_find_entry_points", lambda: {"top": point})
    assert not is_known("top")
    loaded: object = load("top")
    assert loaded is colorsys


def test_metadata_of_another_version_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_metadata(tmp_path, f"[{GROUP}]\ntop = colorsys\n", version=f"{VERSION}.1")
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    assert not is_known("top")
    assert is_known("record")  # needs no metadata


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
