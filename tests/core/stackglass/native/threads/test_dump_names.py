"""The names that come with a dump, in the same turn with the GIL."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from native import _core_testing as core


@pytest.fixture(autouse=True)
def _walks() -> Iterator[None]:
    assert core.cpu_prepare() is None
    yield
    core.cpu_unprepare()


def descend(n: int, wants_names: bool) -> list[str | None]:
    return descend(n - 1, wants_names) if n else core.dump_names(wants_names)


def test_each_code_of_the_stacks_is_named_once() -> None:
    names = descend(20, True)
    assert names.count("descend") == 1
    assert names.count("test_each_code_of_the_stacks_is_named_once") == 1
    assert None not in names


def test_no_more_than_there_is_room_for() -> None:
    """700 functions on one stack: the others are named by a job of their own."""
    space: dict[str, object] = {"core": core}
    lines = [f"def f{i}(): return f{i + 1}()" for i in range(700)]
    exec("\n".join([*lines, "def f700(): return core.dump_names(True)"]), space)
    first = space["f0"]
    assert callable(first)
    names = first()
    assert len(names) == len(set(names)) == 500


def test_none_if_there_are_many_frames() -> None:
    """They would add to the time for which the program stands still."""
    begun, end = threading.Barrier(9), threading.Event()

    def wait(n: int) -> None:
        if n:
            wait(n - 1)
        else:
            begun.wait()
            end.wait()

    threads = [threading.Thread(target=wait, args=(300,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    begun.wait()
    names = descend(3, True)
    end.set()
    for thread in threads:
        thread.join()
    assert names == []


def test_none_if_they_are_not_wanted() -> None:
    assert descend(3, False) == []
