"""Shortened names: cut by whole parts first, by characters last."""

from __future__ import annotations

from functools import lru_cache

from stackglass_viewer.model.profile.native_frames import find_library, name_all
from stackglass_viewer.model.units import make_printable

_ELLIPSIS = "…"
_MIN_CHARS = 2


@lru_cache(maxsize=65536)
def fit_name(name: str, n_chars: int) -> str:
    """As much of a name as fits ``n_chars`` of a fixed-width face; "" where it says nothing.

    ``http.client.HTTPConnection.request`` loses its packages first, then its class, because the
    end of a name says most; ``libz: inflate_fast`` loses its library.
    """
    name = make_printable(name)
    if len(name) <= n_chars:
        return name
    if n_chars < _MIN_CHARS:
        return ""
    short = name
    while len(short) > n_chars:
        cut = _next_part(short)
        if cut <= 0:
            break
        short = short[cut:]
    if len(short) <= n_chars:
        return short
    return short[: n_chars - 1] + _ELLIPSIS


def _next_part(name: str) -> int:
    """Where the name without its first package or class begins; 0 = it cannot be cut."""
    if name.startswith("<"):
        return 0
    library = find_library(name)
    if library:  # an address says less than whose it is
        rest = len(library) + 2
        return 0 if name == name_all(library) or name.startswith("0x", rest) else rest
    scope = name.find("::")
    if scope > 0 and not any(sign in name[:scope] for sign in "<( "):
        return scope + 2
    slash = name.find("/")
    if slash >= 0:
        return slash + 1
    dot = name.find(".")
    # "<locals>.inner" and "(*conn).serve" are parts that belong together.
    if dot <= 0 or dot + 1 >= len(name) or name[dot + 1] in "<(":
        next_dot = name.find(".", dot + 1) if dot > 0 else -1
        return next_dot + 1 if next_dot > 0 else 0
    return dot + 1
