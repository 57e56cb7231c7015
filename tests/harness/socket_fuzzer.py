"""Rounds of hostile clients at the socket of a sanitized engine, with checks after each round.

::

    one target ──▶ round 0, 1, 2 … : up to 24 clients, each a few steps at a time
                                     └▶ alive? an honest client is served? all descriptors back?

``seed/number`` determines a round, so that it can be repeated, except for the system's scheduling.
"""

from __future__ import annotations

import array
import contextlib
import os
import random
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from harness import hostile_requests, sanitized
from harness.pythons import Python
from harness.targets import Target, TargetError
from stackglass.attach.client import Connection, connect
from stackglass.attach.errors import ConnectionLostError
from stackglass.errors import StackglassError
from stackglass.wire import messages, reader, requests

PATIENCE_S = 90.0
MAX_CLIENTS = 24  # the engine takes 16
MAX_STEPS = 120


class Fuzzed(NamedTuple):
    """Result of the rounds."""

    n_rounds: int
    n_steps: int


class FuzzError(AssertionError):
    """A check failed; the message has the seed, the round and the output."""


class _Client:
    """One hostile client: a socket, and bytes that it has not sent yet."""

    def __init__(self, path: str, rng: random.Random) -> None:
        self._rng = rng
        self._left = b""
        self.socket = socket.socket(socket.AF_UNIX)
        if rng.random() < 0.3:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1)  # the minimum
        self.socket.setblocking(False)
        try:
            self.socket.connect(path)  # fails if 8 others wait to be accepted
        except BaseException:
            self.socket.close()
            raise

    def step(self) -> bool:
        """Take one step. Returns False if the client has disconnected."""
        rng = self._rng
        deed = rng.randrange(20)
        with contextlib.suppress(BlockingIOError):
            try:
                if self._left or deed < 10:
                    self._send()
                elif deed < 14:
                    self.socket.recv(rng.choice((1, 100, 65536, 1 << 20)))
                elif deed == 14:
                    self.socket.shutdown(rng.choice((socket.SHUT_RD, socket.SHUT_WR)))
                elif deed == 15:
                    self._send_descriptors()
                elif deed == 16:
                    self.socket.send(hostile_requests.OTHER_PROTOCOL)
                    self.socket.close()
                    return False
                elif deed == 17:
                    self.socket.close()
                    return False
            except OSError as error:
                if isinstance(error, BlockingIOError):
                    raise
                self.socket.close()
                return False
        return True

    def _send(self) -> None:
        """Send a part of the pending bytes, one byte, or all."""
        if not self._left:
            self._left = hostile_requests.draw(self._rng)
        n = self._rng.choice((1, 2, 5, len(self._left), len(self._left), len(self._left)))
        sent = self.socket.send(self._left[:n])
        self._left = self._left[sent:]

    def _send_descriptors(self) -> None:
        passed = array.array("i", [self.socket.fileno()] * 3)
        ancillary = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, passed)]
        self.socket.sendmsg([hostile_requests.draw(self._rng)[:64]], ancillary)


class Fuzzer:
    """One target, and rounds of clients. A context manager; for one thread."""

    def __init__(self, python: Python, seed: int, folder: str) -> None:
        """``folder``: for the engine's socket and the sanitizers' findings; empty."""
        self._seed = seed
        self._path = os.path.join(folder, "engine.sock")
        self._log = os.path.join(folder, "findings")
        sanitized.build()
        environment = sanitized.list_environment(self._log)
        self._target = Target(
            python, "fuzzed.py", has_stdin=False, ENGINE_SOCKET=self._path, **environment
        )
        self._n_descriptors = self._count_descriptors()

    def __enter__(self) -> Fuzzer:
        return self

    def __exit__(self, *_: object) -> None:
        self._target.close()

    def run(self, is_over: Callable[[int], bool], first: int = 0) -> Fuzzed:
        """Run rounds from ``first`` on, until ``is_over`` of the next round's number, and end the
        target. Raises FuzzError."""
        number, n_steps = first, 0
        while not is_over(number):
            try:
                n_steps += self._play(number)
                self._check()
            except (AssertionError, OSError, StackglassError) as error:
                raise self._explain(number, error) from error
            number += 1
        try:
            self._target.finish(PATIENCE_S)
        except TargetError as error:
            raise self._explain(number, error) from error
        return Fuzzed(number - first, n_steps)

    def _play(self, number: int) -> int:
        rng = random.Random(f"{self._seed}/{number}")
        wanted = rng.randrange(1, MAX_CLIENTS + 1)
        n_steps = rng.randrange(1, MAX_STEPS)
        honest = self._connect() if rng.random() < 0.7 else None
        clients: list[_Client] = []
        try:
            for _ in range(n_steps):
                if len(clients) < wanted and rng.random() < 0.5:
                    with contextlib.suppress(
                        ConnectionRefusedError, FileNotFoundError, BlockingIOError
                    ):
                        clients.append(_Client(self._path, rng))
                elif clients:
                    client = rng.choice(clients)
                    if not client.step():
                        clients.remove(client)
                if honest is not None and rng.random() < 0.1:
                    _take_all(honest)
            if honest is not None:
                _see_samples(honest)
                if rng.random() < 0.5:
                    honest.send(requests.encode_detach())
                    _read_to_bye(honest)
        finally:
            for client in clients:
                client.socket.close()
            if honest is not None:
                honest.close()
        return n_steps

    def _connect(self) -> Connection:
        """Connect a correct client. If 16 others are connected, it is refused, and tries again.

        A refused client can send before the engine closes its end, so only a Ready proves that it
        is served.
        """
        deadline_s = time.monotonic() + PATIENCE_S
        while True:
            try:
                connection = connect(self._target.pid, os.getuid(), self._path, "found")
            except ConnectionResetError:
                connection = None
            try:
                if connection is not None:
                    connection.greet(PATIENCE_S)
                    connection.send(requests.encode_set_cpu_rate(500))
                    _await_ready(connection, deadline_s)
                    return connection
            except ConnectionLostError:
                assert connection is not None
                connection.close()
            self._check_alive()
            assert time.monotonic() < deadline_s, "no client is accepted any more"
            time.sleep(0.01)

    def _check(self) -> None:
        """Check that the target lives, and that the round's engine has closed its descriptors."""
        self._check_alive()
        deadline_s = time.monotonic() + PATIENCE_S
        # The engine of the next round may exist already; its descriptors are in a table of its own.
        while self._count_descriptors() > self._n_descriptors:
            assert time.monotonic() < deadline_s, "descriptors are left behind"
            time.sleep(0.01)

    def _check_alive(self) -> None:
        assert not self._read_findings(), "a sanitizer has found something"
        assert self._target.process.poll() is None, "the target has ended"

    def _read_findings(self) -> str:
        files = Path(self._log).parent.glob(Path(self._log).name + ".*")
        return "\n".join(file.read_text(errors="replace") for file in files)

    def _count_descriptors(self) -> int:
        return len(list(Path(f"/proc/{self._target.pid}/fd").iterdir()))

    def _explain(self, number: int, error: BaseException) -> FuzzError:
        with contextlib.suppress(Exception):
            self._target.process.wait(2.0)  # lets it write its messages
        written = self._read_findings() or self._target.read_errors()
        return FuzzError(
            f"seed {self._seed}, round {number}: {error}; exit code "
            f"{self._target.process.poll()}; it wrote:\n{written[:6000]}"
        )


def _await_ready(honest: Connection, deadline_s: float) -> None:
    """Raises ConnectionLostError if the engine refuses the client."""
    while not honest.is_ready and time.monotonic() < deadline_s:
        frame = honest.receive(1.0)
        if frame is not None:
            reader.decode(frame)
    assert honest.is_ready, "a client that was accepted gets no Ready"


def _take_all(honest: Connection) -> list[messages.Message | None]:
    """Return the received messages, decoded: an engine never sends damaged messages."""
    found: list[messages.Message | None] = []
    while (frame := honest.receive(0.0)) is not None:
        found.append(reader.decode(frame))
    return found


def _see_samples(honest: Connection) -> None:
    """Wait for a status that was made after now: other clients have not stopped the engine."""
    asked_ns, deadline_s = time.monotonic_ns(), time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s:
        frame = honest.receive(1.0)
        message = reader.decode(frame) if frame is not None else None
        if isinstance(message, messages.Status) and message.time_mono_ns >= asked_ns:
            return
    raise AssertionError("the engine sends nothing any more")


def _read_to_bye(honest: Connection) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline_s:
        frame = honest.receive(1.0)
        message = reader.decode(frame) if frame is not None else None
        if isinstance(message, messages.Bye):
            assert message.reason == "", message
            return
    raise AssertionError("a detach is not answered")
