"""Profiles that the engine records, as members of the registry."""

from __future__ import annotations

import pytest

from harness.saved_profile import SavedProfile
from stackglass.api import builtin, profile
from stackglass.api.builtin import RunningProfile, SnapshotProfile
from stackglass.errors import ProfileError
from stackglass.wire.recording import Recording


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile, "_profiles", {})


def make(name: str, rate: int) -> SnapshotProfile:
    return SnapshotProfile(
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


@pytest.mark.parametrize(("name", "call"), [("cpu", "start_cpu_profile"), ("wall", "wall_profile")])
def test_without_a_profile_that_runs_there_is_an_empty_one_that_says_so(
    name: str, call: str
) -> None:
    idle = RunningProfile(name, lambda: None)
    saved = SavedProfile(idle.encode(0))
    (comment,) = saved.comments
    assert comment.startswith(f"no samples: no {name} profile runs, stackglass.{call}(")
    assert (saved.default_type, saved.rows, idle.count()) == (name, [], 0)
    assert idle.encode(1).decode() == f"{name} profile: total 0\n# {comment}\n"


def test_a_profile_that_runs_is_as_it_is_built() -> None:
    running = RunningProfile("cpu", Recording(100).build)
    assert not SavedProfile(running.encode(0)).comments
    assert running.encode(2) == b"cpu profile: total 0\n"
    with pytest.raises(ProfileError, match="built-in profile cpu"):
        running.add(1)
