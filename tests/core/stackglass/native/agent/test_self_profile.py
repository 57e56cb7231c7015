"""The start of a self profile, between the program's thread and the engine's."""

from __future__ import annotations

from native import _core_testing as core

NOT_STARTED = "the engine's thread cannot be started"


def test_a_start_that_the_engine_has_taken_is_not_given_up() -> None:
    """The profile would run without an owner, and no other one could ever start."""
    assert core.self_profile_begins() is None


def test_a_start_that_was_given_up_is_not_taken() -> None:
    assert core.self_profile_gives_up() == (NOT_STARTED, False, NOT_STARTED)
