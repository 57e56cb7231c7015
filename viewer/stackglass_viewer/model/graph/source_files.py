"""Source files that a profile names, found as pprof finds them, line by line."""

from __future__ import annotations

import os
import posixpath
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_MAX_BYTES = 16 << 20  # of a source file; a profile may name any file
_LOOKED_AT = 8192  # bytes: a file of text has no zero among them


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A source file of this machine."""

    path: str
    lines: Sequence[str]
    changed_unix_ns: int


class SourceFiles:
    """Finds and keeps source files. A path that is not absolute is looked for in the folders and in
    all above them."""

    def __init__(self, source_path: str = "") -> None:
        """``source_path``: folders, with colons between; "" = the current one."""
        self._folders = [each for each in source_path.split(":") if each] or [os.getcwd()]
        self._found: dict[str, SourceFile | None] = {}

    def find(self, path: str) -> SourceFile | None:
        """None = it is not here, or no file of text."""
        if path not in self._found:
            self._found[path] = self._find(path)
        return self._found[path]

    def read(self, path: str) -> Sequence[str] | None:
        """The lines of a file; None = it is not here, or no file of text."""
        found = self.find(path)
        return None if found is None else found.lines

    def _find(self, path: str) -> SourceFile | None:
        if posixpath.isabs(path):
            return _read_file(Path(path))
        for folder in self._folders:
            start = Path(folder).absolute()
            for place in (start, *start.parents):
                found = _read_file(place / path)
                if found is not None:
                    return found
        return None


def _read_file(path: Path) -> SourceFile | None:
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MAX_BYTES:
            return None
        content = path.read_bytes()
        if b"\0" in content[:_LOOKED_AT]:  # a library: functions of machine code name theirs
            return None
        text = content.decode(errors="replace")
        return SourceFile(str(path), text.removesuffix("\n").split("\n"), status.st_mtime_ns)
    except (OSError, ValueError):  # not there, not readable, or no path at all
        return None
