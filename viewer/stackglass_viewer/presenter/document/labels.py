"""Shortened function names: whole parts are cut first, then characters."""

from __future__ import annotations

from functools import lru_cache

from stackglass_viewer.model.graph.name_parts import find_start
from stackglass_viewer.model.units import make_printable

_ELLIPSIS = "…"
_MIN_CHARS = 2


@lru_cache(maxsize=65536)
def fit_name(name: str, n_chars: int) -> str:
    """Return as much of a name as fits ``n_chars`` of a fixed-width font; "" = there is no room.

    ``http.client.HTTPConnection.request`` loses its packages first, then its class, because the
    end of a name says most; ``libz: inflate_fast`` loses its library.
    """
    name = make_printable(name)
    if len(name) <= n_chars:
        return name
    if n_chars < _MIN_CHARS:
        return ""
    short = name[find_start(name, n_chars) :]
    return short if len(short) <= n_chars else short[: n_chars - 1] + _ELLIPSIS
