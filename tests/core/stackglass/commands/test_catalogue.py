"""The list of commands, as `stackglass --help` shows it."""

from __future__ import annotations

import tomllib
from pathlib import Path

from stackglass.commands.catalogue import ENTRIES, GROUP, is_own

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
