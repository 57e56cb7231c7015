"""Thread list: the rows of the thread filter, and which threads have ended."""

from __future__ import annotations

from collections.abc import Sequence

from stackglass_viewer.model.live.view import ThreadTotal
from stackglass_viewer.presenter.live.target_process import list_threads
from stackglass_viewer.presenter.settings.view_state import ThreadRow
from stackglass_viewer.presenter.tables.thread_rows import fold_threads


class ThreadList:
    """Makes rows for the threads of one session. For one thread."""

    def __init__(self, pid: int, alive: frozenset[int] | None = None) -> None:
        """``pid``: 0 = the session is from a file. ``alive``: ids of the threads when the file was
        saved; None = not known."""
        self._pid = pid
        self._alive = alive

    def list_rows(self, threads: Sequence[ThreadTotal]) -> tuple[ThreadRow, ...]:
        """Return the rows. After the end of a process, its last known threads count as alive."""
        if self._pid:
            self._alive = list_threads(self._pid) or self._alive
        return list_thread_rows(threads, self._alive)


def list_thread_rows(
    threads: Sequence[ThreadTotal], alive: frozenset[int] | None
) -> tuple[ThreadRow, ...]:
    """Return the thread filter's rows. ``alive``: ids of the threads now; None = not known."""
    whole = sum(thread.value for thread in threads)
    # In another PID namespace threads have other ids: then it is not known which have ended.
    is_known = alive is not None and (not alive or any(each.tid in alive for each in threads))
    return fold_threads(
        ThreadRow(
            tids=(thread.tid,),
            name=name_thread(thread),
            share=thread.value / whole if whole else 0.0,
            is_ended=is_known and thread.tid != 0 and thread.tid not in (alive or ()),
        )
        for thread in threads
    )


def name_thread(thread: ThreadTotal) -> str:
    """Return the name of a thread as lists show it."""
    name = thread.name or (f"thread {thread.tid}" if thread.tid else "unknown thread")
    return f"{name}, started by {thread.starter}" if thread.starter else name
