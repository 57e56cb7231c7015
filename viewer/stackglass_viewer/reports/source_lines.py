"""Source files that a profile names, found as pprof finds them, line by line."""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Sequence
from pathlib import Path

_MAX_BYTES = 16 << 20  # of a source file; a profile may name any file


class SourceFiles:
    """Finds and keeps source files. A path that is not absolute is looked for in the folders and in
    all above them."""

    def __init__(self, source_path: str = "") -> None:
        """``source_path``: folders, with colons between; "" = the current one."""
        self._folders = [each for each in source_path.split(":") if each] or [os.getcwd()]
        self._lines: dict[str, Sequence[str] | None] = {}

    def read(self, path: str) -> Sequence[str] | None:
        """The lines of a file; None = it is not here, or no file of text."""
        if path not in self._lines:
            self._lines[path] = self._find(path)
        return self._lines[path]

    def _find(self, path: str) -> Sequence[str] | None:
        if posixpath.isabs(path):
            return _read_lines(Path(path))
        for folder in self._folders:
            start = Path(folder).absolute()
            for place in (start, *start.parents):
                lines = _read_lines(place / path)
                if lines is not None:
                    return lines
        return None


def _read_lines(path: Path) -> Sequence[str] | None:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
            return None
        text = path.read_bytes().decode(errors="replace")
        return text.removesuffix("\n").split("\n")
    except (OSError, ValueError):  # not there, not readable, or no path at all
        return None
