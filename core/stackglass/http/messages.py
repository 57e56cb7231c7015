"""Messages: requests and responses as values, and the interface of the profiled process."""

from __future__ import annotations

from typing import Callable, Protocol

from stackglass.http.paths import PREFIX
from stackglass.named_tuple import NamedTuple
from stackglass.wire.pprof import ProfileTables

Wait = Callable[[float], bool]
"""Waits for so many seconds; False at once when the client has gone, or the server closes."""

TEXT = "text/plain; charset=utf-8"
BINARY = "application/octet-stream"
HTML = "text/html; charset=utf-8"


class Request(NamedTuple):
    """A client's request."""

    method: str
    path: str  # decoded, and as if nothing were mounted
    query: str = ""  # as it came
    host: str = ""  # the header; "" = there is none
    base_path: str = PREFIX  # what the client's own path has in the place of PREFIX


class Response(NamedTuple):
    """The answer to a request. The server adds the length."""

    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes

    def find(self, name: str) -> str:
        """A header; "" = there is none."""
        return dict(self.headers).get(name, "")


class Listed(NamedTuple):
    """A profile in the list of profiles."""

    name: str
    description: str
    n_stacks: int


class Built(NamedTuple):
    """A profile as tables, and which engine has recorded it: a later engine begins at zero."""

    tables: ProfileTables
    engine_began_ns: int  # CLOCK_MONOTONIC; 0 = no engine's, or it shows the present moment


class Source(Protocol):
    """The process that is profiled. All methods may raise StackglassError."""

    def list_profiles(self) -> list[Listed]:
        """All profiles, with their counts of stacks; 0 for leaks, which a list does not search."""

    def has_profile(self, name: str) -> bool:
        """Whether there is a profile of this name, aliases included."""

    def has_delta(self, name: str) -> bool:
        """Whether a difference over some seconds is served: as in Go, not if the program fills the
        profile."""

    def encode(self, name: str, debug: int, wants_gc: bool) -> bytes:
        """A profile as a file; ``wants_gc``: after a full collection."""

    def build(self, name: str) -> Built:
        """A profile as tables."""

    def record_cpu(self, seconds: int, wait: Wait) -> bytes:
        """A CPU profile of the next seconds, or of less if ``wait`` returns False."""

    def record_wall(self, seconds: int, wait: Wait) -> bytes:
        """A profile of all threads by the wall clock; as ``record_cpu`` otherwise."""

    def list_arguments(self) -> list[str]:
        """The words of the command line."""
