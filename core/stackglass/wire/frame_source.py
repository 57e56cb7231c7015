"""Frame source: what a conversation with an engine needs of a connection to it.

``stackglass.attach.client.Connection`` is one; tests bring their own.
"""

from __future__ import annotations

from typing import Protocol


class FrameSource(Protocol):
    """A connection to an engine. The caller decodes its frames."""

    def receive(self, timeout_s: float) -> bytes | None:
        """The next message; None if none came in time. Raises StackglassError at the end."""

    def send(self, framed: bytes) -> None:
        """Send one of ``stackglass.wire.requests``. Raises StackglassError."""
