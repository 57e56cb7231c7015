"""Profiles of a program's own."""

from __future__ import annotations

import enum
import gc
import io
import itertools
import threading
from collections.abc import Iterator

import pytest

import stackglass
from harness.saved_profile import SavedProfile
from stackglass.api import profile as room
from stackglass.errors import ProfileError

_numbers = itertools.count()


@pytest.fixture
def profile() -> Iterator[stackglass.Profile]:
    made = stackglass.Profile(f"test.{next(_numbers)}")
    yield made
    del room._profiles[made.name]


def read(profile: stackglass.Profile) -> SavedProfile:
    file = io.BytesIO()
    profile.write_to(file)
    return SavedProfile(file.getvalue())


def read_text(profile: stackglass.Profile, debug: int = 1) -> str:
    file = io.BytesIO()
    profile.write_to(file, debug)
    return file.getvalue().decode()


class Value:
    """Equal to others of its number; may do something when it is compared."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Value) and self.number == other.number

    def __hash__(self) -> int:
        return self.number


def test_a_stack_for_each_value(profile: stackglass.Profile) -> None:
    def lease(value: object) -> None:
        profile.add(value)

    for number in range(3):
        lease(number)
    profile.add("other")
    saved = read(profile)
    assert saved.sample_types == [f"{profile.name}/count"]
    assert sorted(row.values[0] for row in saved.rows) == [1, 3]
    (leases,) = [row for row in saved.rows if row.values == [3]]
    assert leases.stack[-1].endswith("lease"), "it begins where add was called"
    assert leases.stack[-2].endswith("test_a_stack_for_each_value")


def test_skip_leaves_out_inner_frames(profile: stackglass.Profile) -> None:
    def lease() -> None:
        profile.add(1, 1)

    lease()
    (row,) = read(profile).rows
    assert row.stack[-1].endswith("test_skip_leaves_out_inner_frames")


@pytest.mark.checklist(101)
def test_101_a_skip_beyond_the_stack_leaves_one_frame(profile: stackglass.Profile) -> None:
    profile.add(1, 10_000)
    (row,) = read(profile).rows
    assert (row.stack, row.values) == (["lostProfileEvent"], [1])
    assert read_text(profile).startswith(f"{profile.name} profile: total 1\n1 @ ")


def test_a_skip_beyond_all_numbers_leaves_one_frame(profile: stackglass.Profile) -> None:
    profile.add(1, 2**64)
    assert [row.stack for row in read(profile).rows] == [["lostProfileEvent"]]


def test_debug_is_a_whole_number(profile: stackglass.Profile) -> None:
    with pytest.raises(TypeError, match="debug is a whole number, not '1'"):
        profile.write_to(io.BytesIO(), debug="1")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [7, b"app.leases", None])
def test_a_name_is_a_str(name: object) -> None:
    with pytest.raises(TypeError, match="the name of a profile is a str, not "):
        stackglass.Profile(name)  # type: ignore[arg-type]


def test_a_name_of_an_enumeration_is_its_text() -> None:
    class Names(enum.StrEnum):
        OPEN = "test_profile.enumerated"

    made = stackglass.Profile(Names.OPEN)
    try:
        assert type(made.name) is str
        assert stackglass.lookup("test_profile.enumerated") is made
    finally:
        del room._profiles[made.name]


@pytest.mark.checklist(102)
def test_102_a_name_is_needed_and_used_once(profile: stackglass.Profile) -> None:
    for name in ("", profile.name, "heap", "goroutine"):
        with pytest.raises(ProfileError):
            stackglass.Profile(name)


@pytest.mark.parametrize("name", ["cmdline", "profile", "symbol", "trace"])
def test_names_with_another_meaning_are_refused(name: str) -> None:
    before = stackglass.profiles()
    with pytest.raises(ProfileError, match="another meaning"):
        stackglass.Profile(name)
    assert stackglass.profiles() == before


@pytest.mark.checklist(102)
@pytest.mark.parametrize(
    "name",
    [
        *("allocs", "block", "cpu", "gil", "heap", "mutex"),
        *("threadcreate", "threadleak", "threads", "wall"),
    ],
)
def test_102_nothing_is_added_to_a_built_in_profile(name: str) -> None:
    built_in = stackglass.lookup(name)
    assert built_in is not None
    with pytest.raises(ProfileError, match="built-in"):
        built_in.add(1)
    built_in.remove(1)


@pytest.mark.checklist(102)
def test_102_a_value_is_added_once(profile: stackglass.Profile) -> None:
    profile.add(Value(1))
    with pytest.raises(ProfileError, match="already"):
        profile.add(Value(1))
    profile.add(Value(2))
    assert profile.count() == 2


def test_equal_values_are_one_wherever_they_come_from(profile: stackglass.Profile) -> None:
    profile.add("".join(["a", "b"]))
    profile.remove("".join(["a", "b"]))
    profile.remove("never added")
    assert profile.count() == 0


def test_an_unhashable_value_is_an_error(profile: stackglass.Profile) -> None:
    with pytest.raises(TypeError):
        profile.add([])
    assert profile.count() == 0


def test_a_weak_value_leaves_with_its_object(profile: stackglass.Profile) -> None:
    kept, lost = Value(1), Value(2)
    profile.add(kept, weak=True)
    profile.add(lost, weak=True)
    assert profile.count() == 2
    del lost
    gc.collect()
    assert profile.count() == 1
    profile.remove(kept)
    assert profile.count() == 0


def test_a_value_that_cannot_be_compared_leaves_nothing(profile: stackglass.Profile) -> None:
    class Angry(Value):
        __hash__ = Value.__hash__

        def __eq__(self, other: object) -> bool:
            raise RuntimeError("no")

    profile.add(Angry(1))
    with pytest.raises(RuntimeError, match="no"):
        profile.add(Angry(1))
    assert profile.count() == 1


def test_values_may_use_the_profile_while_they_are_compared(profile: stackglass.Profile) -> None:
    """With a lock this would wait for itself for ever."""

    class Busy(Value):
        __hash__ = Value.__hash__

        def __eq__(self, other: object) -> bool:
            profile.add(object())
            profile.count()
            return self is other

    profile.add(Busy(1))
    profile.add(Busy(1))
    assert profile.count() == 3


def test_of_equal_values_added_at_once_one_stays(profile: stackglass.Profile) -> None:
    refused: list[int] = []

    def add_all() -> None:
        for number in range(200):
            try:
                profile.add(Value(number))
            except ProfileError:
                refused.append(number)

    threads = [threading.Thread(target=add_all) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert profile.count() + len(refused) == 800
    assert profile.count() <= 200


def test_profiles_are_listed_by_name(profile: stackglass.Profile) -> None:
    names = [each.name for each in stackglass.profiles()]
    assert names == sorted(names)
    assert {profile.name, "heap", "threads"} <= set(names)
    assert stackglass.lookup(profile.name) is profile
    assert stackglass.lookup("goroutine") is stackglass.lookup("threads")
    assert stackglass.lookup("nothing") is None


def test_a_dump_prints_each_stack_by_itself(profile: stackglass.Profile) -> None:
    for number in range(2):
        profile.add(number)
    assert read_text(profile, 2).count("test_a_dump_prints_each_stack_by_itself(...)\n\t") == 2


def test_a_negative_debug_is_zero(profile: stackglass.Profile) -> None:
    file = io.BytesIO()
    profile.write_to(file, -1)
    SavedProfile(file.getvalue())


@pytest.mark.checklist(57)
def test_57_an_error_of_the_file_reaches_the_caller(profile: stackglass.Profile) -> None:
    class Broken:
        def write(self, content: bytes, /) -> int:
            raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        profile.write_to(Broken())
