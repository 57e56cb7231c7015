"""Path trim: leaves out the beginnings of source file paths, by pprof's rules."""

from __future__ import annotations

import posixpath

_ALWAYS = ("/proc/self/cwd/./", "/proc/self/cwd/")


class PathTrim:
    """The options ``trim_path`` and ``source_path``, applied to paths. Immutable.

    Without ``trim_path``, a path loses everything up to a folder of the same name as one of
    ``source_path``.

    >>> PathTrim("/src").shorten("/src/app//a.py"), PathTrim("", "/my/app").shorten("/src/app/a.py")
    ('app/a.py', 'a.py')
    """

    def __init__(self, trim_path: str = "", source_path: str = "") -> None:
        """``trim_path``: beginnings to leave out; ``source_path``: folders of sources. Both are
        separated by colons."""
        wanted = [each for each in trim_path.split(":") if each]
        self._prefixes = [*(f"{each.removesuffix('/')}/" for each in wanted), *_ALWAYS]
        folders = [] if trim_path else [each for each in source_path.split(":") if each]
        self._names = [f"/{posixpath.basename(each.rstrip('/')) or '/'}/" for each in folders]

    def shorten(self, path: str) -> str:
        """Return the path without its beginning, normalized; "" for ""."""
        path = self._cut(path)
        if not path:
            return ""
        clean = posixpath.normpath(path)
        return clean[1:] if clean.startswith("//") else clean

    def _cut(self, path: str) -> str:
        for name in self._names:
            if name in path:
                return path.partition(name)[2]
        for prefix in self._prefixes:
            if path.startswith(prefix):
                return path[len(prefix) :]
        return path
