"""Which Host a request may name.

A page in a browser can have its own name point to 127.0.0.1, and then read what this server answers
(DNS rebinding). Such a request names the page's host. An address cannot be redirected, so addresses
are always good, and so are ``localhost`` and names below it; other names only if the user has
listed them.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Collection

ANY = "*"


_UNNAMED = "127.0.0.1"


def read_names(names: Collection[str]) -> tuple[str, ...]:
    """The user's names. Raises TypeError for a single one: its letters would be names."""
    if isinstance(names, str):
        raise TypeError(f"hosts are a list of names: [{names!r}]")
    return tuple(names)


def complete(header: str, version: str) -> str:
    """The Host header, or an address where a client of HTTP/1.0 sends none: no browser does that,
    and Go's server answers it. "" = it is missing."""
    return header or (_UNNAMED if version.rpartition("/")[2] == "1.0" else "")


def is_allowed(header: str, names: Collection[str]) -> bool:
    """``header`` is a Host header; ``names`` are the user's, ``*`` = all."""
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
