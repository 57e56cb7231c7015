"""Connection to the engine in a command that the recorder has started.

::

    first Python imports the recorder's sitecustomize ─▶ engine inside, PID in the folder ─▶ connect
    a Python that never does (-S, -I, -E)             ─▶ after a while: attach from outside
    no Python at all                                  ─▶ wait for its end
"""

from __future__ import annotations

import os

from stackglass.attach.caller import describe_caller
from stackglass.attach.client import Connection, connect
from stackglass.attach.entry import attach
from stackglass.attach.errors import NoSuchProcessError, NotPythonError
from stackglass.attach.proc import PROC
from stackglass.attach.socket_directory import SocketDirectory, name_socket
from stackglass.attach.target import inspect
from stackglass.clock import Clock
from stackglass.errors import AttachError
from stackglass.record.child import Child
from stackglass.record.plan import Plan

_POLL_NS = 2_000_000
_PATIENCE_NS = 1_000_000_000
"""How long a Python may take to reach its sitecustomize before it is entered from outside."""
_START_CPU_NS = 300_000_000
"""CPU time that a Python uses to reach its sitecustomize. A child that has used less is not late
yet: it had no processor, or it waits for something."""
_LONGEST_PATIENCE_NS = 5_000_000_000
"""The longest time that such a child gets."""
_ANSWER_S = 10.0
_WAY = "started"


class ChildConnection:
    """Waits for the engine of a child. For one thread."""

    __slots__ = ("_child", "_clock", "_directory", "_plan")

    def __init__(self, child: Child, directory: SocketDirectory, plan: Plan, clock: Clock) -> None:
        """The plan's CPU rate, clock and stack depth apply if the engine has to enter from
        outside."""
        self._child = child
        self._directory = directory
        self._plan = plan
        self._clock = clock

    def wait(self) -> Connection | None:
        """The connection, once there is one; None if the child, or its first Python, ended before.

        Raises AttachError if there is a Python and it cannot be entered.
        """
        begun_ns = tried_ns = self._clock.mono_ns()
        while self._child.is_running():
            hello = self._child.find_hello()
            if hello is not None and hello.trouble:
                return self._attach(hello.pid, f" (from inside: {hello.trouble})")
            if hello is not None:
                return connect_child(hello.pid, self._directory, self._clock)
            now_ns = self._clock.mono_ns()
            if now_ns - tried_ns >= _PATIENCE_NS and self._is_late(now_ns - begun_ns):
                connection = self._try_from_outside()
                if connection is not None:
                    return connection
                tried_ns = self._clock.mono_ns()
            self._clock.sleep(_POLL_NS)
        hello = self._child.find_hello()
        if hello is None or hello.trouble:
            return None
        return connect_child(hello.pid, self._directory, self._clock)

    def _is_late(self, waited_ns: int) -> bool:
        """Whether the child has had the time that a Python needs to reach its sitecustomize."""
        try:
            cpu_ns = PROC.read_stat(self._child.pid).cpu_ns
        except NoSuchProcessError:
            return False
        return cpu_ns >= _START_CPU_NS or waited_ns >= _LONGEST_PATIENCE_NS

    def _try_from_outside(self) -> Connection | None:
        """Enter the child if it is a Python, unless the engine is just starting inside."""
        try:
            inspect(self._child.pid, describe_caller(PROC), PROC)
            if not self._child.withdraw_start():
                return None  # a Python has just begun to load the engine: its hello will come
            return self._enter(self._child.pid)
        except (NotPythonError, NoSuchProcessError):
            return None

    def _enter(self, pid: int) -> Connection:
        plan = self._plan
        return attach(pid, hz=plan.new_hz, clock=plan.clock, stack_depth=plan.stack_depth)

    def _attach(self, pid: int, why: str) -> Connection | None:
        try:
            return self._enter(pid)
        except NoSuchProcessError:
            return None
        except AttachError as error:
            raise AttachError(error.message + why, error.remedy) from error


def connect_child(pid: int, directory: SocketDirectory, clock: Clock) -> Connection | None:
    """Connect to an engine that listens now or in a moment; None if its process has ended.

    Raises AttachError, ConnectionLostError.
    """
    try:
        path = directory.path(name_socket(pid, PROC.read_stat(pid).start_time))
        until_ns = clock.mono_ns() + int(_ANSWER_S * 1e9)
        while clock.mono_ns() < until_ns:
            connection = connect(pid, os.geteuid(), path, _WAY)
            if connection is not None:
                try:
                    connection.greet(_ANSWER_S)
                except BaseException:
                    connection.close()
                    raise
                return connection
            if PROC.read_stat(pid).state in ("Z", "X"):
                return None
            clock.sleep(_POLL_NS)
    except NoSuchProcessError:
        return None
    raise AttachError(f"the engine in process {pid} does not listen at {path}")
