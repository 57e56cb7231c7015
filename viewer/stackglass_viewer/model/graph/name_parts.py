"""Parts of a function's name: finds where its beginning can be cut off if there is little room."""

from __future__ import annotations

from functools import lru_cache

from stackglass_viewer.model.graph.colours import module_of
from stackglass_viewer.model.profile.native_frames import find_library, name_all


@lru_cache(maxsize=65536)
def drop_module(name: str, file: str) -> str:
    """Return a name without its package and module; class and function stay. The names of C
    functions keep their library.

    >>> drop_module("http.client.HTTPConnection.request", "/usr/lib/python3.11/http/client.py")
    'HTTPConnection.request'
    >>> drop_module("github.com/me/app/db.(*Conn).Query", "")
    '(*Conn).Query'
    """
    module = module_of(name, file)
    is_part = module and name.startswith(f"{module}.")
    return name[len(module) + 1 :] if is_part and not find_library(name) else name


@lru_cache(maxsize=65536)
def list_starts(name: str) -> tuple[int, ...]:
    """Return where the name may be cut, the longest rest first: the end of a name says most.

    ``http.client.get`` has ``client.get`` and ``get``. Kept, because a zoom cuts the same names to
    other widths in each of its frames.
    """
    starts: list[int] = []
    start = 0
    while cut := _next_part(name[start:]):
        start += cut
        starts.append(start)
    return tuple(starts)


def find_start(name: str, n_chars: int) -> int:
    """Return where the longest rest of at most ``n_chars`` characters begins; if all rests are
    longer, where the shortest begins."""
    start = 0
    for next_start in list_starts(name):
        if len(name) - start <= n_chars:
            break
        start = next_start
    return start


def _next_part(name: str) -> int:
    """Return where the name without its first package or class begins; 0 = it cannot be cut."""
    if name.startswith("<"):
        return 0
    library = find_library(name)
    if library:  # the name of an address keeps its library
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
