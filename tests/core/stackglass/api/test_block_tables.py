"""Which profiles of a block of code are named."""

from __future__ import annotations

import pytest

from stackglass.api import block_tables, program
from stackglass.api.block_tables import read_names
from stackglass.errors import UsageError


def test_profiles_are_named_once() -> None:
    assert read_names("cpu,heap,cpu", "-p") == ("cpu", "heap")
    assert read_names("", "-p") == ("cpu",)
    with pytest.raises(UsageError, match="exclude each other"):
        read_names("wall,cpu", "-p")
    with pytest.raises(UsageError, match="-p: there is no profile 'tasks'"):
        read_names("tasks", "-p")


def test_profiles_of_one_rate_leave_it_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def ask(value: int) -> int:
        asked.append(value)
        return 0

    rate = block_tables._Rate(lambda: 7, ask, 512)
    monkeypatch.setattr(block_tables, "_RATES", {"heap": rate, "allocs": rate})
    monkeypatch.setattr(program, "withdraw_profile_rates", lambda: asked.append(-1))
    profiles = block_tables.BlockProfiles(("heap", "allocs"))
    profiles.open()
    assert profiles.is_open
    profiles.close()
    assert asked == [512, 512, 0, -1]
    assert not profiles.is_open
