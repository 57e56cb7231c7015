"""Paths of the endpoints, wherever a framework has mounted them.

==============  =======================  ===================  ===================
mounted at      a client's path          read as              in place of PREFIX
==============  =======================  ===================  ===================
(nowhere)       /debug/pprof/heap        /debug/pprof/heap    /debug/pprof/
/debug/pprof    /debug/pprof/heap        /debug/pprof/heap    /debug/pprof/
/debug          /debug/pprof/heap        /debug/pprof/heap    /debug/pprof/
/admin          /admin/debug/pprof/heap  /debug/pprof/heap    /admin/debug/pprof/
/admin/prof     /admin/prof/heap         /debug/pprof/heap    /admin/prof/
==============  =======================  ===================  ===================
"""

from __future__ import annotations

import posixpath

PREFIX = "/debug/pprof/"


def locate(mount: str, path: str) -> tuple[str, str]:
    """The path to answer, and what the client's path has in the place of PREFIX.

    ``mount`` is SCRIPT_NAME or ``root_path``; ``path`` may begin with it, or with its last parts: a
    proxy removes the first ones, and servers differ in whether they put them back.
    """
    mount = mount.rstrip("/")
    own = _strip(mount, path)
    whole = mount + own
    at = f"{whole}/".find(PREFIX)
    if 0 <= at <= len(mount):
        return whole[at:], whole[:at] + PREFIX
    if mount:
        return PREFIX.rstrip("/") + own, f"{mount}/"
    return own, PREFIX


def clean(path: str) -> str:
    """The path without ".", ".." and repeated slashes, as Go's ServeMux cleans it, and with a slash
    at the end of PREFIX."""
    cleaned = posixpath.normpath("/" + path.lstrip("/"))
    return cleaned + "/" if path.endswith("/") or cleaned + "/" == PREFIX else cleaned


def _strip(mount: str, path: str) -> str:
    """``path`` without as much of the end of ``mount`` as it begins with."""
    begin = 0
    while 0 <= begin < len(mount):
        part = mount[begin:]
        if path == part or path.startswith(part + "/"):
            return path[len(part) :]
        begin = mount.find("/", begin + 1)
    return path
