"""Profiles that the engine records, as members of the registry."""

from __future__ import annotations

import pytest

from harness.saved_profile import SavedProfile
from stackglass.api import builtin, profile
from stackglass.api.builtin import BuiltinProfile
from stackglass.wire.recording import Recording


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile, "_profiles", {})


def make(name: str, rate: int) -> BuiltinProfile:
    return BuiltinProfile(
        name, lambda _: Recording(100, 0), {builtin.RATE_OF[name]: rate}.__getitem__
    )


@pytest.mark.parametrize("name", ["heap", "allocs", "block", "mutex", "gil"])
def test_a_profile_without_samples_says_which_call_sets_its_rate(name: str) -> None:
    off = make(name, rate=0)
    (hint,) = (line for line in SavedProfile(off.encode(0)).comments if "no samples" in line)
    assert "stackglass.set_" in hint
    assert off.encode(1).decode().endswith(f"\n# {hint}\n")


@pytest.mark.parametrize("name", ["heap", "block"])
def test_with_a_rate_nothing_is_said(name: str) -> None:
    on = make(name, rate=1)
    assert not [line for line in SavedProfile(on.encode(0)).comments if "no samples" in line]
    assert b"no samples" not in on.encode(1)
