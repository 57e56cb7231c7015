"""Address of a profile, or of the page that lists profiles, on a server.

::

    localhost:6060                          the list at http://localhost:6060/debug/pprof/
    http://host/debug/pprof                 the list
    http://host/debug/pprof/heap?gc=1       one profile, with its parameters
    https://host/base/debug/pprof/profile   behind a proxy
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from stackglass_viewer.model.errors import RemoteError
from stackglass_viewer.model.remote.index_page import RECORDED
from stackglass_viewer.model.units import make_printable

PREFIX = "/debug/pprof/"
_RECORDED_S = 30
"""How long a server records ``profile`` if the request does not say."""
_MOST_S = 10**9
"""Limit for seconds: a longer time is waited for as if it was this long."""
_PORTS = {"http": 80, "https": 443}
_EXAMPLE = "an example is http://127.0.0.1:6060/debug/pprof/"


@dataclass(frozen=True, slots=True)
class Address:
    """The URL of a profile, in parts. ``profile`` "" = the page that lists all profiles."""

    scheme: str  # http, https
    host: str  # without brackets
    port: int
    folder: str  # path of the list, encoded, with a slash at both ends
    profile: str = ""  # decoded
    query: str = ""  # encoded

    @property
    def host_text(self) -> str:
        """``127.0.0.1:6060``, ``[::1]:6060``, ``example.org`` at the usual port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def path(self) -> str:
        """The path and query of the request."""
        query = f"?{self.query}" if self.query else ""
        return f"{self.folder}{quote(self.profile, safe='')}{query}"

    @property
    def url(self) -> str:
        return f"{self.scheme}://{self.host_text}{self.path}"

    @property
    def index(self) -> Address:
        """The address of the page that lists the profiles of the same server."""
        return replace(self, profile="", query="")

    def choose(self, profile: str, seconds: int = 0) -> Address:
        """Return the address of a profile of the same server. ``seconds``: how long it is recorded;
        0 = without this parameter."""
        query = urlencode({"seconds": seconds}) if seconds else ""
        return replace(self, profile=profile, query=query)

    @property
    def seconds(self) -> int:
        """The parameter ``seconds`` of the query, at most ``_MOST_S``; 0 = there is none."""
        text = dict(parse_qsl(self.query)).get("seconds", "")
        if not (text.isascii() and text.isdecimal()):
            return 0
        digits = text.lstrip("0")
        return int(digits or 0) if len(digits) < len(str(_MOST_S)) else _MOST_S

    @property
    def recorded_s(self) -> int:
        """How long the server records before it answers, s; 0 = it answers at once."""
        return self.seconds or (_RECORDED_S if self.profile in RECORDED else 0)


def parse_address(text: str) -> Address:
    """Read a URL as a person types it. Raises RemoteError.

    The parameter ``debug`` is left out: with it a server sends text instead of a profile.
    """
    text = text.strip()
    try:
        parts = urlsplit(text if "://" in text else f"http://{text}")
        host, port = parts.hostname, parts.port
        text.encode()
        host = host.encode("idna").decode() if host else host
    except UnicodeError:
        raise RemoteError(f"{make_printable(text)} is not a URL", _EXAMPLE) from None
    except ValueError as error:
        raise RemoteError(f"{text} is not a URL: {error}", _EXAMPLE) from None
    if parts.scheme not in _PORTS:
        raise RemoteError(f"only http and https URLs can be opened, not {text}", _EXAMPLE)
    if not host or not all(mark.isprintable() and not mark.isspace() for mark in host):
        raise RemoteError(f"{make_printable(text) or 'an empty text'} is not a URL", _EXAMPLE)
    if parts.username is not None:
        raise RemoteError("a URL with a user name or password cannot be opened")
    folder, _, last = quote(parts.path, safe="/%").rpartition("/")
    if last == "pprof" and folder.endswith("/debug"):
        folder, last = f"{folder}/{last}", ""
    if folder in ("", "/") and not last:
        folder = PREFIX.rstrip("/")
    query = urlencode([each for each in parse_qsl(parts.query) if each[0] != "debug"])
    return Address(
        parts.scheme,
        host,
        port if port is not None else _PORTS[parts.scheme],
        f"{folder}/",
        unquote(last),
        query if last else "",
    )
