"""Memory map of a process: ``/proc/PID/maps`` as values."""

from __future__ import annotations

from stackglass.named_tuple import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

_DELETED = " (deleted)"


class Mapping(NamedTuple):
    """One line of the map. Addresses are the process's own, ``end`` exclusive."""

    start: int
    end: int
    is_executable: bool
    offset: int  # bytes into the file
    inode: int  # 0 = no file
    path: str  # "" = anonymous; "[vdso]" and the like in brackets
    is_deleted: bool  # the file has been removed or replaced since

    @property
    def name(self) -> str:
        """Last part of the path."""
        return self.path.rpartition("/")[2]


def parse_maps(text: str) -> list[Mapping]:
    """The lines of a ``maps`` file, in its order. Raises ValueError for any other text."""
    # Not splitlines: a path may contain a form feed, or any other mark at which that splits.
    return [_parse_line(line) for line in text.split("\n") if line]


def _parse_line(line: str) -> Mapping:
    # 7f3c1a000000-7f3c1a022000 r-xp 00000000 fe:00 1234     /usr/lib/libc.so.6
    fields = line.split(None, 5)
    if len(fields) < 5:
        raise ValueError(f"not a line of a memory map: {line!r}")
    start, _, end = fields[0].partition("-")
    path = fields[5] if len(fields) > 5 else ""
    is_deleted = path.endswith(_DELETED)
    if is_deleted:
        path = path[: -len(_DELETED)]
    return Mapping(
        int(start, 16),
        int(end, 16),
        fields[1][2] == "x",
        int(fields[2], 16),
        int(fields[4]),
        # The kernel escapes only the newline in names.
        path.replace("\\012", "\n"),
        is_deleted,
    )


def list_files(maps: Iterable[Mapping]) -> list[Mapping]:
    """The mapping of lowest file offset of every file with code in it, in map order."""
    with_code = {
        (mapping.path, mapping.inode) for mapping in maps if mapping.is_executable and mapping.inode
    }
    first: dict[tuple[str, int], Mapping] = {}
    for mapping in maps:
        key = (mapping.path, mapping.inode)
        if key in with_code and (key not in first or mapping.offset < first[key].offset):
            first[key] = mapping
    return list(first.values())
