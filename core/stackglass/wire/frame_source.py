"""Frame source: the interface of a connection to an engine.

``stackglass.attach.client.Connection`` implements it; tests have their own.
"""

from __future__ import annotations

from typing import Protocol


class FrameSource(Protocol):
    """A connection to an engine. The caller decodes its frames."""

    def receive(self, timeout_s: float) -> bytes | None:
        """Return the next message; None if none came in time. Raises StackglassError at the end of
        the stream."""

    def send(self, framed: bytes) -> None:
        """Send a request that ``stackglass.wire.requests`` has encoded. Raises StackglassError."""
