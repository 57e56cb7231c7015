"""Threads as rows of the filter."""

from __future__ import annotations

from stackglass_viewer.presenter.settings.view_state import ThreadRow
from stackglass_viewer.presenter.tables.thread_rows import fold_threads


def test_threads_that_ended_are_one_row_for_each_pattern() -> None:
    rows = [
        ThreadRow((1,), "MainThread", 0.25),
        ThreadRow((2,), "ThreadPoolExecutor-0_0", 0.125, is_ended=True),
        ThreadRow((5,), "ThreadPoolExecutor-0_1", 0.25),
        ThreadRow((4,), "ThreadPoolExecutor-1_12", 0.25, is_ended=True),
        ThreadRow((3,), "janitor", 0.125, is_ended=True),
    ]
    assert fold_threads(rows) == (
        ThreadRow(
            (2, 4),
            "ThreadPoolExecutor-#_#",
            0.375,
            is_ended=True,
            names=("ThreadPoolExecutor-0_0", "ThreadPoolExecutor-1_12"),
        ),
        ThreadRow((1,), "MainThread", 0.25),
        ThreadRow((5,), "ThreadPoolExecutor-0_1", 0.25),  # it goes on
        ThreadRow((3,), "janitor", 0.125, is_ended=True),  # alone, it keeps its name
    )
    assert fold_threads([]) == ()
