"""Hosts: which host a request may name in its Host header.

A web page can make its own host name point to 127.0.0.1, and then read this server's answers (DNS
rebinding). Such a request names the page's host. An address cannot be redirected, so addresses are
always allowed, and so are ``localhost`` and names below it. Other names are allowed only if the
user has listed them.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection

ANY = "*"

_UNNAMED = "127.0.0.1"  # the host of a request that need not name one


def read_names(names: Collection[str]) -> tuple[str, ...]:
    """The user's names. Raises TypeError for a str: its letters would count as names."""
    if isinstance(names, str):
        raise TypeError(f"hosts are a list of names: [{names!r}]")
    return tuple(names)


def complete(header: str, version: str) -> str:
    """The Host header, or an address if a client of HTTP/1.0 sends none: no browser does that, and
    Go's server answers such a client. "" = the header is missing."""
    return header or (_UNNAMED if version.rpartition("/")[2] == "1.0" else "")


def is_allowed(header: str, names: Collection[str]) -> bool:
    """Whether a request with this Host header is answered. ``names``: the user's; ``*`` = all."""
    host = _strip_port(header).rstrip(".").lower()
    if ANY in names or host == "localhost" or host.endswith(".localhost"):
        return True
    return _is_address(host) or host in {name.lower() for name in names}


def _strip_port(header: str) -> str:
    if header.startswith("["):
        return header[1:].partition("]")[0]
    return header.partition(":")[0]


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
