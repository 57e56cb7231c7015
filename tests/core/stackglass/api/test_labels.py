"""Labels as a program sets and reads them."""

from __future__ import annotations

import asyncio
import contextvars
import gc
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator

import pytest

import stackglass
from stackglass.api import labels as rooms


@pytest.fixture(autouse=True)
def _without_labels() -> None:
    assert stackglass.current_labels() == {}


@pytest.mark.checklist(91, 92)
def test_labels_add_to_those_around_them_and_the_later_counts() -> None:
    """Checklist 91, 92."""
    with stackglass.labels(route="/a", n=3):
        assert stackglass.current_labels() == {"n": "3", "route": "/a"}
        try:
            with stackglass.labels(route="/b", **{"http.code": 200}):
                assert stackglass.current_labels() == {"http.code": "200", "n": "3", "route": "/b"}
                raise KeyError
        except KeyError:
            pass
        assert stackglass.current_labels() == {"n": "3", "route": "/a"}
    assert stackglass.current_labels() == {}


def test_many_labels_are_distinct() -> None:
    """More than the block remembers by identity (``SG_LABEL_MEMOS``), under two parents."""
    values = [f"/{i}" for i in range(100)] + list(range(1000, 1100))
    for _ in range(2):
        for tenant in ("a", "b"):
            with stackglass.labels(tenant=tenant):
                for value in values:
                    with stackglass.labels(route=value):
                        seen = stackglass.current_labels()
                    assert seen == {"tenant": tenant, "route": str(value)}


def test_one_label_inside_many_others() -> None:
    """More of them than the block remembers."""
    for tenant in range(200):
        with stackglass.labels(tenant=tenant), stackglass.labels(route="/a"):
            seen = stackglass.current_labels()
        assert seen == {"tenant": str(tenant), "route": "/a"}


def test_equal_sets_are_one_set() -> None:
    with stackglass.labels(b="2", a="1"):
        first = rooms._current.get()
    with stackglass.labels(a=1), stackglass.labels(b="2"):
        assert rooms._current.get() is first
    assert rooms._sets[int(first)] is first


@pytest.mark.checklist(91)
def test_a_value_is_text_or_a_whole_number() -> None:
    """Checklist 91: what is no label is an error, and nothing has changed."""
    with pytest.raises(TypeError, match="by name"):
        stackglass.labels("route")  # type: ignore[call-arg] # what is tested
    for value in (None, 1.5, b"x", ["no hash"]):
        with pytest.raises(TypeError, match="'route' is a"):
            stackglass.labels(route=value).__enter__()  # type: ignore[arg-type] # what is tested
    assert stackglass.current_labels() == {}


def test_a_number_that_equals_a_value_is_no_value() -> None:
    with stackglass.labels(share=7), stackglass.labels(share=7, route="/a"):
        pass
    for labels in ({"share": 7.0}, {"share": 7.0, "route": "/a"}):
        with pytest.raises(TypeError, match="'share' is a float"):
            stackglass.labels(**labels).__enter__()


def test_text_with_a_mind_of_its_own_is_its_characters() -> None:
    class Name(str):
        __slots__ = ()

        def __str__(self) -> str:
            raise AssertionError

    with stackglass.labels(route=Name("/a")):
        (value,) = stackglass.current_labels().values()
        assert (value, type(value)) == ("/a", str)


def test_set_labels_replaces_them_all() -> None:
    def replace() -> list[dict[str, str]]:
        with stackglass.labels(route="/a"):
            stackglass.set_labels(tenant="b")
            seen = [stackglass.current_labels()]
            stackglass.set_labels()
            return [*seen, stackglass.current_labels()]

    assert contextvars.Context().run(replace) == [{"tenant": "b"}, {}]


def test_a_function_has_them_while_it_runs() -> None:
    @stackglass.labels(route="/a")
    def read(extra: int) -> tuple[int, dict[str, str]]:
        return extra, stackglass.current_labels()

    @stackglass.labels(route="/b")
    async def read_later() -> dict[str, str]:
        await asyncio.sleep(0)
        return stackglass.current_labels()

    assert read(7) == read(7) == (7, {"route": "/a"})
    assert asyncio.run(read_later()) == {"route": "/b"}
    assert stackglass.do({"route": "/c"}, read, extra=1) == (1, {"route": "/a"})
    assert read.__name__ == "read"


def test_a_generator_function_is_refused() -> None:
    def generate() -> Iterator[int]:
        yield 1

    with pytest.raises(TypeError, match="use `with` inside it"):
        stackglass.labels(route="/a")(generate)


def test_one_object_is_for_one_block_at_a_time() -> None:
    block = stackglass.labels(route="/a")
    with block:
        pass
    with block, pytest.raises(RuntimeError, match="in use already"), block:
        pass
    assert stackglass.current_labels() == {}


def test_blocks_keep_nothing_alive() -> None:
    class Name(str):
        pass

    name = Name("/kept")
    block = stackglass.labels(route=name)
    name.block = block  # type: ignore[attr-defined] # a circle, which the collector finds
    with block:
        pass
    rooms._cache.clear()  # it keeps values as they came
    watched = weakref.ref(name)
    del name, block
    gc.collect()
    assert watched() is None


def test_sets_beyond_the_limit_are_other_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rooms, "_MOST_SETS", len(rooms._sets) + 2)
    seen = []
    for i in range(3):
        with stackglass.labels(limited=i):
            seen.append(stackglass.current_labels())
    other = {"labels": "<other labels>"}
    assert seen == [{"limited": "0"}, other, other]
    assert len(rooms._sets) == rooms._MOST_SETS


def test_what_was_found_before_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each label set may be followed by each other."""
    monkeypatch.setattr(rooms, "_MOST_CACHED", 10)
    rooms._cache.clear()
    for outer in range(6):
        for inner in range(6):
            with stackglass.labels(bounded=outer), stackglass.labels(bounded=inner):
                assert stackglass.current_labels() == {"bounded": str(inner)}
            assert len(rooms._cache) <= 10


@pytest.fixture
def unread(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """As before the first labels of a program."""
    monkeypatch.setattr(rooms, "_is_in_use", False)
    return monkeypatch


def test_no_thread_has_labels_before_they_are_read(unread: pytest.MonkeyPatch) -> None:
    """Else samples of the second thread would have none while the first prepares the reading."""
    is_read, was_read = threading.Event(), []

    def enter() -> None:
        with stackglass.labels(second="thread"):
            was_read.append(is_read.is_set())

    other = threading.Thread(target=enter)

    def prepare(*_: object) -> None:
        other.start()
        other.join(0.05)
        is_read.set()

    unread.setattr(rooms, "inherit_labels", prepare)
    with stackglass.labels(first="thread"):
        other.join()
    assert was_read == [True]


def test_labels_that_interrupt_the_making_of_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal's handler may want some in the midst of it: numbers stay those of the places."""
    make = rooms._make

    def make_interrupted(number: int, pairs: tuple[tuple[str, str], ...]) -> rooms.LabelSet:
        monkeypatch.setattr(rooms, "_make", make)
        with stackglass.labels(of="the handler"):
            assert stackglass.current_labels() == {"of": "the handler"}
        return make(number, pairs)

    monkeypatch.setattr(rooms, "_make", make_interrupted)
    with stackglass.labels(of="the program"):
        found = rooms._current.get()
    for label_set in (found, rooms._set_of_pairs[(("of", "the handler"),)]):
        assert rooms._sets[int(label_set)] is label_set


def test_a_child_does_not_wait_for_a_thread_that_it_does_not_have() -> None:
    """The thread had made labels while the program forked."""
    script = (
        "import os, threading\n"
        "import stackglass\n"
        "from stackglass.api import labels\n"
        "taken, forked = threading.Event(), threading.Event()\n"
        "def keep():\n"
        "    with labels._lock:\n"
        "        taken.set()\n"
        "        forked.wait()\n"
        "threading.Thread(target=keep).start()\n"
        "taken.wait()\n"
        "child = os.fork()\n"
        "if not child:\n"
        "    with stackglass.labels(of='the child'):\n"
        "        os._exit(7)\n"
        "forked.set()\n"
        "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))\n"
    )
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", script]
    printed = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    assert printed.stdout == "7\n"
