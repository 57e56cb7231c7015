"""Children: the further Pythons of a command, each recorded by a thread of its own.

A Python that loads the engine leaves its PID in the command's private folder, writes a byte into a
FIFO there, and waits. A watching thread reads the FIFO, connects, and releases that Python.
"""

from __future__ import annotations

import threading

from stackglass.attach.client import Connection
from stackglass.attach.socket_directory import SocketDirectory
from stackglass.clock import Clock
from stackglass.errors import StackglassError
from stackglass.record import report
from stackglass.record.child import Child, ChildHello
from stackglass.record.child_connection import connect_child
from stackglass.record.process_recording import ProcessRecording

_POLL_S = 0.2
"""The longest wait for the FIFO: a lost byte delays a child's start by at most this time."""


class Children:
    """Watches for Pythons from ``start`` to ``finish``."""

    __slots__ = (
        "_child",
        "_clock",
        "_directory",
        "_guard",
        "_is_stopped",
        "_n_missed",
        "_outcome",
        "_recording",
        "_threads",
        "_watcher",
    )

    def __init__(
        self, child: Child, directory: SocketDirectory, recording: ProcessRecording, clock: Clock
    ) -> None:
        self._child = child
        self._directory = directory
        self._recording = recording
        self._clock = clock
        self._is_stopped = threading.Event()
        self._guard = threading.Lock()  # of _n_missed and _outcome
        self._n_missed = 0
        self._outcome = 0
        self._threads: list[threading.Thread] = []
        self._watcher = threading.Thread(target=self._watch, name="children", daemon=True)

    def start(self) -> None:
        self._watcher.start()

    def finish(self) -> int:
        """End the recordings of children that still run, and wait until all files are written.

        Returns 0, or report.PARTLY if some process's profiles could not be recorded.
        """
        if self._watcher.ident is None:
            return 0
        self._is_stopped.set()
        self._watcher.join()
        self._child.refuse_hellos()
        late = self._child.list_hellos()
        self._child.release()
        for thread in self._threads:
            thread.join()
        if self._n_missed:
            noun = "child process" if self._n_missed == 1 else "child processes"
            report.say(f"{self._n_missed} {noun} ended before they could be recorded")
        if late:
            noun = "child process" if len(late) == 1 else "child processes"
            report.say(f"{len(late)} {noun} started when the recording was over")
        return self._outcome

    def _watch(self) -> None:
        while not self._is_stopped.is_set():
            for hello in self._child.list_hellos():
                # Not in the thread that records: this loop would find the same report again.
                self._receive(hello)
            self._child.wait_for_hello(_POLL_S)
            self._threads = [thread for thread in self._threads if thread.is_alive()]

    def _receive(self, hello: ChildHello) -> None:
        try:
            if hello.trouble:
                report.say(f"process {hello.pid} is not recorded: {hello.trouble}")
                return
            connection = connect_child(hello.pid, self._directory, self._clock)
        except StackglassError as error:
            report.say(f"process {hello.pid} is not recorded: {error}")
            return
        finally:
            self._child.release(hello.pid)
        if connection is None:
            self._miss()
            return
        thread = threading.Thread(
            target=self._record, args=(connection,), name=f"process {hello.pid}", daemon=True
        )
        self._threads.append(thread)
        thread.start()

    def _record(self, connection: Connection) -> None:
        try:
            outcome = self._recording.run(connection, self._is_stopped.is_set)
        except StackglassError as error:
            report.say(f"process {connection.pid}: {error}")
            outcome = report.PARTLY
        self._directory.remove_stale()  # workers that come and go would fill the directory
        if outcome is None:
            self._miss()
        elif outcome:
            with self._guard:
                self._outcome = outcome

    def _miss(self) -> None:
        with self._guard:
            self._n_missed += 1
