"""Thread list: the rows of the thread filter, and which threads have ended."""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Sequence

import numpy as np

from stackglass_viewer.model.live.view import LiveView, ThreadTotal
from stackglass_viewer.presenter.live.target_process import list_threads, read_process_name
from stackglass_viewer.presenter.settings.view_state import ThreadRow
from stackglass_viewer.presenter.tables.thread_rows import fold_threads

_COMM_LETTERS = 15  # longer names are cut by the kernel


class ThreadList:
    """Names threads of one session, and makes rows for them. For one thread."""

    def __init__(
        self,
        pid: int,
        alive: frozenset[int] | None = None,
        read_executable: Callable[[], str] = str,
    ) -> None:
        """``pid``: 0 = the session is from a file. ``alive``: ids of the threads when the file was
        saved; None = not known. ``read_executable`` returns the program's file; "" = not known."""
        self._pid = pid
        self._alive = alive
        self._read_executable = read_executable
        self._process_name = ""  # of the kernel; "" = not known

    def list_rows(self, threads: Sequence[ThreadTotal]) -> tuple[ThreadRow, ...]:
        """Return the rows. After the end of a process, its last known threads count as alive."""
        if self._pid:
            self._alive = list_threads(self._pid) or self._alive
        return list_thread_rows(threads, self._alive, self._list_program_names())

    def name_all(self, threads: Sequence[ThreadTotal]) -> dict[int, str]:
        """Return the names of threads as lists show them, by thread id."""
        program = self._list_program_names()
        return {thread.tid: name_thread(thread, program) for thread in threads}

    def name_rows(self, view: LiveView) -> list[str]:
        """Return the thread name of each row of a view."""
        name_of = self.name_all(view.threads)
        # There may be a million rows: names are made once for each thread.
        tids, which = np.unique(view.tids if view.tids is not None else [], return_inverse=True)
        names = np.array([name_of.get(tid, "unknown thread") for tid in tids.tolist()], np.object_)
        return list(names[which])

    def _list_program_names(self) -> frozenset[str]:
        """Return the names that the kernel gives to threads without a name of their own."""
        if self._pid:
            self._process_name = read_process_name(self._pid) or self._process_name
        file = posixpath.basename(self._read_executable())[:_COMM_LETTERS]
        return frozenset(filter(None, (file, self._process_name)))


def list_thread_rows(
    threads: Sequence[ThreadTotal],
    alive: frozenset[int] | None,
    program: frozenset[str] = frozenset(),
) -> tuple[ThreadRow, ...]:
    """Return the thread filter's rows. ``alive``: ids of the threads now; None = not known.
    ``program`` as for ``name_thread``."""
    whole = sum(thread.value for thread in threads)
    # In another PID namespace threads have other ids: then it is not known which have ended.
    is_known = alive is not None and (not alive or any(each.tid in alive for each in threads))
    return fold_threads(
        ThreadRow(
            tids=(thread.tid,),
            name=name_thread(thread, program),
            share=thread.value / whole if whole else 0.0,
            is_ended=is_known and thread.tid != 0 and thread.tid not in (alive or ()),
        )
        for thread in threads
    )


def name_thread(thread: ThreadTotal, program: frozenset[str] = frozenset()) -> str:
    """Return the name of a thread as lists show it. ``program``: names that say only which program
    the thread belongs to, such as ``python3``: with one of them a thread counts as unnamed."""
    is_named = bool(thread.name) and thread.name not in program
    without = f"thread {thread.tid}" if thread.tid else "unknown thread"
    name = thread.name if is_named else without
    return f"{name}, started by {thread.starter}" if thread.starter else name
