"""What filters say; what they choose is compared with pprof's in tests/contract."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

from harness.profiles import read_stacks
from stackglass_viewer.model.errors import PatternError
from stackglass_viewer.model.profile.stack_filter import Filters, filter_profile

TEXT = "main;load;parse 30\nmain;save 40\nidle 10"
OPTIONS = [each.name for each in fields(Filters) if each.type == "str"]
PATTERNS = [each for each in OPTIONS if each not in ("tagroot", "tagleaf")]


def filter_by(name: str, pattern: str) -> Filters:
    options: dict[str, Any] = {name: pattern}
    return Filters(**options)


def test_no_filter_changes_nothing(tmp_path: Path) -> None:
    profile = read_stacks(TEXT, tmp_path)
    shown = filter_profile(profile, Filters())
    assert shown.samples.stack is profile.samples.stack
    assert shown.samples.values.tolist() == profile.samples.values.tolist()
    assert shown.warnings == ()


@pytest.mark.parametrize("name", PATTERNS)
def test_what_is_no_pattern_is_said(name: str, tmp_path: Path) -> None:
    with pytest.raises(PatternError, match="not a regular expression"):
        filter_profile(read_stacks(TEXT, tmp_path), filter_by(name, "("))


@pytest.mark.parametrize("name", [each for each in OPTIONS if each != "prune_from"])
def test_what_finds_nothing_is_a_warning(name: str, tmp_path: Path) -> None:
    profile = read_stacks(TEXT, tmp_path)
    (warning,) = filter_profile(profile, filter_by(name, "none")).warnings
    assert warning == f"--{name.replace('_', '-')} none matches no sample"
    if not name.startswith("tag"):
        assert filter_profile(profile, filter_by(name, "load")).warnings == ()


def test_columns_stay_whole(tmp_path: Path) -> None:
    profile = filter_profile(read_stacks(TEXT, tmp_path), Filters(focus="main", hide="load"))
    assert profile.samples.values[1].tolist() == [30, 40]
    assert profile.samples.stack_start.tolist() == [0, 2, 4]
    assert not profile.samples.stack.flags.writeable
    assert not profile.locations.line_start.flags.writeable
