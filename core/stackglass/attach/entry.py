"""Attach: from a PID to a connection with the engine in that process.

::

    inspect ─▶ a socket is there? ──yes──────────────────────────────────▶ connect ─▶ Hello
                  │ no                                                        ▲
                  ├─ 3.14+, and a thread of it runs: PEP 768 ─────────── 20 ms┤
                  └─ else, and after these 20 ms: ptrace ─────────────────────┘

Both ways may succeed: a second entry has no effect. If two clients attach at the same time, one
finds the process traced by the other, and tries again. A client also tries again if it finds the
process stopped, or with another program than before.

The modules that only a connection needs are imported while the tracer works: this takes a
millisecond, and ten on a busy machine.
"""

from __future__ import annotations

import errno
import os
import time

from stackglass.attach import filter_verdict, injection
from stackglass.attach import target as targets
from stackglass.attach.caller import Caller, describe_caller
from stackglass.attach.errors import (
    ConnectionLostError,
    InjectionError,
    ReplacedError,
    StoppedError,
    TraceDeniedError,
    TracedError,
)
from stackglass.attach.library import find_library, iterate_other_libraries, offer_library
from stackglass.attach.proc import PROC, Proc
from stackglass.attach.process_end import EndWatch, explain_end
from stackglass.attach.socket_directory import SocketDirectory, find_socket, name_socket
from stackglass.attach.target import Target, Verdict
from stackglass.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from stackglass.attach.client import Connection
    from stackglass.attach.entry_script import EntryScript
    from stackglass.attach.remote_exec import RemoteExec

    OnProgress = Callable[[str], None]

DEFAULT_TIMEOUT_S = 10.0

_HEAD_START_NS = 20_000_000  # of PEP 768 before ptrace
_TAKEN_NS = 3_000_000_000  # from a request that was taken until the engine listens, at most
_RETRY_NS = 300_000_000  # an engine that is just leaving has left by then
_RIVAL_NS = 1_000_000_000  # of two clients that enter at the same time, one has entered by then
# A CPU limiter or a supervisor may stop a process for moments. It counts as stopped after this time
# and this number of tries: on a busy machine, tries are few and often meet such a moment.
_STOPPED_NS, _STOPPED_TRIES = 500_000_000, 20
_LEAST_GREETING_NS = 15_000_000_000  # for the Hello of one that listens, past the deadline too
_FIRST_POLL_S, _POLL_S = 0.00005, 0.0005
_FAILURE_NS = 50_000_000  # between reads of the failure that the engine may have recorded
_RIVAL_POLL_S = 0.005


class Way:
    """How the engine came into the process."""

    FOUND = "found"  # it was there already
    REMOTE_EXEC = "remote_exec"
    PTRACE = "ptrace"


def attach(
    pid: int,
    *,
    hz: int | None = None,
    new_hz: int | None = None,
    clock: str = "auto",
    stack_depth: int | None = None,
    timeout_s: float = DEFAULT_TIMEOUT_S,
    on_progress: OnProgress | None = None,
    meanwhile: Callable[[], None] | None = None,
    proc: Proc = PROC,
) -> Connection:
    """Enter process ``pid``, or connect to the engine that is there.

    ``hz``: the CPU rate. With None a new engine gets ``new_hz`` (None: the default rate), and an
    engine that is there keeps its rate. ``clock``: what triggers a new engine's CPU samples.
    ``stack_depth``: frames that a new engine keeps of a stack, except for cpu, wall and
    threadcreate; None is its default.
    ``on_progress`` is called on this thread with a sentence about each step; ``meanwhile`` each
    time that a tracer works, which may be never, once or several times. Blocks for some
    milliseconds as a rule, for ``timeout_s`` at most, for fifteen more if an engine listens by
    then, and for up to a minute if the process hardly gets a processor (``injection.inject``). Any
    thread. The engine may still wait for the process's GIL: see ``Connection.waiting_ns``.

    Raises AttachError (a subclass per reason), WireError. The process continues unharmed.
    """
    now_ns = time.monotonic_ns()
    attempt = _Attempt(
        hz,
        _default_hz() if new_hz is None else new_hz,
        clock,
        stack_depth,
        now_ns + int(timeout_s * 1e9),
        on_progress or _ignore,
        meanwhile or _do_nothing,
        proc,
    )
    n_stopped = 0
    while True:
        try:
            return attempt.join_or_enter(pid)
        except StoppedError:
            n_stopped += 1
            until_ns = now_ns + _STOPPED_NS if n_stopped >= _STOPPED_TRIES else attempt.deadline_ns
            if time.monotonic_ns() >= min(until_ns, attempt.deadline_ns):
                raise
        except ReplacedError:
            if time.monotonic_ns() >= attempt.deadline_ns:
                raise
        except (TracedError, TraceDeniedError):
            if time.monotonic_ns() >= min(now_ns + _RIVAL_NS, attempt.deadline_ns):
                raise
        time.sleep(_RIVAL_POLL_S)


class _Attempt(NamedTuple):
    """The arguments of one ``attach``."""

    hz: int | None
    new_hz: int
    clock: str
    stack_depth: int | None
    deadline_ns: int
    show: OnProgress
    meanwhile: Callable[[], None]
    proc: Proc

    def join_or_enter(self, pid: int) -> Connection:
        """Connect to the engine that is there, or enter the process. Raises AttachError,
        WireError."""
        proc = self.proc
        caller = describe_caller(proc)
        target = targets.inspect(pid, caller, proc)
        found = find_socket(pid, target.start_time, target.uid, proc)
        joined = _join(target, found, self.deadline_ns, proc)
        if joined is not None:
            self.show(f"process {pid} already has an engine")
            if self.hz is not None:
                _set_rate(joined, self.hz)
            return joined
        targets.await_fork(target, self.deadline_ns, proc)
        targets.check_entry(target, caller, proc)
        targets.check_reachable(target, find_library(), proc)
        verdict = filter_verdict.decide(pid, target.build.minor, proc)
        if verdict.is_filtered:
            self.show(_describe(pid, verdict))
        self.show(f"entering process {pid} (Python {target.build.version})")
        with SocketDirectory(target.uid) as directory:
            targets.check_reachable(target, directory.root, proc)
            directory.remove_stale(proc)
            if found is not None:  # no engine listened there
                directory.remove_unbound(name_socket(pid, target.start_time))
            visit = _Visit(self, target, caller, directory, verdict)
            try:
                entered = visit.enter(self.show)
            finally:
                visit.tidy()
            if self.hz is not None:  # a rival may have started the engine, at another rate
                _set_rate(entered, self.hz)
            return entered


def encode_arguments(**fields: str | int) -> bytes:
    """The argument block of ``stackglass_enter``; see agent/agent.h."""
    return b"".join(os.fsencode(f"{key}={value}") + b"\0" for key, value in fields.items()) + b"\0"


class _Visit:
    """One attempt to load the engine into a process, and to connect to it."""

    __slots__ = (
        "_arguments",
        "_deadline_ns",
        "_directory",
        "_library",
        "_meanwhile",
        "_proc",
        "_script",
        "_socket_path",
        "_target",
        "_verdict",
        "_watch",
    )

    def __init__(
        self,
        attempt: _Attempt,
        target: Target,
        caller: Caller,
        directory: SocketDirectory,
        verdict: Verdict,
    ) -> None:
        self._target = target
        self._verdict = verdict
        self._watch = EndWatch(target.pid, attempt.proc)
        self._directory = directory
        self._deadline_ns = attempt.deadline_ns
        self._meanwhile = attempt.meanwhile
        self._proc = attempt.proc
        self._library = offer_library(target.uid, directory)
        name = name_socket(target.pid, target.start_time)
        self._socket_path = directory.path(name)
        self._script: EntryScript | None = None
        hz = attempt.new_hz if attempt.hz is None else attempt.hz
        fields: dict[str, str | int] = {"uid": caller.uid, "hz": hz, "clock": attempt.clock}
        if attempt.stack_depth is not None:
            fields["depth"] = attempt.stack_depth
        if verdict.calls is not None:
            fields["calls"] = verdict.calls
        self._arguments = encode_arguments(socket=self._socket_path, **fields)

    def enter(self, show: OnProgress) -> Connection:
        """Try PEP 768, then ptrace. Raises AttachError."""
        # A filter may forbid calls of the script's Python code, so the script is not used then.
        if self._verdict.is_filtered or not self._target.build.has_requests:
            return self._enter_by_ptrace(show)
        from stackglass.attach import remote_exec  # here for start-up time
        from stackglass.attach.entry_script import EntryScript

        if not remote_exec.can_speak(self._target.build):
            return self._enter_by_ptrace(show)
        self._script = EntryScript(self._directory, self._socket_path)
        self._script.write(self._library, self._arguments)
        request = remote_exec.RemoteExec(self._target.pid, self._target.build, self._proc)
        has_run = False
        try:
            with request:
                connection = self._enter_by_request(request, self._script.path, show)
                has_run = connection.way == Way.REMOTE_EXEC
                return connection
        finally:  # also where the entry has failed
            self._script.may_run = request.was_taken and not has_run

    def _enter_by_request(self, request: RemoteExec, script: str, show: OnProgress) -> Connection:
        """Enter by ``request``; by ptrace, if no engine listens in time. Raises AttachError."""
        if request.ask(script):
            until_ns = time.monotonic_ns() + _HEAD_START_NS
            connection = self._await_socket(until_ns, Way.REMOTE_EXEC)
            if connection is not None:
                return connection
        try:
            return self._enter_by_ptrace(show)
        except InjectionError:
            # If memory is scarce, an engine that came by the request may have taken the rest of it.
            if not request.is_taken():
                raise
            until_ns = time.monotonic_ns() + _TAKEN_NS
            connection = self._await_socket(until_ns, Way.REMOTE_EXEC)
            if connection is None:
                raise
            return connection

    def tidy(self) -> None:
        """Remove the files of the entry, and close the watch."""
        if self._script is not None:
            self._script.withdraw()
        self._watch.close()

    def _enter_by_ptrace(self, show: OnProgress) -> Connection:
        others = iterate_other_libraries(self._target.pid, self._library, self._proc)
        while True:
            done = injection.inject(
                self._target.pid,
                self._library,
                self._arguments,
                threads=self._verdict.threads,
                meanwhile=self._load_next,
                proc=self._proc,
            )
            if done.value == -errno.EEXIST and (other := next(others, None)):
                self._library = other
                continue
            if done.value < 0:
                from stackglass.attach.engine_failure import explain_refusal

                pid, root = self._target.pid, self._directory.root
                raise explain_refusal(pid, -done.value, root, self._proc)
            now_ns = time.monotonic_ns()
            until_ns = min(now_ns + _RETRY_NS, self._deadline_ns) if done.value else None
            connection = self._await_socket(until_ns or self._deadline_ns, Way.PTRACE)
            if connection is not None:
                return connection
            if time.monotonic_ns() >= self._deadline_ns:
                raise InjectionError(
                    f"the engine entered process {self._target.pid}, but did not answer in time",
                    "attach again; if it fails again, look at the limits of the process: "
                    f"/proc/{self._target.pid}/limits",
                )
            show(f"an engine is just leaving process {self._target.pid}")

    def _load_next(self) -> None:
        import stackglass.attach.client  # noqa: F401 - for _await_socket

        self._meanwhile()

    def _await_socket(self, until_ns: int, way: str) -> Connection | None:
        """Connect as soon as an engine listens and greets; None if none did in time. Raises
        AttachError."""
        from stackglass.attach.client import connect  # here for start-up time

        target = self._target
        pause_s = _FIRST_POLL_S
        look_ns = time.monotonic_ns() + _FAILURE_NS
        while True:
            connection = connect(target.pid, target.uid, self._socket_path, way, self._proc)
            greeted = _greet(connection, self._deadline_ns)
            if greeted is not None or time.monotonic_ns() >= until_ns:
                return greeted
            if self._proc.has_ended(target.pid):
                raise explain_end(target.pid, self._watch.look())
            if time.monotonic_ns() >= look_ns:
                look_ns = time.monotonic_ns() + _FAILURE_NS
                self._raise_failure()
            time.sleep(pause_s)
            pause_s = min(2 * pause_s, _POLL_S)

    def _raise_failure(self) -> None:
        """Raise the failure that the engine has recorded, if there is one."""
        from stackglass.attach.engine_failure import find_failure, read_failure

        pid, proc = self._target.pid, self._proc
        failure = find_failure(pid, self._library, proc)
        problem = failure and read_failure(pid, failure, self._directory.root, proc)
        if problem:
            raise problem


def _join(target: Target, path: str | None, deadline_ns: int, proc: Proc) -> Connection | None:
    """Connect to the engine that listens at ``path``; None if there is none."""
    if path is None:
        return None
    from stackglass.attach.client import connect  # here for start-up time

    connection = connect(target.pid, target.uid, path, Way.FOUND, proc)
    return _greet(connection, deadline_ns)


def _greet(connection: Connection | None, deadline_ns: int) -> Connection | None:
    """The connection after its Hello; None if the engine was just leaving."""
    if connection is None:
        return None
    try:
        connection.greet(max(deadline_ns - time.monotonic_ns(), _LEAST_GREETING_NS) / 1e9)
    except ConnectionLostError:
        connection.close()
        if time.monotonic_ns() >= deadline_ns:
            raise
        return None
    except BaseException:
        connection.close()
        raise
    return connection


def _set_rate(connection: Connection, hz: int) -> None:
    """Request the CPU rate. Raises ConnectionLostError, with the connection closed."""
    from stackglass.wire import requests  # here for start-up time

    try:
        connection.send_if_served(requests.encode_set_cpu_rate(hz))
    except ConnectionLostError:
        connection.close()
        raise


def _describe(pid: int, verdict: Verdict) -> str:
    if not verdict.is_read:
        return (
            f"process {pid} has a system call filter (seccomp) that only root can read: "
            "the engine makes only the calls that it needs"
        )
    return f"process {pid} has a system call filter (seccomp): only permitted calls are made"


def _default_hz() -> int:
    from stackglass.wire.rates import DEFAULT  # here for start-up time

    return DEFAULT.cpu_hz


def _ignore(_: str) -> None:
    """The default ``on_progress``."""


def _do_nothing() -> None:
    """The default ``meanwhile``."""
