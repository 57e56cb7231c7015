"""Debug files that a debuginfod client has downloaded: the folder that all such clients share."""

from __future__ import annotations

import os

_FILE = "debuginfo"


def find_cached(build_id: str) -> str:
    """Where the debug file of a build would be; it need not be there."""
    return os.path.join(find_cache(), build_id, _FILE)


def find_cache() -> str:
    """The folder, as libdebuginfod chooses it."""
    given = os.environ.get("DEBUGINFOD_CACHE_PATH", "")
    if given:
        return given
    home = os.path.expanduser("~")
    old = os.path.join(home, ".debuginfod_client_cache")
    if os.path.isdir(old):
        return old
    cache = os.environ.get("XDG_CACHE_HOME", "") or os.path.join(home, ".cache")
    return os.path.join(cache, "debuginfod_client")
