"""Keeper: the client that keeps the rates of a process in force, for as long as it is served."""

from __future__ import annotations

import contextlib
import threading

from stackglass.attach.client import Connection
from stackglass.clock import Clock
from stackglass.errors import AttachError, StackglassError
from stackglass.record.rate_requests import RateRequest
from stackglass.wire import messages, reader, requests

_POLL_S = 0.2
_PATIENCE_NS = 30_000_000_000  # for the engine's first answer


class Keeper:
    """Requests rates, then reads and discards what the engine sends, on a thread of its own."""

    def __init__(self, connection: Connection, wanted: RateRequest, clock: Clock) -> None:
        """Takes over ``connection``. Returns when the engine has answered.

        Raises AttachError if there is no answer, ConnectionLostError, WireError.
        """
        self._connection = connection
        self._is_closing = threading.Event()
        self._has_ended = threading.Event()
        self.why_ended = ""
        self.ready = messages.Ready()
        in_force = self._begin(clock)
        for request in wanted.encode(in_force):
            connection.send(request)
        self._thread = threading.Thread(target=self._run, name="stackglass keeper", daemon=True)
        self._thread.start()

    @property
    def has_ended(self) -> bool:
        """Whether the connection has ended. ``why_ended`` says why; it is empty after ``close``."""
        return self._has_ended.is_set()

    def close(self) -> None:
        """Detach. The rates that were requested end; other clients keep theirs."""
        self._is_closing.set()
        self._thread.join()
        with contextlib.suppress(StackglassError):
            self._connection.send(requests.encode_detach())
        self._connection.close()

    def _begin(self, clock: Clock) -> messages.Rates:
        """Wait for the engine's greeting; returns the rates in force."""
        until_ns = clock.mono_ns() + _PATIENCE_NS
        while clock.mono_ns() < until_ns:
            frame = self._connection.receive(_POLL_S)
            message = reader.decode(frame, has_events=False) if frame is not None else None
            if isinstance(message, messages.Ready):
                self.ready = message
            elif isinstance(message, messages.Rates):
                return message
            elif isinstance(message, messages.Bye):
                raise AttachError(message.reason or "the engine was detached")
        raise AttachError("the engine did not answer in 30 s", "C code may hold the GIL")

    def _run(self) -> None:
        try:
            while not self._is_closing.is_set():
                self._connection.receive(_POLL_S)
        except StackglassError as error:
            self.why_ended = error.message
        finally:
            self._has_ended.set()
