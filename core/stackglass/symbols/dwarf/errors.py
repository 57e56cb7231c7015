"""Error for DWARF that cannot be read."""

from __future__ import annotations


class DwarfError(Exception):
    """The DWARF is damaged, or of a kind that is not read. Never leaves this package."""
