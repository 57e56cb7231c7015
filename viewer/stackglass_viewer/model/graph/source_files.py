"""Source files that a profile names, found by pprof's rules and read as lines."""

from __future__ import annotations

import posixpath
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_MAX_BYTES = 16 << 20  # larger files are not read: a profile may name any file
_HEAD_BYTES = 8192  # a file with a NUL among so many first bytes is binary


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A source file of this machine."""

    path: str
    lines: Sequence[str]
    changed_unix_ns: int


class SourceFiles:
    """Finds source files and caches them. A relative path is searched in each source folder and in
    the parents of that folder. Not thread-safe."""

    def __init__(self, source_path: str = "") -> None:
        """``source_path``: folders, separated by colons; "" = the current one."""
        self._folders = [each for each in source_path.split(":") if each] or [""]
        self._found: dict[str, SourceFile | None] = {}

    def find(self, path: str) -> SourceFile | None:
        """Return a source file; None = it is not on this machine, or is no text file."""
        if path not in self._found:
            self._found[path] = self._find(path)
        return self._found[path]

    def read(self, path: str) -> Sequence[str] | None:
        """Return the lines of a file; None = it is not on this machine, or is no text file."""
        found = self.find(path)
        return None if found is None else found.lines

    def _find(self, path: str) -> SourceFile | None:
        if posixpath.isabs(path):
            return _read_file(Path(path))
        for folder in self._folders:
            try:
                start = Path(folder).absolute()
            except OSError:  # the current folder has been deleted
                continue
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
        if b"\0" in content[:_HEAD_BYTES]:  # the file of machine code may be its library
            return None
        text = content.decode(errors="replace")
        return SourceFile(str(path), text.removesuffix("\n").split("\n"), status.st_mtime_ns)
    except (OSError, ValueError):  # it does not exist, is not readable, or is no valid path
        return None
