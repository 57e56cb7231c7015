"""Cache of the abbreviation tables of a file, which many units share."""

from __future__ import annotations

from stackglass.symbols.dwarf.encoding import Abbreviations, read_abbreviations
from stackglass.symbols.dwarf.sections import DebugSections

_MAX_BYTES = 1 << 20  # of one table
_MAX_KEPT = 300_000


class AbbreviationCache:
    """The tables of one file, which are all dropped when there are too many. For one thread."""

    __slots__ = ("_n_kept", "_sections", "_tables")

    def __init__(self, sections: DebugSections) -> None:
        self._sections = sections
        self._tables: dict[tuple[int, int], Abbreviations] = {}
        self._n_kept = 0

    def read(self, offset: int, offset_bytes: int) -> Abbreviations:
        """Return the table at an offset. Raises DwarfError, IndexError."""
        key = offset, offset_bytes
        if key not in self._tables:
            content = self._sections.read(".debug_abbrev", offset, _MAX_BYTES)
            table = read_abbreviations(content, offset_bytes)
            if self._n_kept + len(table) > _MAX_KEPT:
                self._tables.clear()
                self._n_kept = 0
            self._tables[key] = table
            self._n_kept += len(table)
        return self._tables[key]
