"""Thread list: which threads have ended, of a process and of a file."""

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
