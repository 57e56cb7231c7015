"""Thread list: which threads have ended, of a process and of a file, and which have no name."""

from __future__ import annotations

import pytest

from stackglass_viewer.model.live.view import ThreadTotal
from stackglass_viewer.presenter.live import thread_list
from stackglass_viewer.presenter.live.thread_list import ThreadList

THREADS = [
    ThreadTotal(1, "MainThread", 50, True),
    ThreadTotal(2, "pool-1", 25, True),
    ThreadTotal(3, "pool-2", 25, True),
]


def list_names(made: ThreadList) -> list[str]:
    return [row.name for row in made.list_rows(THREADS)]


def test_a_process_that_has_ended_has_the_threads_of_its_last_moment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    alive = {7: frozenset((1,))}
    monkeypatch.setattr(thread_list, "list_threads", lambda pid: alive.get(pid, frozenset()))
    made = ThreadList(7)
    assert list_names(made) == ["MainThread", "pool-#"]
    del alive[7]
    assert list_names(made) == ["MainThread", "pool-#"]


@pytest.mark.parametrize(
    ("alive", "names"),
    [
        (frozenset((1, 2)), ["MainThread", "pool-1", "pool-2"]),
        (frozenset((1,)), ["MainThread", "pool-#"]),
        (frozenset(), ["pool-#", "MainThread"]),  # it had ended; equal shares
        (None, ["MainThread", "pool-1", "pool-2"]),  # not known
        (frozenset((98, 99)), ["MainThread", "pool-1", "pool-2"]),  # of another PID namespace
    ],
)
def test_a_file_has_the_threads_of_when_it_was_saved(
    alive: frozenset[int] | None, names: list[str]
) -> None:
    assert sorted(list_names(ThreadList(0, alive))) == sorted(names)


POOL = [
    ThreadTotal(1, "MainThread", 50, True),
    ThreadTotal(2, "python3", 20, True),
    ThreadTotal(3, "thread 3", 10, True),  # the engine's name of one that ended too soon
    ThreadTotal(4, "python3", 10, True, "MainThread"),
    ThreadTotal(5, "gunicorn", 10, True),
]


def test_a_thread_with_the_name_of_its_program_is_unnamed() -> None:
    """Else its row would be a pattern, ``python#``, with nothing that says so."""
    made = ThreadList(0, frozenset((1,)), lambda: "/srv/env/bin/python3")
    by = "thread 4, started by MainThread"
    names = {1: "MainThread", 2: "thread 2", 3: "thread 3", 4: by, 5: "gunicorn"}
    assert made.name_all(POOL) == names
    rows = {row.name: row.tids for row in made.list_rows(POOL)}
    assert rows == {"MainThread": (1,), "thread #": (2, 3), by: (4,), "gunicorn": (5,)}


def test_the_kernel_names_threads_after_a_script(monkeypatch: pytest.MonkeyPatch) -> None:
    """The executable is another one. The name stays known when the process has ended."""
    comms = {7: "gunicorn"}
    monkeypatch.setattr(thread_list, "read_process_name", lambda pid: comms.get(pid, ""))
    made = ThreadList(7, None, lambda: "/usr/bin/python3.13")
    for _ in range(2):
        assert made.name_all(POOL)[5] == "thread 5"
        comms.clear()


def test_the_kernel_cuts_long_names() -> None:
    made = ThreadList(0, None, lambda: "/srv/bin/python3.13-with-options")
    assert made.name_all([ThreadTotal(2, "python3.13-with", 1, True)]) == {2: "thread 2"}
