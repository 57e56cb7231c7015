"""The start of a self profile, between the program's thread and the engine's."""

from __future__ import annotations

from harness.fresh_process import run_program
from native import _core_testing as core

NOT_STARTED = "the engine's thread cannot be started"


def test_a_start_that_the_engine_has_taken_is_not_given_up() -> None:
    """The profile would run without an owner, and no other one could ever start."""
    assert core.self_profile_begins() is None


def test_a_start_that_was_given_up_is_not_taken() -> None:
    assert core.self_profile_gives_up() == (NOT_STARTED, False, NOT_STARTED)


STOP = """
from native import _core_testing
print(*_core_testing.self_profile_stops_beside_request())
"""


def test_a_stop_returns_although_a_request_keeps_the_engine() -> None:
    """Another thread posts it in the very turn in which the profile, the only client, ends. The
    engine was leaving for good: the stop did not return, and no client could attach."""
    assert run_program(STOP) == ["True True"]
