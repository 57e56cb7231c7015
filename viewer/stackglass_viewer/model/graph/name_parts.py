"""Parts of a function's name: where it may begin if there is less room than it needs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from stackglass_viewer.model.graph.colours import module_of
from stackglass_viewer.model.profile.native_frames import find_library, name_all


@lru_cache(maxsize=65536)
def drop_module(name: str, file: str) -> str:
    """A name without its package and module; class and function stay. Names of C keep their
    library, which is where they are.

    >>> drop_module("http.client.HTTPConnection.request", "/usr/lib/python3.11/http/client.py")
    'HTTPConnection.request'
    >>> drop_module("github.com/me/app/db.(*Conn).Query", "")
    '(*Conn).Query'
    """
    module = module_of(name, file)
    is_part = module and name.startswith(f"{module}.")
    return name[len(module) + 1 :] if is_part and not find_library(name) else name


def iter_starts(name: str) -> Iterator[int]:
    """Where shorter names begin, the longest first: the end of a name says most.

    ``http.client.get`` has ``client.get`` and ``get``.
    """
    start = 0
    while cut := _next_part(name[start:]):
        start += cut
        yield start


def find_start(name: str, n_chars: int) -> int:
    """Where the longest name begins that has at most ``n_chars``; if none has, the shortest."""
    start = 0
    for next_start in iter_starts(name):
        if len(name) - start <= n_chars:
            break
        start = next_start
    return start


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
