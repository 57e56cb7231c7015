"""Profiles that a program fills itself, seen by clients of its engine."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.matrix import NEWEST, some_pythons
from harness.own_counts import count_session
from harness.pythons import Python
from harness.saved_profile import SavedProfile
from harness.session import Session
from harness.targets import Target

pytestmark = pytest.mark.attach

NAME = "app.connections"
OTHER = "app.sessions"


@some_pythons
def test_values_come_and_go_by_stack(python: Python) -> None:
    """What was there before the attach, what comes, what goes, what dies."""
    with Target(python, "own_counts.py", has_stdin=True) as target:
        for word in (f"profile {NAME}", f"add {NAME} 3", f"late {NAME} 1"):
            target.ask(word)
        with count_session(target.pid) as session:
            wanted = {"open_one": 3, "open_late": 1}
            assert session.wait_for(NAME, wanted) == wanted
            target.ask(f"weak {NAME} 2")
            target.ask(f"profile {OTHER}")
            assert session.wait_for(OTHER, {}) == {}, "a profile is there without a value"
            target.ask(f"add {OTHER} 5")
            assert session.wait_for(OTHER, {"open_one": 5}) == {"open_one": 5}
            assert session.wait_for(NAME, {**wanted, "open_weak": 2})["open_weak"] == 2
            target.ask("drop")
            assert session.wait_for(NAME, wanted) == wanted
            target.ask(f"remove {NAME} 4")
            assert session.wait_for(NAME, {}) == {}
            assert session.recording.custom.names == [NAME, OTHER]
        target.finish()


@some_pythons
def test_the_live_profile_is_the_one_that_the_program_writes(
    python: Python, tmp_path: Path
) -> None:
    """Functions, files and lines, root first; a value without a stack included."""
    path = tmp_path / "own.pb.gz"
    with Target(python, "own_counts.py", has_stdin=True) as target:
        with count_session(target.pid) as session:
            for word in (f"profile {NAME}", f"add {NAME} 2", f"late {NAME} 4", f"lost {NAME}"):
                target.ask(word)
            target.ask(f"write {NAME} {path}")
            wanted = {"open_one": 2, "open_late": 4, "lostProfileEvent": 1}
            assert session.wait_for(NAME, wanted) == wanted
            live, written = session.read(NAME), SavedProfile.read(path)
            assert live.sample_types == written.sample_types == [f"{NAME}/count"]
            assert list_rows(live) == list_rows(written)
        target.finish()


def list_rows(profile: SavedProfile) -> list[tuple[object, ...]]:
    """Each row's frames, leaf first: function, file, line; and its value."""
    message = profile.message
    texts = message.string_table
    places = {each.id: (texts[each.name], texts[each.filename]) for each in message.function}
    lines = {
        each.id: (*places[each.line[0].function_id], each.line[0].line) for each in message.location
    }
    return sorted(
        (tuple(lines[each] for each in sample.location_id), *sample.value)
        for sample in message.sample
    )


def test_a_program_with_its_own_engine_has_viewers_beside_it() -> None:
    """Each of two clients gets everything, also what was there before it."""
    with Target(NEWEST, "own_counts.py", has_stdin=True) as target:
        for word in (f"profile {NAME}", "rate", f"add {NAME} 3"):
            target.ask(word)
        with count_session(target.pid) as first:
            assert first.wait_for(NAME, {"open_one": 3}) == {"open_one": 3}
            target.ask(f"late {NAME} 1")
            with count_session(target.pid) as second:
                wanted = {"open_one": 3, "open_late": 1}
                assert second.wait_for(NAME, wanted) == wanted
                assert first.wait_for(NAME, wanted) == wanted
        with Session(target.pid, hz=0) as other:
            other.wait_for_status()
            target.ask(f"remove {NAME} 1")  # while no client wants them
            with count_session(target.pid) as third:
                assert third.wait_for(NAME, {"open_one": 3}) == {"open_one": 3}
            other.detach()
        target.finish()


def test_a_slot_is_used_again_by_another_stack() -> None:
    """Of stacks that come and go none is left, whatever was sent of them."""
    with Target(NEWEST, "own_counts.py", has_stdin=True) as target:
        target.ask(f"profile {NAME}")
        target.ask(f"profile {OTHER}")
        with count_session(target.pid) as session:
            for n in range(1, 4):
                target.ask(f"churn {NAME} 1500")
                target.ask(f"add {OTHER} 1")  # once it is seen, the others are, too
                assert session.wait_for(OTHER, {"open_one": n}) == {"open_one": n}
            target.ask(f"add {NAME} 2")
            assert session.wait_for(NAME, {"open_one": 2}) == {"open_one": 2}
            rows = session.recording.custom
            assert rows.count(NAME) == 2
        for _ in range(2):
            target.ask(f"churn {NAME} 1500")
        with count_session(target.pid) as again:
            assert again.wait_for(NAME, {"open_one": 2}) == {"open_one": 2}
        target.finish()


def test_values_beyond_the_limit_are_counted() -> None:
    """65536 stacks; the values of others are lost, and nothing else is."""
    with Target(NEWEST, "own_counts.py", has_stdin=True) as target:
        target.ask(f"profile {OTHER}")
        assert target.ask(f"flood {OTHER} 70000")["answer"] == 70_000 - 65_536
        with count_session(target.pid) as session:
            session.wait_for(OTHER, {"flood": 65_536})
            assert session.count(OTHER) == {"flood": 65_536}
            last = session.recording.custom.last
            assert last is not None
            assert last.n_lost == 70_000 - 65_536
        target.finish()


def test_stacks_that_a_client_has_seen_make_room_for_others() -> None:
    with Target(NEWEST, "own_counts.py", has_stdin=True) as target:
        target.ask(f"profile {NAME}")
        with count_session(target.pid) as session:
            for n in range(1, 5):
                assert target.ask(f"rush {NAME} 30000")["answer"] == 0
                target.ask(f"add {NAME} 1")
                assert session.wait_for(NAME, {"open_one": n}) == {"open_one": n}
        target.finish()


def test_a_client_without_interest_costs_no_values() -> None:
    """Stacks that have come and gone make room for others, also where no client has seen them."""
    with Target(NEWEST, "own_counts.py", has_stdin=True) as target:
        target.ask(f"profile {NAME}")
        with Session(target.pid, hz=100) as session:
            assert session.ready
            assert target.ask(f"rush {NAME} 70000")["answer"] == 0
            with count_session(target.pid) as counting:
                target.ask(f"add {NAME} 2")
                assert counting.wait_for(NAME, {"open_one": 2}) == {"open_one": 2}
            session.wait_for_status()  # the client with interest has left by then
            assert target.ask(f"rush {NAME} 70000")["answer"] == 0
            with count_session(target.pid) as counting:
                target.ask(f"late {NAME} 1")
                wanted = {"open_one": 2, "open_late": 1}
                assert counting.wait_for(NAME, wanted) == wanted
            session.detach()
        target.finish()


def test_a_forked_child_goes_on_with_its_profiles() -> None:
    with Target(NEWEST, "own_counts.py", has_stdin=True) as target:
        for word in (f"profile {NAME}", f"add {NAME} 3"):
            target.ask(word)
        with count_session(target.pid) as session:
            assert session.wait_for(NAME, {"open_one": 3}) == {"open_one": 3}
            for _ in range(20):
                assert target.ask(f"fork {NAME}")["answer"] == 3
                session.take()
            target.ask(f"late {NAME} 1")
            wanted = {"open_one": 3, "open_late": 1}
            assert session.wait_for(NAME, wanted) == wanted
        target.finish()
